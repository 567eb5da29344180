"""The search for a pattern from start to end: reduce the input, then abstract it (DDSET)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from marrow.abstraction.ddset import DDSet
from marrow.abstraction.pattern import Counts, Pattern
from marrow.base.deadline import Deadline, OutOfTimeError, within
from marrow.base.errors import InputError, error_text
from marrow.diagnostics.observation import Observation
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import digest
from marrow.engine.search.dispatcher import Limits
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.run.output.reporting import note_beginning
from marrow.run.output.result import Ending
from marrow.run.run import Run
from marrow.signature.validity import is_syntax_error

# How many seconds there are, after a run was stopped, to parse what it has come to.
_GRACE: Final = 1.0


def find_pattern(run: Run) -> tuple[Pattern, Ending]:
    """Reduce the input, if the plan has a strategy, and look for its pattern; say how that ended.

    Raises `ParseError` if the input does not match the grammar. When a limit is reached, or on
    Ctrl-C, the pattern so far comes back; it says so. Raises `InputError` where the time did not
    suffice to parse what there is a pattern of.
    """
    plan, sampling = run.plan, run.plan.sampling
    assert sampling is not None
    language, whole = sampling.language, sampling.whole
    note_beginning(run, "abstract", whole.token_count)
    reduced = plan.source.text
    counts, left, asked = Counts(), plan.limits, set[bytes]()
    if plan.strategy is not None:
        reduction = run.prepare_reduction()
        result = reduction.run()
        reduced = result.text
        counts = Counts(result.asked, result.asked, result.cached)
        asked = reduction.scheduler.asked_now
        seconds = plan.limits.seconds
        left = Limits(  # for the samples
            plan.limits.tests,
            None if seconds is None else max(0.0, seconds - result.seconds),
            spent=reduction.scheduler.counts.needed,
        )
        if result.stopped is not None:
            tester = SampleTester(run.executor, run.journal, run.listen)
            with _in_time(Deadline(_GRACE), interrupted=result.ending is Ending.INTERRUPTED):
                pattern = DDSet(reduced, language, tester, sampling.options).nothing()
            pattern = replace(pattern, counts=counts, stopped=result.stopped)
            return pattern, result.ending
    runs = Runs(run.executor, run.rule)
    deadline = Deadline(left.seconds)
    tester = SampleTester(runs.executor, run.journal, run.listen, left, deadline)
    with _in_time(deadline):
        search = DDSet(reduced, language, tester, sampling.options, whole=whole)
        pattern = search.run()
    ending = Ending.FINISHED
    if pattern.stopped:
        ending = Ending.INTERRUPTED if search.interrupted else Ending.LIMIT
    counts = Counts(
        len(asked | tester.asked_now),
        counts.reduction,
        counts.cached + tester.counts.cached,
    )
    origin = digest(plan.source.text).hex()
    return replace(pattern, counts=counts, origin=origin), ending


@contextlib.contextmanager
def _in_time(deadline: Deadline, *, interrupted: bool = False) -> Iterator[None]:
    """Look at the clock inside the block; say so if the time does not suffice."""
    try:
        with within(deadline):
            yield
    except OutOfTimeError as error:
        if interrupted:
            raise KeyboardInterrupt from error
        raise InputError(error_text("no_time_for_a_pattern")) from error


#: How many examples are shown, and how many samples are run again to find some: a test that says
#: nothing about the first few says nothing about others.
_EXAMPLES: Final = 2
_MOST_RUNS: Final = 6


@dataclass(frozen=True, slots=True)
class UnvaryingSamples:
    """Samples that passed, though none was called invalid; the tool `refused` these, if set."""

    examples: tuple[bytes, ...]
    refused: bool


def validity_warning(pattern: Pattern, executor: Executor, name: str) -> UnvaryingSamples | None:
    """Return examples, if nothing varies and the test never said that a sample is not valid."""
    evidence = [marked.evidence for marked in pattern.marks.values()]
    if pattern.holes() or pattern.stopped or any(one.unresolved for one in evidence):
        return None
    passing = [one.counterexample for one in evidence if one.counterexample is not None]
    # What is empty, or blank, is not an example of anything.
    texts = sorted({text for text in passing if text.strip()}, key=lambda text: (len(text), text))
    if not texts:
        return None
    refused = []
    for text in texts[:_MOST_RUNS]:
        ended = executor.submit(text, capture=True).future.result()
        seen = Observation(1, stderr=ended.output)
        # The tool prints a syntax error.
        if ended.verdict is Verdict.NOT_INTERESTING and is_syntax_error(seen, text, name):
            refused.append(text)
    return UnvaryingSamples(tuple(refused or texts)[:_EXAMPLES], bool(refused))
