"""Every option of a run, declared once.

A class for each group of options, and one for each command that lists the groups it uses. The
annotations are read twice: by type checkers, for the keywords of the library, and by `option`, for
the command line, the configuration file and the identity of journals. A new option is a line here
and whatever uses its value; `docs/explanation/architecture.md` shows the way.
"""

# Not with `from __future__ import annotations`: the declarations are read at run time. Types that
# cost much to load are named by strings, which nothing evaluates.

from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Pool
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

from marrow.run.options.option import (
    ANYTHING,
    CALL,
    COUNT,
    EXECUTOR,
    EXPRESSION,
    FAILURE,
    FIRST,
    FLAG,
    GOAL,
    INPUTS,
    LIMITS,
    LINES,
    NUMBER,
    PATH,
    PATTERNS,
    PLACES,
    QUORUM,
    RESULTS,
    SEARCH,
    SIZE,
    TESTS,
    TEXT,
    TIME,
    USER,
    AnyPath,
    AnySource,
    Option,
    ValueKind,
    one_of,
    whole,
)
from marrow.run.options.strategy_options import SettingOptions, StrategyOptions

if TYPE_CHECKING:
    from marrow.engine.events import Event
    from marrow.engine.executors.quorum import Quorum
    from marrow.engine.search.limits import Goal
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import Grammar

#: More workers than this would only queue up: each is a thread and at least one process.
MOST_WORKERS: Final = 1024

#: How many valid samples of a whole pattern must fail; see docs/explanation/algorithms/ddset.md.
CHECKS: Final = 100

#: What becomes of the white space of a result.
LAYOUTS: Final = ("pretty", "compact", "keep")

# fmt: off


class GrammarOptions(TypedDict, total=False):
    """How a grammar is read, and the texts by it."""

    assume: Annotated[Sequence[str], Option(
        "Say whether a predicate of the grammar holds, by the name of the call in it: "
        "IsStrictMode=true.",
        TEXT, INPUTS, SEARCH, metavar="NAME=true|false", multiple=True, default=(),
        advanced=True)]
    encoding: Annotated[str | None, Option(
        "The encoding of the input, for a grammar with letters beyond ASCII (latin-1).  [default: "
        "utf-8]", TEXT, INPUTS, SEARCH, metavar="NAME", advanced=True)]

class LanguageOptions(GrammarOptions, total=False):
    """The language of an input."""

    language: Annotated[str | None, Option(
        "The language, if the file name does not tell.", ValueKind(TEXT.read, completes="language"),
        FIRST, SEARCH, flags=("-l", "--language"), metavar="L")]
    grammar: Annotated["Language | Grammar | AnyPath | None", Option(
        "Parse by a grammar: a file (`marrow help notations`), or one that ships (`marrow "
        "grammar`).", ValueKind(ANYTHING.read, completes="grammar"), FIRST, USER, metavar="FILE")]
    start: Annotated[str | None, Option(
        "The start rule of the grammar, if not its usual one.", TEXT, INPUTS, SEARCH,
        metavar="RULE", advanced=True)]
    name: Annotated[str | None, Option(
        "If INPUT is standard input (-): the name of the candidate's file.", TEXT, INPUTS, CALL,
        metavar="FILE", advanced=True)]


class CommandOptions(TypedDict, total=False):
    """How a test is run."""

    shell: Annotated[str | None, Option(
        "Use a shell command as the test; $1 is the file.", TEXT, TESTS, CALL, metavar="COMMAND")]
    memory: Annotated[int | str | None, Option(
        "Limit the memory of a test (512M, 2G).", SIZE, TESTS, SEARCH, advanced=True)]
    sandbox: Annotated[bool, Option(
        "Run the test without network, your home and most of your environment, and let it write "
        "only its own directories (Linux, with bubblewrap); see docs/explanation/security.md.",
        FLAG, FIRST, USER, default=False)]
    env: Annotated[Sequence[str], Option(
        "An environment variable that a test in the sandbox has too, besides PATH, HOME, LANG, "
        "LC_* and TMPDIR.", TEXT, TESTS, USER, metavar="NAME", multiple=True, default=())]
    sandbox_home: Annotated[Sequence[AnyPath], Option(
        "A file or directory of your home that a test in the sandbox can read (.rustup); . is all "
        "of it.", PATH, TESTS, USER, multiple=True, default=())]


class TestOptions(CommandOptions, total=False):
    """A test, and how it is run."""

    timeout: Annotated[float | str | None, Option(
        "How long one test may take (30s, 2m); default: ten times the slowest of the first runs, "
        "five seconds at least. A test that takes longer is run once more, alone.", TIME, FIRST,
        SEARCH)]


class UnresolvedOptions(TypedDict, total=False):
    """Which inputs are not valid."""

    unresolved_if: Annotated[str | None, Option(
        "A shell command that exits with 0 for a file ({} or $1) that is not a valid input; it "
        "runs if the test does not see the failure.", TEXT, TESTS, CALL, metavar="COMMAND")]


class FlakyOptions(TypedDict, total=False):
    """How far a test is trusted."""

    flaky: Annotated["Quorum | str | None", Option(
        "For a test that fails only now and then: run it up to N times on a candidate, which is "
        "interesting if K of the runs are (2/5).", QUORUM, FIRST, SEARCH,
        identity="quorum (--flaky)")]
    allow_empty: Annotated[bool, Option(
        "Allow a test that accepts an empty file.", FLAG, TESTS, SEARCH, default=False,
        advanced=True)]


class FailureOptions(TypedDict, total=False):
    """The failure of a command that is given instead of a test."""

    command: Annotated[Sequence[str] | Sequence[Sequence[str]] | None, Option(
        "The failing command, as words; {} is the file.", ANYTHING, FAILURE, CALL, flags=())]
    keep_exit: Annotated[bool, Option(
        "Keep the exit status of the command, and nothing else.", FLAG, FAILURE, SEARCH,
        default=False)]
    keep_stderr: Annotated[Sequence[str], Option(
        "Keep also a line matching REGEX on the command's standard error (as for grep -E), beside "
        "the failure that is inferred.", EXPRESSION, FAILURE, SEARCH, metavar="REGEX",
        multiple=True, default=())]
    keep_stdout: Annotated[Sequence[str], Option(
        "Keep also a line matching REGEX on the command's standard output.", EXPRESSION, FAILURE,
        SEARCH, metavar="REGEX", multiple=True, default=())]
    only_stderr: Annotated[Sequence[str], Option(
        "Keep a line matching REGEX on the command's standard error, and nothing else.",
        EXPRESSION, FAILURE, SEARCH, metavar="REGEX", multiple=True, default=())]
    only_stdout: Annotated[Sequence[str], Option(
        "Keep a line matching REGEX on the command's standard output, and nothing else.",
        EXPRESSION, FAILURE, SEARCH, metavar="REGEX", multiple=True, default=())]
    forbid: Annotated[Sequence[str], Option(
        "Reject candidates on which the command prints a line matching REGEX.", EXPRESSION,
        FAILURE, SEARCH, flags=("--not",), metavar="REGEX", multiple=True, default=())]
    differ: Annotated[bool, Option(
        "Keep a disagreement of two commands, in exit status or output: -- A {} --- B {}", FLAG,
        FAILURE, CALL, default=False)]
    guard: Annotated[Sequence[str], Option(
        "A shell command that must succeed on every candidate; {} is the file. `c` is a ready one "
        "that keeps programs in C and C++ free of undefined behaviour.", TEXT, FAILURE, USER,
        metavar="COMMAND", multiple=True, default=())]
    signature: Annotated[AnyPath | None, Option(
        "Keep the failure that this file describes (TOML). A missing file is written, for you to "
        "read and change.", PATH, FAILURE, CALL, metavar="FILE")]
    allow_new_errors: Annotated[bool, Option(
        "Accept candidates with errors of a kind that the input does not have.", FLAG, FAILURE,
        SEARCH, default=False)]
    shrink_command: Annotated[bool, Option(
        "Drop the words of the command that its failure does not need, before the reduction and "
        "again on the result.", FLAG, FAILURE, CALL, default=False)]
    also: Annotated[AnyPath | None, Option(
        "Save the smallest input of every other failure found on the way.", PATH, FAILURE, CALL,
        metavar="DIR")]
    write_test: Annotated[AnyPath | None, Option(
        "Save the test that marrow makes from the command as a script.", PATH, FAILURE, CALL,
        metavar="FILE")]


class PlaceOptions(TypedDict, total=False):
    """Where tests run."""

    jobs: Annotated[int | None, Option(
        "How many tests may run at once.  [default: all cores; in Python, one]  The result is the "
        "same for any number.", whole(1, MOST_WORKERS), FIRST, SEARCH, flags=("-j", "--jobs"))]
    workers: Annotated[int | None, Option(
        "Another name for jobs.", whole(1), PLACES, SEARCH, flags=(), alias="jobs")]
    executor: Annotated["Pool | str | None", Option(
        "Where tests run: local (this machine) or dask (the workers of a cluster); the result is "
        "the same. Without a scheduler, dask uses -j threads here, to try it out.",
        ValueKind(ANYTHING.read, choices=EXECUTOR.choices), PLACES, USER, metavar="NAME",
        advanced=True)]
    scheduler: Annotated[str | None, Option(
        "The address of the Dask scheduler (tcp://host:8786). All its workers take part, unless "
        "-j says how many tests may run at once. See docs/how-to/cluster.md.", TEXT, PLACES, USER,
        metavar="ADDRESS", advanced=True)]
    ship: Annotated[Sequence[AnyPath], Option(
        "A file or directory that the test finds beside itself on the workers; the test script is "
        "sent anyway.", PATH, PLACES, USER, multiple=True, default=(), advanced=True)]


class LimitOptions(TypedDict, total=False):
    """When to stop."""

    max_time: Annotated[float | str | None, Option(
        "Stop after this time (10m, 2h).", TIME, FIRST, SEARCH, limit="seconds")]
    max_seconds: Annotated[float | None, Option(
        "Another name for max_time.", TIME, LIMITS, SEARCH, flags=(), alias="max_time")]


class KeepingOptions(TypedDict, total=False):
    """What a run records."""

    resume: Annotated[bool, Option(
        "Continue an earlier run; no test runs twice.", FLAG, FIRST, CALL, default=False,
        keyword=False)]
    journal: Annotated[AnyPath | None, Option(
        "Where verdicts are recorded, for --resume.  [default: RESULT.marrow; in Python none, and "
        "an existing one is resumed]", PATH, RESULTS, CALL, metavar="FILE", advanced=True)]
    no_journal: Annotated[bool, Option(
        "Keep no journal: the run cannot be resumed.", FLAG, RESULTS, USER, default=False,
        advanced=True, keyword=False)]
    report: Annotated[AnyPath | None, Option(
        "Write a page (HTML, one file) that shows what happened; see marrow report.", PATH, FIRST,
        CALL, metavar="OUT")]
    on_event: Annotated["Callable[[Event], None] | None", Option(
        "Called with every event, in the calling thread.", ANYTHING, RESULTS, CALL, flags=())]


class EventOptions(TypedDict, total=False):
    """What programs that watch a run are told."""

    events: Annotated[str | None, Option(
        "Write what happens as JSON lines (see marrow schema event) to a file, or to an open "
        "descriptor, by its number.", TEXT, RESULTS, CALL, metavar="FILE|N", keyword=False,
        advanced=True)]
    event_texts: Annotated[bool, Option(
        "Put the text of every improvement into the events.", FLAG, RESULTS, CALL, default=False,
        keyword=False, advanced=True)]


class ResultOptions(TypedDict, total=False):
    """Where a reduced input goes."""

    output: Annotated[AnyPath | None, Option(
        "Where the result goes.  [default: NAME.reduced.EXT beside INPUT; in Python, nothing is "
        "written]", PATH, FIRST, CALL, flags=("-o", "--output"), metavar="OUT")]


class OverwriteOptions(TypedDict, total=False):
    """What may be written over."""

    force: Annotated[bool, Option(
        "Let reports, saved tests and the like replace files marrow did not write. (A result "
        "never needs this: it keeps a copy of what it replaces.)", FLAG, RESULTS, CALL,
        default=False)]


class ConfigOptions(TypedDict, total=False):
    """Which configuration files are read."""

    no_config: Annotated[bool, Option(
        "Read no configuration file. MARROW_CONFIG= (empty) does the same.", FLAG, RESULTS, CALL,
        default=False, advanced=True, keyword=False)]
    trust_config: Annotated[bool, Option(
        "Let the configuration file beside the input set every option that a file can set, also "
        "those that run programs, connect, or read and write other files.", FLAG, RESULTS, CALL,
        default=False, advanced=True, keyword=False)]


class SayOptions(TypedDict, total=False):
    """What a command prints."""

    as_json: Annotated[bool, Option(
        "Print one JSON object on standard output, for errors, too; see marrow schema.", FLAG,
        FIRST, SEARCH, flags=("--json",), default=False, keyword=False)]
    verbose: Annotated[int, Option(
        "Print every success with its change, and every test.", NUMBER, FIRST, SEARCH, default=0,
        flags=("-v", "--verbose"), counted=True, keyword=False)]


class QuietOptions(TypedDict, total=False):
    """Whether a command prints anything."""

    quiet: Annotated[bool, Option(
        "Print nothing but errors.", FLAG, FIRST, SEARCH, default=False, flags=("-q", "--quiet"),
        keyword=False)]


class TestLimitOptions(TypedDict, total=False):
    """How many tests may be run."""

    max_tests: Annotated[int | None, Option(
        "Stop after N tests of candidates, as -j 1 counts them. Speculative tests, and those of "
        "the input and the result, are extra.", COUNT, LIMITS, SEARCH, limit="tests")]


class GoalOptions(TypedDict, total=False):
    """When a result is good enough."""

    stop_at: Annotated["Goal | str | None", Option(
        "Stop when the result is small enough: 2kB, 5%, 100 tokens.", GOAL, FIRST, SEARCH,
        limit="goal")]


class ReduceOptions(
    LanguageOptions,
    TestOptions,
    FlakyOptions,
    FailureOptions,
    PlaceOptions,
    LimitOptions,
    TestLimitOptions,
    GoalOptions,
    ResultOptions,
    KeepingOptions,
    EventOptions,
    OverwriteOptions,
    QuietOptions,
    SayOptions,
    ConfigOptions,
    StrategyOptions,
    SettingOptions,
    total=False,
):
    """The options of `marrow reduce` and `marrow.reduce`."""

    diff: Annotated[AnySource | None, Option(
        "Reduce the difference between a good input and INPUT, which fails: find the smallest set "
        "of changes to GOOD that still fails, whole files first, then nodes of the syntax tree, "
        "then tokens. Both are files, directories or commits.", ANYTHING, INPUTS, CALL,
        metavar="GOOD")]
    bug_report: Annotated[AnyPath | None, Option(
        "Write a bug report, ready to paste (Markdown): the small input, what the command prints "
        "on it, how to reproduce it, versions.", PATH, RESULTS, CALL, metavar="OUT")]
    live: Annotated[bool, Option(
        "Serve the page of the run on this machine (127.0.0.1) while it runs, with pause, skip, "
        "stop and edits of your own. The address, which holds a token, is printed.", FLAG, FIRST,
        USER, default=False)]
    layout: Annotated[str | None, Option(
        "The white space of the result: pretty makes it as short as possible, plus a readable "
        "copy (NAME.pretty.EXT), if it still fails; compact is without the copy; keep leaves the "
        "white space of the input.  [default: pretty; in Python compact]", one_of(lambda: LAYOUTS),
        RESULTS, SEARCH)]
    formatter: Annotated[str | None, Option(
        "The command that formats the readable copy: it reads the text and prints it, or changes "
        "the file {}; none uses marrow's own layout.  [default: an installed formatter of the "
        "language (clang-format, prettier, black, gofmt ...), else marrow's own]", TEXT, RESULTS,
        USER, metavar="COMMAND")]
    in_place: Annotated[bool, Option(
        "Write over INPUT; the original is kept as INPUT.orig.", FLAG, FIRST, CALL, default=False)]
    explain: Annotated[bool, Option(
        "At the end, say of each part of the result whether it is needed as it is, can be "
        "anything of its kind, or must equal another part.", FLAG, PATTERNS, SEARCH, default=False)]
    contrast: Annotated[bool, Option(
        "At the end, change every token of the result by little, to find inputs near it that do "
        "not fail.", FLAG, PATTERNS, SEARCH, default=False)]
    keep_lines: Annotated[Sequence[str], Option(
        "Lines of the input that stay byte for byte (10-20; of several files, main.c:10-20).",
        LINES, INPUTS, SEARCH, multiple=True, default=())]
    keep: Annotated[Sequence[str], Option(
        "Of several files, leave those unchanged whose name or directory matches.", TEXT, INPUTS,
        SEARCH, metavar="GLOB", multiple=True, default=())]


class SessionOptions(
    LanguageOptions,
    LimitOptions,
    TestLimitOptions,
    GoalOptions,
    ResultOptions,
    KeepingOptions,
    StrategyOptions,
    SettingOptions,
    total=False,
):
    """The options of `marrow.Session` and `marrow.testing.shrink`, whose caller runs the test."""


class AbstractOptions(
    LanguageOptions,
    TestOptions,
    UnresolvedOptions,
    FlakyOptions,
    FailureOptions,
    PlaceOptions,
    LimitOptions,
    KeepingOptions,
    EventOptions,
    OverwriteOptions,
    SayOptions,
    ConfigOptions,
    total=False,
):
    """The options of `marrow abstract` and `marrow.abstract`."""

    output: Annotated[AnyPath | None, Option(
        "Where the pattern goes.  [default: NAME.pattern.json beside INPUT]", PATH, FIRST, CALL,
        flags=("-o", "--output"), metavar="OUT")]
    quiet: Annotated[bool, Option(
        "Print only the pattern, and errors.", FLAG, FIRST, SEARCH, default=False,
        flags=("-q", "--quiet"), keyword=False)]

    corpus: Annotated[AnyPath | None, Option(
        "Without a grammar: a directory of sources in the language of INPUT, to take samples from.",
        PATH, PATTERNS, CALL, metavar="DIR")]
    predicate: Annotated[AnyPath | None, Option(
        "The test is my_predicate of a Python module, as in the published tool.", PATH, TESTS, CALL,
        metavar="MODULE")]
    max_tests: Annotated[int | None, Option(
        "Stop after N tests, as -j 1 counts them; the pattern so far is kept.", COUNT, LIMITS,
        SEARCH, flags=("--budget", "--max-tests"), metavar="TESTS", limit="tests")]
    reducer: Annotated[str | None, Option(
        "Which algorithm reduces INPUT first; see marrow reduce.  [default: perses*; with "
        "--naive: ddset, the published one]", ValueKind(TEXT.read, completes="algorithm"), PATTERNS,
        SEARCH, flags=("--algorithm",), metavar="NAME")]
    no_reduce: Annotated[bool, Option(
        "Start from INPUT as it is.", FLAG, PATTERNS, SEARCH, default=False)]
    checks: Annotated[int, Option(
        "How many valid samples of the whole pattern must fail. With n of them, at least 1 - 3/n "
        f"of all samples fail (95% confidence).  [default: {CHECKS}]", COUNT, PATTERNS, SEARCH,
        default=CHECKS)]
    naive: Annotated[bool, Option(
        "The published procedure, as printed; it takes many more tests.", FLAG, PATTERNS, SEARCH,
        default=False)]
    seed: Annotated[int, Option(
        "For the random samples.  [default: 0]", NUMBER, PATTERNS, SEARCH, default=0)]
