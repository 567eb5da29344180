"""The options of the commands that only the command line has, and the table of all commands."""

# Not with `from __future__ import annotations`: see `options`.

from collections.abc import Sequence
from typing import Annotated, Final

from marrow.run.options.option import (
    ANYTHING,
    COUNT,
    FLAG,
    NUMBER,
    PATH,
    SIZE,
    TEXT,
    TIME,
    AnyPath,
    Option,
    ValueKind,
    whole,
)
from marrow.run.options.option_groups import FIRST
from marrow.run.options.options import (
    MOST_WORKERS,
    AbstractOptions,
    GrammarOptions,
    OverwriteOptions,
    PlaceOptions,
    ReduceOptions,
    SayOptions,
    TestOptions,
    UnresolvedOptions,
)
from marrow.run.options.triage_options import TriageOptions

# fmt: off


class ProduceOptions(
    TestOptions, UnresolvedOptions, PlaceOptions, OverwriteOptions, SayOptions, total=False
):
    """The options of `marrow produce`."""

    number: Annotated[int, Option(
        "How many inputs; fewer if the pattern has no more.  [default: 10]", COUNT, FIRST,
        flags=("-n", "--number"), default=10)]
    output: Annotated[AnyPath | None, Option(
        "The directory that the inputs go to, as 001.lua and so on; it must be new or empty.", PATH,
        FIRST, flags=("-o", "--output"), metavar="DIR", config=False)]
    verify: Annotated[str | None, Option(
        "Run a test on every input.", TEXT, FIRST, metavar="TEST", config=False)]
    pytest: Annotated[AnyPath | None, Option(
        "Write a test module with the inputs that fail; needs --verify or --shell.", PATH, FIRST,
        metavar="FILE", config=False)]
    suffix: Annotated[str | None, Option(
        "The suffix of the inputs' names (.lua); default: that of the grammar's language.", TEXT,
        FIRST, metavar="S")]
    seed: Annotated[int, Option(
        "Another seed gives other inputs.  [default: 0]", NUMBER, FIRST, default=0)]


class TrainOptions(GrammarOptions, OverwriteOptions, total=False):
    """The options of `marrow train`."""

    language: Annotated[str, Option(
        "The language of the files.", ValueKind(TEXT.read, completes="language"), FIRST,
        flags=("-l", "--language"), metavar="L", required=True, config=False)]
    grammar: Annotated[AnyPath | None, Option(
        "Parse them by a grammar (a file, or one that ships): the model is for runs with the same "
        "--grammar.", ValueKind(ANYTHING.read, completes="grammar"), FIRST, metavar="FILE",
        config=False)]
    start: Annotated[str | None, Option(
        "The start rule of the grammar, if not its usual one.", TEXT, FIRST, metavar="RULE",
        config=False)]
    corpus: Annotated[Sequence[AnyPath], Option(
        "A directory with files of the language, or a file; may be given several times.", PATH,
        FIRST, multiple=True, required=True, default=(), config=False)]
    check: Annotated[str, Option(
        "A shell command with {} for the file.", TEXT, FIRST, metavar="COMMAND", required=True,
        config=False)]
    output: Annotated[AnyPath, Option(
        "Where the model goes (JSON).", PATH, FIRST, flags=("-o", "--output"), metavar="MODEL",
        required=True, config=False)]
    jobs: Annotated[int | None, Option(
        "How many checks run at once. The model does not depend on it.", whole(1, MOST_WORKERS),
        FIRST, flags=("-j", "--jobs"))]
    tokens: Annotated[int, Option(
        "How many tokens of each file are kept, one after the other.  [default: 3]", COUNT, FIRST,
        default=3)]
    max_tests: Annotated[int, Option(
        "Stop after N checks, counted as -j 1 runs them; those that the journal answers count."
        "  [default: 20000]", COUNT, FIRST, default=20000)]
    task_tests: Annotated[int, Option(
        "Turn to the next file after N checks for one token.  [default: 1000]", COUNT, FIRST,
        default=1000)]
    max_time: Annotated[float | str | None, Option(
        "Stop after this time (10m, 2h).", TIME, FIRST)]
    max_file_size: Annotated[int | str, Option(
        "Leave out larger files.  [default: 64K]", SIZE, FIRST, default=64 << 10)]
    timeout: Annotated[float | str, Option(
        "A check that takes longer has failed.  [default: 10s]", TIME, FIRST, default=10.0)]
    memory: Annotated[int | str | None, Option(
        "Limit a check's memory (512M, 2G).", SIZE, FIRST)]
    seed: Annotated[int, Option(
        "For the order of the files and the tokens to keep.  [default: 0]", NUMBER, FIRST,
        default=0)]
    note: Annotated[str, Option(
        "Recorded in the model: what the corpus is.", TEXT, FIRST, default="")]
    log: Annotated[AnyPath | None, Option(
        "Also write every removal that was tried (CSV).", PATH, FIRST, metavar="FILE",
        config=False)]
    resume: Annotated[bool, Option(
        "Go on with an earlier run; no check is run twice.", FLAG, FIRST, default=False,
        config=False)]
    quiet: Annotated[bool, Option(
        "Print nothing but errors.", FLAG, FIRST, flags=("-q", "--quiet"), default=False)]


class ReportOptions(OverwriteOptions, total=False):
    """The options of `marrow report`."""

    output: Annotated[AnyPath | None, Option(
        "Where to write the page; default: the name of the result with .html.", PATH, FIRST,
        flags=("-o", "--output"), metavar="OUT", config=False)]


#: The options of the commands that make runs. Each is also a table in the configuration file.
COMMAND_OPTIONS: Final[dict[str, type]] = {
    "reduce": ReduceOptions,
    "abstract": AbstractOptions,
    "produce": ProduceOptions,
    "train": TrainOptions,
    "triage": TriageOptions,
}
