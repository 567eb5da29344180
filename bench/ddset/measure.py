"""What is measured of a failure's pattern: tests, produced inputs, near samples, steadiness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

from bench.ddset.failure import Failure
from bench.ddset.verdicts import RememberingExecutor
from marrow.abstraction.ddset import CHECKS
from marrow.abstraction.pattern import Mark, Pattern, compact, segments
from marrow.abstraction.producer import Producer, Verified, verify
from marrow.abstraction.sampling import Sampler
from marrow.abstraction.visibility import PatternLanguage, fragments_of
from marrow.engine.events import Answer, Event, SampleTested
from marrow.engine.journal.journal import Journal
from marrow.engine.search.limits import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.pipeline.algorithm_table import DEFAULT_ALGORITHM, algorithm_of
from marrow.reducers.pipeline.strategy import Strategy
from marrow.run.pattern_search import find_pattern
from marrow.run.plan.chosen_view import language_of_view, view_by_language
from marrow.run.plan.input import text_input
from marrow.run.plan.plan import Plan, Sampling
from marrow.run.run import Run
from marrow.run.test.check_test import check_test
from marrow.session import answered_by_the_caller
from marrow.syntax.views import view_of

#: Seconds by the clock for a test. The tests limit the time of the processor themselves: only one
#: that waits for something takes as long, on a busy machine too.
TIMEOUT: Final = 60.0

#: The confidence of a lower bound.
_CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern and the tests that it took."""

    pattern: Pattern
    tests: int


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured of a failure's pattern: inputs that it produces, and those near it."""

    failure: Failure
    found: Found
    produced: Verified
    near: Verified

    @property
    def pattern(self) -> Pattern:
        """The pattern."""
        return self.found.pattern


def measure(failure: Failure, *, number: int, jobs: int) -> Measured:
    """Find a failure's pattern with the first seed; produce and test inputs of it."""
    executor = RememberingExecutor(failure, jobs)
    try:
        check_test(executor, failure.text.encode(), timeout=TIMEOUT)
        found = _search(failure, executor, 0)
        pattern = found.pattern
        judge = SampleTester(executor, Journal.in_memory())
        produced = verify(Producer(pattern, 0).inputs(number), judge)
        sampler = Sampler.of(pattern, fragments_of(pattern.language, pattern.tree), 0)
        holes = pattern.holes()
        samples = [one for hole in holes for one in sampler.near(pattern.tree, hole, holes)]
        near = verify(samples, judge)
        return Measured(failure, found, produced, near)
    finally:
        executor.close()


def measure_seed(failure: Failure, seed: int, *, jobs: int) -> Found:
    """Find a failure's pattern with another seed."""
    executor = RememberingExecutor(failure, jobs)
    try:
        check_test(executor, failure.text.encode(), timeout=TIMEOUT)
        return _search(failure, executor, seed)
    finally:
        executor.close()


def measure_printed(failure: Failure, *, budget: int, jobs: int) -> Found:
    """Find a failure's pattern by the procedure as printed, with so many tests at most."""
    executor = RememberingExecutor(failure, jobs)
    try:
        check_test(executor, failure.text.encode(), timeout=TIMEOUT)
        return _search(failure, executor, 0, Limits(budget, None), naive=True)
    finally:
        executor.close()


def _search(
    failure: Failure,
    executor: RememberingExecutor,
    seed: int,
    limits: Limits | None = None,
    *,
    naive: bool = False,
) -> Found:
    needed = 0

    def count(event: Event) -> None:
        # Verdicts in the order of the stream: what runs ahead of its turn is not counted. The
        # procedure as printed has no cache: it runs a text again.
        nonlocal needed
        needed += isinstance(event, SampleTested) and (naive or event.answer is Answer.TEST)

    reduced = find_reduced(failure)
    plan = planned(reduced, failure, checks=CHECKS, seed=seed, naive=naive, limits=limits)
    with Run(plan, count, executor=executor, trusted=True) as run:
        return Found(find_pattern(run).pattern, needed)


@cache
def find_reduced(failure: Failure) -> bytes:
    """Reduce a failure's input, once for all searches."""
    executor = RememberingExecutor(failure)
    try:
        check_test(executor, failure.text.encode(), timeout=TIMEOUT)
        plan = planned(
            failure.text.encode(),
            failure,
            strategy=algorithm_of(DEFAULT_ALGORITHM),
        )
        with Run(plan, executor=executor, trusted=True) as run:
            return run.prepare_reduction().run().text
    finally:
        executor.close()


def planned(
    text: bytes,
    failure: Failure,
    *,
    strategy: Strategy | None = None,
    checks: int = 1,
    seed: int = 0,
    naive: bool = False,
    limits: Limits | None = None,
) -> Plan:
    """Return the plan of a search for the pattern of a failure."""
    source = text_input(text, failure.file)
    language: PatternLanguage
    if failure.grammar:
        grammar = Language.from_file(grammar_path(failure.grammar)).self_contained
        language, view = grammar, view_by_language(grammar, source)
    else:
        # Pieces come from the input before it was reduced.
        view = view_of(failure.file, text)
        language = language_of_view(failure.text.encode(), view)
    return Plan(
        source=source,
        test=answered_by_the_caller,
        view=view,
        strategy=strategy,
        sampling=Sampling(language, checks, seed, naive, language.parse(failure.text.encode())),
        limits=limits or Limits(),
        identity={},
    )


def form_of(pattern: Pattern) -> str:
    """Return the compact form without names: what varies, and what is the same."""
    return "".join(
        f"<{pattern.marks[one.place].group or ''}>" if one.place is not None else one.text
        for one in segments(pattern)
    )


def shown(pattern: Pattern) -> str:
    """Return the compact form for a table."""
    return f"`{' '.join(compact(pattern).split())}`".replace("|", "\\|")


def remaining(pattern: Pattern) -> int:
    """Return how many characters stay as they are."""
    kept = (Mark.CONCRETE, Mark.LEXICAL, Mark.UNKNOWN)
    return sum(len(one.text.strip()) for one in segments(pattern) if one.mark in kept)


def lower_bound(failing: int, valid: int) -> float:
    """Return the share of failing inputs that is likely at least (Clopper and Pearson, 95%)."""
    if not failing:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        above = sum(
            comb(valid, k) * share**k * (1 - share) ** (valid - k)
            for k in range(failing, valid + 1)
        )
        low, high = (low, share) if above > 1 - _CONFIDENCE else (share, high)
    return low
