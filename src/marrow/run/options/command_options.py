"""The options of the commands that only the command line has, and the table of all commands."""

# Not with `from __future__ import annotations`: see `options`.

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from marrow.run.options.option import (
    ANYTHING,
    CALL,
    COUNT,
    EXPRESSION,
    FAILURE,
    FIRST,
    FLAG,
    NUMBER,
    PATH,
    PATTERNS,
    RESULTS,
    SEARCH,
    SIZE,
    STRATEGY,
    TEXT,
    TIME,
    USER,
    AnyPath,
    Option,
    ValueKind,
    names_in,
    one_of,
    whole,
)
from marrow.run.options.options import (
    MOST_WORKERS,
    AbstractOptions,
    CommandOptions,
    ConfigOptions,
    EventOptions,
    GrammarOptions,
    LanguageOptions,
    LimitOptions,
    OverwriteOptions,
    PlaceOptions,
    QuietOptions,
    ReduceOptions,
    SayOptions,
    TestOptions,
    UnresolvedOptions,
)

if TYPE_CHECKING:
    from marrow.engine.events import Event

#: How long the target may take, in seconds: what AFL++ calls a hang takes one.
TIMEOUT: Final = 5.0

# fmt: off


class TriageOptions(
    LanguageOptions,
    CommandOptions,
    PlaceOptions,
    LimitOptions,
    EventOptions,
    QuietOptions,
    SayOptions,
    ConfigOptions,
    total=False,
):
    """The options of `marrow triage` and `marrow.triage`."""

    command: Annotated[Sequence[str] | None, Option(
        "The target, as words; {} is the file.", ANYTHING, FAILURE, CALL, flags=())]
    forbid: Annotated[Sequence[str], Option(
        "A run in which the target prints a line matching REGEX is not a failure.", EXPRESSION,
        FAILURE, SEARCH, flags=("--not",), metavar="REGEX", multiple=True, default=())]
    timeout: Annotated[float | str, Option(
        "A run that takes longer hangs, which is a failure, too. It is first repeated alone.  "
        f"[default: {TIMEOUT:g}s]", TIME, FIRST, SEARCH, default=TIMEOUT)]
    output: Annotated[AnyPath | None, Option(
        "The directory for everything. If DIR holds a triage, it is continued: only new files are "
        "run.  [default: bugs]", PATH, FIRST, CALL, flags=("-o", "--output"), metavar="DIR")]
    known: Annotated[Sequence[AnyPath], Option(
        "The directory of an earlier triage. The exit code is 14 if it lacks one of the bugs; the "
        "summary says which of its bugs no longer fail.", PATH, FIRST, USER, metavar="DIR",
        multiple=True, default=())]
    reduce: Annotated[int, Option(
        "How many files that fail alike are reduced at most; more if the failure has no "
        "location.  [default: 2]", whole(1), FIRST, SEARCH, metavar="N", default=2)]
    overrules: Annotated[AnyPath | None, Option(
        "Your own decisions: which files share a cause, and which do not.  [default: "
        "DIR/overrules.toml]", PATH, RESULTS, USER, metavar="FILE")]
    pattern_tests: Annotated[int, Option(
        "If there is a grammar: how many tests the pattern of a bug may take; 0 for none.  "
        "[default: 300]", whole(0), PATTERNS, SEARCH, metavar="N", default=300)]
    effort: Annotated[str, Option(
        "How hard each reduction tries; see marrow reduce.  [default: normal]",
        one_of(names_in("marrow.reducers.pipeline.pipeline", "EFFORTS")), STRATEGY, SEARCH)]
    anew: Annotated[bool, Option(
        "Forget what the directory's journal knows: the target has changed.", FLAG, RESULTS, CALL,
        default=False)]
    on_progress: Annotated["Callable[[Any], None] | None", Option(
        "Called with the progress of the triage, in the calling thread.", ANYTHING, RESULTS, CALL,
        flags=())]
    on_event: Annotated["Callable[[Event], None] | None", Option(
        "Called with every event of its reductions.", ANYTHING, RESULTS, CALL, flags=())]


class ProduceOptions(
    TestOptions,
    UnresolvedOptions,
    PlaceOptions,
    OverwriteOptions,
    QuietOptions,
    SayOptions,
    ConfigOptions,
    total=False,
):
    """The options of `marrow produce`."""

    number: Annotated[int, Option(
        "How many inputs; fewer if the pattern has no more.  [default: 10]", COUNT, FIRST, SEARCH,
        flags=("-n", "--number"), default=10)]
    output: Annotated[AnyPath | None, Option(
        "The directory for the inputs, named 001.lua and so on; it must be new or empty.", PATH,
        FIRST, CALL, flags=("-o", "--output"), metavar="DIR")]
    verify: Annotated[str | None, Option(
        "Run a test on every input.", TEXT, FIRST, CALL, metavar="TEST")]
    pytest: Annotated[AnyPath | None, Option(
        "Write a test module with the inputs that fail; needs --verify or --shell.", PATH, FIRST,
        CALL, metavar="FILE")]
    suffix: Annotated[str | None, Option(
        "The suffix of the inputs' names (.lua); default: that of the grammar's language.", TEXT,
        FIRST, USER, metavar="S")]
    seed: Annotated[int, Option(
        "Another seed gives other inputs.  [default: 0]", NUMBER, FIRST, SEARCH, default=0)]


class TrainOptions(GrammarOptions, OverwriteOptions, ConfigOptions, total=False):
    """The options of `marrow train`."""

    language: Annotated[str, Option(
        "The language of the files.", ValueKind(TEXT.read, completes="language"), FIRST, CALL,
        flags=("-l", "--language"), metavar="L", required=True)]
    grammar: Annotated[AnyPath | None, Option(
        "Parse them by a grammar (a file, or one that ships): the model is for runs with the same "
        "--grammar.", ValueKind(ANYTHING.read, completes="grammar"), FIRST, CALL, metavar="FILE")]
    start: Annotated[str | None, Option(
        "The start rule of the grammar, if not its usual one.", TEXT, FIRST, CALL, metavar="RULE")]
    corpus: Annotated[Sequence[AnyPath], Option(
        "A directory with files of the language, or a file; may be given several times.", PATH,
        FIRST, CALL, multiple=True, required=True, default=())]
    check: Annotated[str, Option(
        "A shell command with {} for the file.", TEXT, FIRST, CALL, metavar="COMMAND",
        required=True)]
    output: Annotated[AnyPath, Option(
        "Where the model goes (JSON).", PATH, FIRST, CALL, flags=("-o", "--output"),
        metavar="MODEL", required=True)]
    jobs: Annotated[int | None, Option(
        "How many checks may run at once. The model is the same for any number.",
        whole(1, MOST_WORKERS), FIRST, SEARCH, flags=("-j", "--jobs"))]
    tokens: Annotated[int, Option(
        "How many tokens of each file are kept, one after another.  [default: 3]", COUNT, FIRST,
        SEARCH, default=3)]
    max_tests: Annotated[int, Option(
        "Stop after N checks, as -j 1 counts them, those that the journal answers included.  "
        "[default: 20000]", COUNT, FIRST, SEARCH, default=20000)]
    task_tests: Annotated[int, Option(
        "Turn to the next file after N checks for one token.  [default: 1000]", COUNT, FIRST,
        SEARCH, default=1000)]
    max_time: Annotated[float | str | None, Option(
        "Stop after this time (10m, 2h).", TIME, FIRST, SEARCH)]
    max_file_size: Annotated[int | str, Option(
        "Leave out larger files.  [default: 64K]", SIZE, FIRST, SEARCH, default=64 << 10)]
    timeout: Annotated[float | str, Option(
        "A check that takes longer has failed.  [default: 10s]", TIME, FIRST, SEARCH, default=10.0)]
    memory: Annotated[int | str | None, Option(
        "Limit a check's memory (512M, 2G).", SIZE, FIRST, SEARCH)]
    seed: Annotated[int, Option(
        "For the order of the files and the tokens to keep.  [default: 0]", NUMBER, FIRST, SEARCH,
        default=0)]
    note: Annotated[str, Option(
        "Recorded in the model: what the corpus is.", TEXT, FIRST, SEARCH, default="")]
    log: Annotated[AnyPath | None, Option(
        "Also write every removal that was tried (CSV).", PATH, FIRST, CALL, metavar="FILE")]
    resume: Annotated[bool, Option(
        "Continue an earlier run; no check runs twice.", FLAG, FIRST, CALL, default=False)]
    quiet: Annotated[bool, Option(
        "Print nothing but errors.", FLAG, FIRST, SEARCH, flags=("-q", "--quiet"), default=False)]


class ReportOptions(OverwriteOptions, total=False):
    """The options of `marrow report`."""

    output: Annotated[AnyPath | None, Option(
        "Where to write the page; default: the name of the result with .html.", PATH, FIRST, CALL,
        flags=("-o", "--output"), metavar="OUT")]


#: The options of the commands that make runs. Each is also a table in the configuration file.
COMMAND_OPTIONS: Final[dict[str, type]] = {
    "reduce": ReduceOptions,
    "abstract": AbstractOptions,
    "produce": ProduceOptions,
    "train": TrainOptions,
    "triage": TriageOptions,
}
