"""DDSET: Tables 1 and 2, as published and as marrow has it.

The subjects are the failures of `bench.ddset` with a grammar that ships. "Visible" is counted as
the paper's figures show: every occurrence of a nonterminal that is seen, those of a group too
(`closure 2842` has 6 visible ones, and 3+3 context-sensitive references). Executions are those of
reduction and abstraction together; a text that was tested before is not run again and not counted.
"""

from __future__ import annotations

import json
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import marrow
from bench.cases.case import CACHE
from bench.ddset.failures import FAILURES, Failure
from bench.papers.measure import rows
from bench.runs import code_version
from marrow.abstraction.ddset import DDSetOptions
from marrow.abstraction.pattern import Mark, Pattern, segments
from marrow.abstraction.producer import Producer, verify
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.pipeline.algorithm_table import DEFAULT_ALGORITHM, algorithm_of
from marrow.run.pattern_search import find_pattern
from marrow.run.plan.chosen_view import view_by_language
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan, Sampling
from marrow.run.run import Run
from marrow.run.test.check_test import check_test
from marrow.run.test.unfit_test import NotInterestingError
from marrow.session import answered_by_the_caller

#: The procedure as printed is stopped after so many executions; the paper's bugs took 3,976 in the
#: mean.
BUDGET: Final = 5_000

#: The samples of each node.
CHECKS: Final = 100

#: How many inputs are produced for Table 2, as in the paper's checks.
PRODUCED: Final = 100

#: Seconds by the clock for a test. The tests limit the time of the processor themselves.
_TIMEOUT: Final = 60.0

_RUNS: Final = CACHE / "papers" / "ddset.jsonl"

PRINTED_1: Final = (
    "The paper's 22 bugs, in the mean: 47 characters after minimising, 2.6 visible and 18.2 "
    "invisible nonterminals, nine bugs with context-sensitive ones, 14.5 characters left, 3,976 "
    "executions."
)
PRINTED_2: Final = (
    "The paper, on 22 bugs: 86.5% of the inputs produced are valid in the mean, 36% at worst; of "
    "those 99.9% fail."
)


@dataclass(frozen=True, slots=True)
class Row:
    """What a setting made of a failure."""

    characters: int
    visible: int
    invisible: int
    groups: Sequence[int]
    remaining: int
    executions: int
    stopped: bool
    produced: int
    valid: int
    failing: int

    @property
    def cells(self) -> list[str]:
        """The columns of Table 1."""
        groups = "+".join(map(str, self.groups)) or "0"
        executions = f"{self.executions:,}{'+' if self.stopped else ''}"
        return [
            *map(str, (self.characters, self.visible, self.invisible)),
            *(groups, str(self.remaining), executions),
        ]

    @property
    def shares(self) -> list[str]:
        """The columns of Table 2."""
        if not self.produced:
            return ["nothing varies", "-"]
        failing = f"{self.failing / self.valid:.0%}" if self.valid else "-"
        return [f"{self.valid / self.produced:.0%}", failing]


def subjects(names: str) -> list[Failure]:
    """Return the failures with a grammar: all (`small`), or those whose names begin so."""
    some = tuple(names.split(","))
    return [
        one
        for one in FAILURES
        if one.grammar and not one.missing() and ("small" in some or one.name.startswith(some))
    ]


def found(failure: Failure, *, naive: bool) -> Row | None:
    """Return what a setting makes of a failure, once for a version of the code."""
    key = f"{code_version(Path(marrow.__file__).parent)} {failure.name} naive={naive}"
    known = {}
    if _RUNS.exists():
        lines = [json.loads(line) for line in _RUNS.read_text().splitlines()]
        known = {line.pop("key"): line for line in lines}
    if key in known:
        return Row(**known[key])
    executor = CommandExecutor(failure.command(), failure.file, 2)
    try:
        check_test(executor, failure.text.encode(), timeout=_TIMEOUT)
        row = _row(failure, executor, naive=naive)
    except NotInterestingError:
        return None
    finally:
        executor.close()
    _RUNS.parent.mkdir(parents=True, exist_ok=True)
    with _RUNS.open("a") as file:
        file.write(json.dumps({"key": key, **asdict(row)}) + "\n")
    return row


def _row(failure: Failure, executor: CommandExecutor, *, naive: bool) -> Row:
    text = failure.text.encode()
    grammar = Language.from_file(grammar_path(failure.grammar)).self_contained
    source = text_input(text, failure.file)
    plan = Plan(
        source=source,
        test=answered_by_the_caller,
        view=view_by_language(grammar, source),
        strategy=algorithm_of("ddset" if naive else DEFAULT_ALGORITHM),
        sampling=Sampling(grammar, DDSetOptions(CHECKS, 0, naive), grammar.parse(text)),
        limits=Limits(BUDGET if naive else None, None),
        identity={},
    )
    with Run(plan, executor=executor, trusted=True) as run:
        pattern = find_pattern(run)[0]
    judge = SampleTester(executor, Journal.in_memory())
    said = verify(Producer(pattern, 0).inputs(PRODUCED), judge)
    return Row(
        len(pattern.tree.text.strip()),
        *visible_and_invisible(pattern),
        group_sizes(pattern),
        remaining(pattern),
        pattern.counts.tests,
        bool(pattern.stopped),
        len(said.verdicts),
        said.valid,
        said.failing,
    )


def remaining(pattern: Pattern) -> int:
    """Return how many characters stay as they are."""
    kept = (Mark.CONCRETE, Mark.LEXICAL, Mark.UNKNOWN)
    return sum(len(one.text.strip()) for one in segments(pattern) if one.mark in kept)


def visible_and_invisible(pattern: Pattern) -> tuple[int, int]:
    """Return how many nonterminals a reader sees, and how many vary without being seen."""
    seen = hidden = 0
    for hole in pattern.holes():
        if hole.marked.mark is Mark.INVISIBLE:
            hidden += 1
        else:
            seen += len(hole.places)
    return seen, hidden


def group_sizes(pattern: Pattern) -> list[int]:
    """Return the references of each context-sensitive nonterminal, the most first."""
    sizes = Counter(marked.group for marked in pattern.marks.values() if marked.group)
    return sorted(sizes.values(), reverse=True)


def _both(some: list[Failure]) -> list[tuple[str, Row, Row]]:
    made = []
    for one in some:
        printed = found(one, naive=True)
        ours = found(one, naive=False)
        if printed is not None and ours is not None:
            made.append((one.name, printed, ours))
    return made


def table_1(some: list[Failure]) -> str:
    """Table 1, the procedure as printed and marrow's."""
    columns = ["chars", "visible", "invisible", "context", "remaining", "executions"]
    made = _both(some)
    body = [[name, *printed.cells, *ours.cells] for name, printed, ours in made]
    ended = [pair for pair in made if not pair[1].stopped]
    means = ["mean of those that ended", *_means([one for _, one, _ in ended])]
    means += _means([one for _, _, one in ended])
    head = ["failure", *columns, *(f"marrow: {one}" for one in columns)]
    note = f"The procedure as printed is stopped after {BUDGET:,} executions (+): not in the means."
    return f"{rows(head, [*body, means])}\n\n{note} {PRINTED_1}"


def _means(some: list[Row]) -> list[str]:
    numbers = [(one.characters, one.visible, one.invisible) for one in some]
    first = [f"{statistics.mean(column):.1f}" for column in zip(*numbers, strict=True)]
    groups = sum(bool(one.groups) for one in some)
    left = statistics.mean(one.remaining for one in some)
    executions = statistics.mean(one.executions for one in some)
    return [*first, f"in {groups}", f"{left:.1f}", f"{executions:,.0f}"]


def table_2(some: list[Failure]) -> str:
    """Table 2: of the inputs produced, how many are valid, and how many of those fail."""
    made = _both(some)
    body = [[name, *printed.shares, *ours.shares] for name, printed, ours in made]
    means = ["all", *_shares([one for _, one, _ in made]), *_shares([one for _, _, one in made])]
    head = ["failure", "valid", "fail", "marrow: valid", "marrow: fail"]
    return f"{PRODUCED} inputs each.\n\n{rows(head, [*body, means])}\n\n{PRINTED_2}"


def _shares(some: list[Row]) -> list[str]:
    varied = [one for one in some if one.produced]
    valid = statistics.mean(one.valid / one.produced for one in varied) if varied else 0.0
    tried = sum(one.valid for one in varied)
    failing = sum(one.failing for one in varied) / tried if tried else 0.0
    return [f"{valid:.1%}", f"{failing:.1%}"]


def with_cases(names: str, make: Callable[[list[Failure]], str]) -> str:
    """Return what is made of failures."""
    return make(subjects(names))


TABLES: Final = {"table1": table_1, "table2": table_2}
