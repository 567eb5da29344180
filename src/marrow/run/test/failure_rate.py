"""How often a test is interesting on the same input, and whether that depends on something else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from marrow.engine.events import Listener, PhaseAdvanced, ignore
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.quorum import Reliability, evidence_of_change
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.test.unfit_test import FlakyTestError

# A test that wavers is run until it was interesting this often, and this often in all: the rate of
# the input is then known to about a quarter.
_SUCCESSES: Final = 16
_LEAST_RUNS: Final = 20

#: A rarer failure is not reduced: every candidate that does not fail would take 270 runs.
LEAST_RATE: Final = 0.01

# How sure it must be that the rate changed while the test was run on the same input: the evidence
# of 1 in 160,000, as the place of the change is looked for, too.
_CHANGED: Final = 12.0

# Where a test is interesting at first and then never again, chance would have put these runs at any
# other places: they are one of this many ways.
_NEVER_AGAIN: Final = 100


class OneAtATime:
    """An executor whose tests disturb each other: it has one worker."""

    workers: Final = 1

    def __init__(self, single: Executor) -> None:
        self._single: Final = single
        self.allow: Final = single.allow
        self.submit: Final = single.submit
        self.close: Final = single.close


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """The runs on the input that tell its rate, the number of all runs, and notes for a person.

    `alone` says that the test is steady as long as one runs at a time.
    """

    outcomes: list[Outcome]
    runs: int
    notes: tuple[str, ...]
    alone: bool = False


def measured_rate(
    executor: Executor, text: bytes, outcomes: list[Outcome], listener: Listener
) -> MeasuredRate:
    """Run a test that wavers until its rate is known; `outcomes` are the first runs.

    Raises `FlakyTestError` where there is none to rely on.
    """
    notes = []
    count = len(outcomes)
    if executor.workers > 1:
        apart = [outcome_of(executor.submit(text, capture=True)) for _ in range(_LEAST_RUNS)]
        raise_failure(apart)
        count += len(apart)
        steady = seen_in(apart).interesting == len(apart)
        if steady or evidence_of_change(seen_in(outcomes), seen_in(apart)) > _CHANGED / 3:
            notes.append(
                f"tests that run at once disturb each other: {seen_in(outcomes).counted()} "
                f"together, {seen_in(apart).counted()} one by one"
                + ("; from now on one runs at a time, as with ⟦jobs 1⟧" if steady else "")
            )
        if steady:
            return MeasuredRate(apart, count, tuple(notes), alone=True)
        outcomes = apart
    while True:
        seen = seen_in(outcomes)
        if change := changed_rate(outcomes):
            before, after = change
            notes.append(
                f"the test changes over time, or with the number of runs: {before.counted()} "
                f"first, then in {after.interesting:,} of {after.runs:,}"
            )
            if after.interesting == 0:
                raise FlakyTestError(notes[-1], outcomes)
            outcomes = outcomes[before.runs :]
            continue
        if seen.interesting >= _SUCCESSES and seen.runs >= _LEAST_RUNS:
            break
        if seen.runs * LEAST_RATE >= _SUCCESSES:
            raise FlakyTestError(
                f"the test is too flaky: {seen.counted()} on the same input, and marrow reduces "
                f"failures that show in {LEAST_RATE:.0%} of all or more",
                outcomes,
            )
        more = several(executor, text, min(_LEAST_RUNS, seen.runs))
        raise_failure(more)
        outcomes, count = outcomes + more, count + len(more)
        listener(PhaseAdvanced(min(1.0, seen_in(outcomes).interesting / _SUCCESSES)))
    if alternates(outcomes):
        notes.append(
            "the verdict depends on the run before: the test keeps something from run to run (a "
            "file, a cache, a port)"
        )
    return MeasuredRate(outcomes, count, tuple(notes))


def changed_rate(outcomes: list[Outcome]) -> tuple[Reliability, Reliability] | None:
    """Return the runs before and after a change of the rate, if there was one for certain."""
    yes = seen_in(outcomes).interesting
    if yes == seen_in(outcomes[:yes]).interesting and math.comb(len(outcomes), yes) > _NEVER_AGAIN:
        return seen_in(outcomes[:yes]), seen_in(outcomes[yes:])
    best, evidence = None, _CHANGED
    for at in range(1, len(outcomes)):
        parts = seen_in(outcomes[:at]), seen_in(outcomes[at:])
        if (now := evidence_of_change(*parts)) > evidence:
            best, evidence = parts, now
    return best


def alternates(outcomes: list[Outcome]) -> bool:
    """Whether runs follow each other too regularly for chance.

    The test of Wald and Wolfowitz (1940), at three standard deviations.
    """
    seen = seen_in(outcomes)
    verdicts = [one.verdict is Verdict.INTERESTING for one in outcomes]
    changes = sum(one != other for one, other in pairwise(verdicts))
    yes, no, runs = seen.interesting, seen.runs - seen.interesting, seen.runs
    expected = 2 * yes * no / runs
    variance = expected * (2 * yes * no - runs) / (runs * (runs - 1))
    return variance > 0.0 and changes - expected > 3.0 * math.sqrt(variance)


def several(
    executor: Executor, text: bytes, runs: int, listener: Listener = ignore
) -> list[Outcome]:
    """Run the test several times on the same text, and tell a listener how far that is."""
    jobs = [executor.submit(text, capture=True) for _ in range(runs)]
    outcomes = []
    for job in jobs:
        outcomes.append(outcome_of(job))
        listener(PhaseAdvanced(len(outcomes) / runs))
    return outcomes


def seen_in(outcomes: list[Outcome]) -> Reliability:
    """Return how many of some runs were interesting."""
    yes = sum(one.verdict is Verdict.INTERESTING for one in outcomes)
    return Reliability(yes, len(outcomes))


def raise_failure(outcomes: list[Outcome]) -> None:
    """Raise `TestFailureError` if a run could not be made."""
    broken = next((one for one in outcomes if one.verdict is Verdict.ERROR), None)
    if broken is not None:
        raise TestFailureError(broken.message)
