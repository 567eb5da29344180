"""The search for a pattern from start to end: reduce the input, then abstract it (DDSET)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from marrow.abstraction.ddset import DDSet, DDSetOptions
from marrow.abstraction.pattern import Counts, Pattern
from marrow.engine.executors.quorum import Runs
from marrow.engine.search.limits import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.run.reduction import Ending
from marrow.run.run import Run


@dataclass(frozen=True, slots=True)
class Abstracted:
    """A pattern, and how the search for it ended."""

    pattern: Pattern
    ending: Ending


def find_pattern(run: Run) -> Abstracted:
    """Reduce the input, if the plan has a strategy, and look for its pattern.

    Raises `ParseError` if the input does not match the grammar. When a limit is reached, or on
    Ctrl-C, the pattern so far comes back; it says so.
    """
    plan, sampling = run.plan, run.plan.sampling
    assert sampling is not None
    language = sampling.language
    reduced = plan.source.text
    tree = language.parse(reduced)
    options = DDSetOptions(sampling.checks, sampling.seed, sampling.naive)
    counts, left = Counts(), plan.limits
    if plan.strategy is not None:
        result = run.reduction.run()
        reduced = result.text
        counts = Counts(result.tests, result.tests, result.cached)
        left = _left(plan.limits, run.reduction.scheduler.counts.needed, result.seconds)
        if result.stopped is not None:
            tester = SampleTester(run.executor, run.journal, run.listen)
            pattern = DDSet(reduced, language, tester, options).nothing()
            pattern = replace(pattern, counts=counts, stopped=result.stopped)
            return Abstracted(pattern, result.ending)
    runs = Runs(run.executor, plan.quorum)
    tester = SampleTester(runs.executor, run.journal, run.listen, left)
    search = DDSet(reduced, language, tester, options, whole=tree)
    pattern = search.run()
    ending = Ending.FINISHED
    if pattern.stopped:
        ending = Ending.INTERRUPTED if search.interrupted else Ending.LIMIT
    counts = Counts(
        counts.tests + runs.count(tester.counts.tests),
        counts.reduction,
        counts.cached + tester.counts.cached,
    )
    return Abstracted(replace(pattern, counts=counts), ending)


def _left(limits: Limits, tests: int, seconds: float) -> Limits:
    """Return what is left of the limits for the samples."""
    return Limits(
        None if limits.tests is None else max(0, limits.tests - tests),
        None if limits.seconds is None else max(0.0, limits.seconds - seconds),
    )
