"""Every option of a run, declared once.

A class for each group of options, and one for each command that lists the groups it uses. The
annotations are read twice: by type checkers, for the keywords of the library, and by `option`, for
the command line, the configuration file and the identity of journals. A new option is a line here,
its words in `help.toml`, and whatever uses its value; `docs/explanation/architecture.md` shows the
way.
"""

# Not with `from __future__ import annotations`: the declarations are read at run time. Types that
# cost much to load are named by strings, which nothing evaluates.

from collections.abc import Callable, Sequence
from concurrent.futures import Executor as Pool
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from marrow.run.options.option import (
    ALGORITHM,
    ALGORITHMS,
    ANYTHING,
    CALL,
    CLEAN_UP,
    COMPATIBILITY,
    COUNT,
    EFFORT,
    EXECUTOR,
    EXPRESSION,
    FAILURE,
    FIRST,
    FLAG,
    GOAL,
    GRAMMAR,
    HOISTING,
    INPUTS,
    JOBS,
    LANGUAGE,
    LAYOUT,
    LIMITS,
    LINES,
    LIST_MINIMIZER,
    MODEL,
    NORMAL_FORM,
    NUMBER,
    OBJECTIVE,
    PAIR,
    PASSES,
    PATH,
    PATTERNS,
    PLACES,
    PREPARATIONS,
    PRESET,
    PROBABILITY,
    PROPOSER,
    QUORUM,
    RESULTS,
    REWRITES,
    SEARCH,
    SIZE,
    STRATEGY,
    SWITCH,
    TESTS,
    TEXT,
    TIME,
    TRAVERSAL,
    USER,
    AnyPath,
    AnySource,
    Option,
    whole,
)

if TYPE_CHECKING:
    from marrow.engine.events import Event
    from marrow.engine.executors.quorum import Quorum
    from marrow.engine.search.dispatcher import Goal
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import Grammar
    from marrow.learn.model import Model
    from marrow.reducers.algorithms.hoist import Compatibility, Hoisting
    from marrow.reducers.algorithms.prepare import Preparation
    from marrow.reducers.algorithms.settings import NormalForm, Settings
    from marrow.reducers.algorithms.traversal import Traversal
    from marrow.reducers.passes.proposals import Proposer
    from marrow.reducers.passes.templates import Rewrite

# fmt: off


class StrategyOptions(TypedDict, total=False):
    """What is tried, and in which order."""

    algorithm: Annotated[str | None, Option(ALGORITHM, STRATEGY, SEARCH, metavar="NAME")]
    passes: Annotated[str | None, Option(PASSES, STRATEGY, SEARCH, metavar="NAMES")]
    effort: Annotated[str, Option(EFFORT, STRATEGY, SEARCH)]
    keep_names: Annotated[bool, Option(FLAG, STRATEGY, SEARCH)]
    keep_layout: Annotated[bool, Option(FLAG, STRATEGY, SEARCH)]
    one_file: Annotated[bool | None, Option(SWITCH, STRATEGY, SEARCH)]
    pair: Annotated[Sequence[tuple[str, str] | str], Option(
        PAIR, STRATEGY, CALL, multiple=True, metavar="FILE=FILE")]
    rewrites: Annotated["AnyPath | Sequence[Rewrite]", Option(
        REWRITES, STRATEGY, USER, default=(), advanced=True)]
    propose: Annotated["Proposer | str | None", Option(
        PROPOSER, STRATEGY, USER, metavar="COMMAND", advanced=True)]
    settings: Annotated["Settings | None", Option(ANYTHING, ALGORITHMS, CALL, flags=())]


class SettingOptions(TypedDict, total=False):
    """Settings of single algorithms. One that is not given leaves the preset alone."""

    preset: Annotated[str | None, Option(PRESET, ALGORITHMS, SEARCH)]
    hoist: Annotated["Hoisting | str | None", Option(HOISTING, ALGORITHMS, SEARCH)]
    traversal: Annotated["Traversal | str | None", Option(TRAVERSAL, ALGORITHMS, SEARCH)]
    compatible: Annotated["Compatibility | str | None", Option(COMPATIBILITY, ALGORITHMS, SEARCH)]
    hoist_filtered: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    prepare: Annotated["Sequence[Preparation] | str | None", Option(
        PREPARATIONS, ALGORITHMS, SEARCH)]
    normal_form: Annotated["NormalForm | str | None", Option(NORMAL_FORM, ALGORITHMS, SEARCH)]
    bound: Annotated[int | None, Option(whole(0), ALGORITHMS, SEARCH)]
    list_minimizer: Annotated[str | None, Option(LIST_MINIMIZER, ALGORITHMS, SEARCH)]
    split: Annotated[int | None, Option(whole(2), ALGORITHMS, SEARCH)]
    subsets: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    backwards: Annotated[bool | None, Option(
        SWITCH, ALGORITHMS, SEARCH, flags=("--backwards/--forwards",))]
    restart: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    weighted: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    clean_up: Annotated[str | None, Option(CLEAN_UP, ALGORITHMS, SEARCH)]
    model: Annotated["Model | AnyPath | None", Option(MODEL, ALGORITHMS, USER)]
    objective: Annotated[str | None, Option(OBJECTIVE, STRATEGY, SEARCH)]
    online: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    initial_belief: Annotated[float | None, Option(PROBABILITY, ALGORITHMS, SEARCH)]
    plain_types: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]
    seed: Annotated[int | None, Option(NUMBER, ALGORITHMS, SEARCH)]
    once: Annotated[bool | None, Option(SWITCH, ALGORITHMS, SEARCH)]


class GrammarOptions(TypedDict, total=False):
    """How a grammar is read, and the texts by it."""

    assume: Annotated[Sequence[str], Option(
        TEXT, INPUTS, SEARCH, metavar="NAME=true|false", multiple=True, advanced=True)]
    encoding: Annotated[str | None, Option(TEXT, INPUTS, SEARCH, metavar="NAME", advanced=True)]


class LanguageOptions(GrammarOptions, total=False):
    """The language of an input."""

    language: Annotated[str | None, Option(LANGUAGE, FIRST, SEARCH, short="-l", metavar="L")]
    grammar: Annotated["Language | Grammar | AnyPath | None", Option(
        GRAMMAR, FIRST, USER, metavar="FILE")]
    start: Annotated[str | None, Option(TEXT, INPUTS, SEARCH, metavar="RULE", advanced=True)]
    name: Annotated[str | None, Option(TEXT, INPUTS, CALL, metavar="FILE", advanced=True)]


class CommandOptions(TypedDict, total=False):
    """How a test is run."""

    shell: Annotated[str | None, Option(TEXT, TESTS, CALL, metavar="COMMAND")]
    memory: Annotated[int | str | None, Option(SIZE, TESTS, SEARCH, advanced=True)]
    sandbox: Annotated[bool, Option(FLAG, FIRST, USER)]
    env: Annotated[Sequence[str], Option(TEXT, TESTS, USER, metavar="NAME", multiple=True)]
    sandbox_home: Annotated[Sequence[AnyPath], Option(PATH, TESTS, USER, multiple=True)]


class TestOptions(CommandOptions, total=False):
    """A test, and how it is run."""

    timeout: Annotated[float | str | None, Option(TIME, FIRST, SEARCH)]


class UnresolvedOptions(TypedDict, total=False):
    """Which inputs are not valid."""

    unresolved_if: Annotated[str | None, Option(TEXT, TESTS, CALL, metavar="COMMAND")]


class FlakyOptions(TypedDict, total=False):
    """How far a test is trusted."""

    flaky: Annotated["Quorum | str | None", Option(
        QUORUM, FIRST, SEARCH, identity="quorum (--flaky)")]
    allow_empty: Annotated[bool, Option(FLAG, TESTS, SEARCH, advanced=True)]


class FailureOptions(TypedDict, total=False):
    """The failure of a command that is given instead of a test."""

    command: Annotated[Sequence[str] | Sequence[Sequence[str]] | None, Option(
        ANYTHING, FAILURE, CALL, flags=())]
    keep_exit: Annotated[bool, Option(FLAG, FAILURE, SEARCH)]
    keep_stderr: Annotated[Sequence[str], Option(EXPRESSION, FAILURE, SEARCH, multiple=True)]
    keep_stdout: Annotated[Sequence[str], Option(EXPRESSION, FAILURE, SEARCH, multiple=True)]
    only_stderr: Annotated[Sequence[str], Option(EXPRESSION, FAILURE, SEARCH, multiple=True)]
    only_stdout: Annotated[Sequence[str], Option(EXPRESSION, FAILURE, SEARCH, multiple=True)]
    forbid: Annotated[Sequence[str], Option(
        EXPRESSION, FAILURE, SEARCH, flags=("--not",), multiple=True)]
    differ: Annotated[bool, Option(FLAG, FAILURE, CALL)]
    guard: Annotated[Sequence[str], Option(TEXT, FAILURE, USER, metavar="COMMAND", multiple=True)]
    signature: Annotated[AnyPath | None, Option(PATH, FAILURE, CALL, metavar="FILE")]
    allow_new_errors: Annotated[bool, Option(FLAG, FAILURE, SEARCH)]
    shrink_command: Annotated[bool, Option(FLAG, FAILURE, CALL)]
    also: Annotated[AnyPath | None, Option(PATH, FAILURE, CALL, metavar="DIR")]
    slower_than: Annotated[float | str | None, Option(TIME, FAILURE, SEARCH)]
    more_memory_than: Annotated[int | str | None, Option(SIZE, FAILURE, SEARCH)]
    output_larger_than: Annotated[int | str | None, Option(SIZE, FAILURE, SEARCH)]
    baseline: Annotated[str | None, Option(TEXT, FAILURE, USER, metavar="COMMAND")]
    write_test: Annotated[AnyPath | None, Option(PATH, FAILURE, CALL, metavar="FILE")]


class PlaceOptions(TypedDict, total=False):
    """Where tests run."""

    jobs: Annotated[int | None, Option(JOBS, FIRST, SEARCH, short="-j")]
    workers: Annotated[int | None, Option(whole(1), PLACES, SEARCH, flags=(), alias="jobs")]
    executor: Annotated["Pool | str | None", Option(
        EXECUTOR, PLACES, USER, metavar="NAME", advanced=True)]
    scheduler: Annotated[str | None, Option(TEXT, PLACES, USER, metavar="ADDRESS", advanced=True)]
    ship: Annotated[Sequence[AnyPath], Option(PATH, PLACES, USER, multiple=True, advanced=True)]


class LimitOptions(TypedDict, total=False):
    """When to stop."""

    max_time: Annotated[float | str | None, Option(TIME, FIRST, SEARCH, limit="seconds")]
    max_seconds: Annotated[float | None, Option(TIME, LIMITS, SEARCH, flags=(), alias="max_time")]


class KeepingOptions(TypedDict, total=False):
    """What a run records."""

    resume: Annotated[bool, Option(FLAG, FIRST, CALL, keyword=False)]
    journal: Annotated[AnyPath | None, Option(PATH, RESULTS, CALL, metavar="FILE", advanced=True)]
    no_journal: Annotated[bool, Option(FLAG, RESULTS, USER, advanced=True, keyword=False)]
    report: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, metavar="OUT")]
    on_event: Annotated["Callable[[Event], None] | None", Option(ANYTHING, RESULTS, CALL, flags=())]


class EventOptions(TypedDict, total=False):
    """What programs that watch a run are told."""

    events: Annotated[str | None, Option(
        TEXT, RESULTS, CALL, metavar="FILE|N", keyword=False, advanced=True)]
    event_texts: Annotated[bool, Option(FLAG, RESULTS, CALL, keyword=False, advanced=True)]


class ResultOptions(TypedDict, total=False):
    """When a reduced input is good enough, and where it goes."""

    max_tests: Annotated[int | None, Option(COUNT, LIMITS, SEARCH, limit="tests")]
    stop_at: Annotated["Goal | str | None", Option(GOAL, FIRST, SEARCH, limit="goal")]
    output: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, short="-o", metavar="OUT")]


class OverwriteOptions(TypedDict, total=False):
    """What may be written over."""

    force: Annotated[bool, Option(FLAG, RESULTS, CALL)]


class ConfigOptions(TypedDict, total=False):
    """Which configuration files are read."""

    no_config: Annotated[bool, Option(FLAG, RESULTS, CALL, advanced=True, keyword=False)]
    trust_config: Annotated[bool, Option(FLAG, RESULTS, CALL, advanced=True, keyword=False)]


class SayOptions(TypedDict, total=False):
    """What a command prints."""

    quiet: Annotated[bool, Option(FLAG, FIRST, SEARCH, short="-q", keyword=False)]
    as_json: Annotated[bool, Option(FLAG, FIRST, SEARCH, flags=("--json",), keyword=False)]
    verbose: Annotated[int, Option(
        NUMBER, FIRST, SEARCH, default=0, short="-v", counted=True, keyword=False)]


class ReduceOptions(
    LanguageOptions, TestOptions, FlakyOptions, FailureOptions, PlaceOptions, LimitOptions,
    ResultOptions, KeepingOptions, EventOptions, OverwriteOptions, SayOptions, ConfigOptions,
    StrategyOptions, SettingOptions, total=False,
):
    """The options of `marrow reduce` and `marrow.reduce`."""

    diff: Annotated[AnySource | None, Option(ANYTHING, INPUTS, CALL, metavar="GOOD")]
    bug_report: Annotated[AnyPath | None, Option(PATH, RESULTS, CALL, metavar="OUT")]
    live: Annotated[bool, Option(FLAG, FIRST, USER)]
    layout: Annotated[str | None, Option(LAYOUT, RESULTS, SEARCH)]
    formatter: Annotated[str | None, Option(TEXT, RESULTS, USER, metavar="COMMAND")]
    in_place: Annotated[bool, Option(FLAG, FIRST, CALL)]
    explain: Annotated[bool, Option(FLAG, PATTERNS, SEARCH)]
    contrast: Annotated[bool, Option(FLAG, PATTERNS, SEARCH)]
    anonymize: Annotated[bool, Option(FLAG, RESULTS, SEARCH)]
    keep_lines: Annotated[Sequence[str], Option(LINES, INPUTS, SEARCH, multiple=True)]
    keep: Annotated[Sequence[str], Option(TEXT, INPUTS, SEARCH, metavar="GLOB", multiple=True)]


class SessionOptions(
    LanguageOptions, LimitOptions, ResultOptions, KeepingOptions, StrategyOptions, SettingOptions,
    total=False,
):
    """The options of `marrow.Session` and `marrow.testing.shrink`, whose caller runs the test."""


class AbstractOptions(
    LanguageOptions, TestOptions, UnresolvedOptions, FlakyOptions, FailureOptions, PlaceOptions,
    LimitOptions, KeepingOptions, EventOptions, OverwriteOptions, SayOptions, ConfigOptions,
    total=False,
):
    """The options of `marrow abstract` and `marrow.abstract`."""

    output: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, short="-o", metavar="OUT")]
    corpus: Annotated[AnyPath | None, Option(PATH, PATTERNS, CALL, metavar="DIR")]
    max_tests: Annotated[int | None, Option(
        COUNT, LIMITS, SEARCH, flags=("--budget", "--max-tests"), metavar="TESTS", limit="tests")]
    reducer: Annotated[str | None, Option(
        ALGORITHM, PATTERNS, SEARCH, flags=("--algorithm",), metavar="NAME")]
    no_reduce: Annotated[bool, Option(FLAG, PATTERNS, SEARCH)]
    checks: Annotated[int, Option(COUNT, PATTERNS, SEARCH, default=100)]
    naive: Annotated[bool, Option(FLAG, PATTERNS, SEARCH)]
    seed: Annotated[int, Option(NUMBER, PATTERNS, SEARCH, default=0)]


class TriageOptions(
    LanguageOptions, CommandOptions, PlaceOptions, LimitOptions, EventOptions, SayOptions,
    ConfigOptions, total=False,
):
    """The options of `marrow triage` and `marrow.triage`."""

    command: Annotated[Sequence[str] | None, Option(ANYTHING, FAILURE, CALL, flags=())]
    forbid: Annotated[Sequence[str], Option(
        EXPRESSION, FAILURE, SEARCH, flags=("--not",), multiple=True)]
    timeout: Annotated[float | str, Option(TIME, FIRST, SEARCH, default=5.0)]
    output: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, short="-o", metavar="DIR")]
    known: Annotated[Sequence[AnyPath], Option(PATH, FIRST, USER, metavar="DIR", multiple=True)]
    reduce: Annotated[int, Option(whole(1), FIRST, SEARCH, metavar="N", default=1)]
    overrules: Annotated[AnyPath | None, Option(PATH, RESULTS, USER, metavar="FILE")]
    strict: Annotated[bool, Option(FLAG, FIRST, SEARCH)]
    loose: Annotated[bool, Option(FLAG, FIRST, SEARCH)]
    effort: Annotated[str, Option(EFFORT, STRATEGY, SEARCH)]
    anew: Annotated[bool, Option(FLAG, RESULTS, CALL)]
    on_progress: Annotated["Callable[[Any], None] | None", Option(
        ANYTHING, RESULTS, CALL, flags=())]
    on_event: Annotated["Callable[[Event], None] | None", Option(ANYTHING, RESULTS, CALL, flags=())]


class ProduceOptions(
    TestOptions, UnresolvedOptions, PlaceOptions, OverwriteOptions, SayOptions, ConfigOptions,
    total=False,
):
    """The options of `marrow produce`."""

    number: Annotated[int, Option(COUNT, FIRST, SEARCH, short="-n", default=10)]
    output: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, short="-o", metavar="DIR")]
    verify: Annotated[str | None, Option(TEXT, FIRST, CALL, metavar="TEST")]
    suffix: Annotated[str | None, Option(TEXT, FIRST, USER, metavar="S")]
    seed: Annotated[int, Option(NUMBER, FIRST, SEARCH, default=0)]


class TrainOptions(GrammarOptions, OverwriteOptions, ConfigOptions, total=False):
    """The options of `marrow train`."""

    language: Annotated[str, Option(LANGUAGE, FIRST, CALL, short="-l", metavar="L", required=True)]
    grammar: Annotated[AnyPath | None, Option(GRAMMAR, FIRST, CALL, metavar="FILE")]
    start: Annotated[str | None, Option(TEXT, FIRST, CALL, metavar="RULE")]
    corpus: Annotated[Sequence[AnyPath], Option(PATH, FIRST, CALL, multiple=True, required=True)]
    check: Annotated[str, Option(TEXT, FIRST, CALL, metavar="COMMAND", required=True)]
    output: Annotated[AnyPath, Option(
        PATH, FIRST, CALL, short="-o", metavar="MODEL", required=True)]
    jobs: Annotated[int | None, Option(JOBS, FIRST, SEARCH, short="-j")]
    tokens: Annotated[int, Option(COUNT, FIRST, SEARCH, default=3)]
    max_tests: Annotated[int, Option(COUNT, FIRST, SEARCH, default=20000)]
    task_tests: Annotated[int, Option(COUNT, FIRST, SEARCH, default=1000)]
    max_time: Annotated[float | str | None, Option(TIME, FIRST, SEARCH)]
    max_file_size: Annotated[int | str, Option(SIZE, FIRST, SEARCH, default=64 << 10)]
    timeout: Annotated[float | str, Option(TIME, FIRST, SEARCH, default=10.0)]
    memory: Annotated[int | str | None, Option(SIZE, FIRST, SEARCH)]
    seed: Annotated[int, Option(NUMBER, FIRST, SEARCH, default=0)]
    note: Annotated[str, Option(TEXT, FIRST, SEARCH, default="")]
    log: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, metavar="FILE")]
    resume: Annotated[bool, Option(FLAG, FIRST, CALL)]
    quiet: Annotated[bool, Option(FLAG, FIRST, SEARCH, short="-q")]


class ReportOptions(OverwriteOptions, total=False):
    """The options of `marrow report`."""

    output: Annotated[AnyPath | None, Option(PATH, FIRST, CALL, short="-o", metavar="OUT")]


#: The options of the commands that make runs. Each is also a table in the configuration file.
COMMAND_OPTIONS: Final[dict[str, type]] = {
    "reduce": ReduceOptions,
    "abstract": AbstractOptions,
    "produce": ProduceOptions,
    "train": TrainOptions,
    "triage": TriageOptions,
}
