"""The checks before a run: does the test do for this input, and how long may a candidate take?

Where a test wavers, they find out how often it is interesting on the same input, and whether that
depends on something else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from marrow.base.errors import error_text
from marrow.engine.events import Listener, PhaseAdvanced, ignore
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.quorum import (
    Quorum,
    Reliability,
    SequentialTest,
    VoteRule,
    evidence_of_change,
)
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal, JournalError, digest
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.plan.plan import Plan
from marrow.run.test.unfit_test import (
    EmptyInterestingError,
    FlakyTestError,
    GoodInterestingError,
    NotInterestingError,
)

#: How often the test is run on the input before anything is changed. A test that is interesting in
#: 4 of 5 runs passes 3 runs in half of all cases; the last runs look again (`verify_result`).
FIRST_RUNS: Final = 3

# How long a test is run that is never interesting, in seconds: its failure may be a rare one. And
# how often at least and at most; a test that does not end in time is not run again.
_PATIENCE: Final = 2.0
_LEAST_NEVER: Final = 5
MOST_NEVER: Final = 300

# A candidate may take this many times as long as the slowest run on the input, but at least some
# seconds: smaller inputs are seldom slower, and a busy machine must not change a verdict.
_TIMEOUT_FACTOR: Final = 10.0
_LEAST_TIMEOUT: Final = 5.0


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


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of the first runs: how long they took, the limit for a candidate, how many.

    `empty` is the verdict on an empty input, where it was asked for; `seen` how often the test was
    interesting, where that need not be every time, and `rule` what then decides on candidates.
    `alone` says that tests disturb each other; `notes` what a person should know.
    """

    slowest: float
    timeout: float
    runs: int = 0
    empty: Verdict | None = None
    seen: Reliability | None = None
    rule: VoteRule | None = None
    alone: bool = False
    notes: tuple[str, ...] = ()


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
    """The runs that tell the rate of the input, how many in all, and whether each ran `alone`."""

    outcomes: list[Outcome]
    runs: int
    notes: tuple[str, ...]
    alone: bool = False


def measured_rate(
    executor: Executor, text: bytes, outcomes: list[Outcome], listener: Listener
) -> MeasuredRate:
    """Run a test that wavers until its rate is known; raise `FlakyTestError` if it has none."""
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
                error_text("too_flaky", seen=seen.counted(), least=LEAST_RATE),
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


def check_test(
    executor: Executor,
    text: bytes,
    *,
    timeout: float | None = None,
    allow_empty: bool = False,
    runs: int = FIRST_RUNS,
    quorum: Quorum | None = None,
    listener: Listener = ignore,
) -> Checked:
    """Run the test on the input several times, and on an empty one; set the time-out.

    With a quorum the test may be flaky, if a vote on the input would rather accept it than not.
    """
    if timeout is not None:
        executor.allow(timeout)
    rule: VoteRule | None = quorum
    notes: tuple[str, ...] = ()
    alone = False
    if quorum is None:
        outcomes = _first_runs(executor, text, runs, listener)
        runs = len(outcomes)
        if 0 < seen_in(outcomes).interesting < len(outcomes):
            found = measured_rate(executor, text, outcomes, listener)
            outcomes, runs, notes, alone = found.outcomes, found.runs, found.notes, found.alone
            if not alone:
                rule = SequentialTest(seen_in(outcomes))
    else:
        outcomes = judged(executor, text, quorum, (max(runs, quorum.runs),))
        raise_failure(outcomes)
        runs = len(outcomes)
    seen = seen_in(outcomes)
    if seen.interesting == 0:
        raise NotInterestingError(_never(seen, outcomes), outcomes)
    if quorum is not None and not quorum.holds(seen):
        raise FlakyTestError(
            f"the test is too flaky for {quorum}: {seen.counted()} on the same input", outcomes
        )
    slowest = max(one.seconds for one in outcomes if one.verdict is Verdict.INTERESTING)
    limit = timeout or max(_LEAST_TIMEOUT, _TIMEOUT_FACTOR * slowest)
    executor.allow(limit)
    checked = Checked(slowest, limit, runs, None, seen if rule else None, rule, alone, notes)
    if allow_empty:
        return checked
    votes = Runs(executor, rule)
    empty = outcome_of(votes.executor.submit(b"", capture=True))
    if empty.verdict is Verdict.ERROR:
        return checked  # a function may well expect more than nothing
    if empty.verdict is Verdict.INTERESTING:
        raise EmptyInterestingError("the test is interesting on an empty file too", [empty])
    runs += votes.count(1)
    # A verdict that rests on a time limit would have to be confirmed.
    return replace(checked, runs=runs, empty=None if empty.rests_on_time else empty.verdict)


def _first_runs(executor: Executor, text: bytes, runs: int, listener: Listener) -> list[Outcome]:
    """Run the test on the input: more often where it was never interesting."""
    outcomes = several(executor, text, runs, listener)
    slowest = max(one.seconds for one in outcomes)
    yes = seen_in(outcomes).interesting
    while yes == 0 and len(outcomes) < patient_runs(slowest) and not _late(outcomes):
        raise_failure(outcomes)
        more = min(len(outcomes), patient_runs(slowest) - len(outcomes))
        outcomes += several(executor, text, more, listener)
        yes = seen_in(outcomes).interesting
    raise_failure(outcomes)
    return outcomes


def patient_runs(seconds: float) -> int:
    """Return how often a test that takes this long is run before it counts as never interesting."""
    return min(MOST_NEVER, max(_LEAST_NEVER, int(_PATIENCE / max(seconds, 0.001))))


def _late(outcomes: list[Outcome]) -> bool:
    return all(one.verdict is Verdict.TIMEOUT for one in outcomes)


def _never(seen: Reliability, outcomes: list[Outcome]) -> str:
    """Say that the test was not interesting, and how rare a failure may have been missed."""
    said = "the test is not interesting on the input itself"
    if _late(outcomes):
        return said
    more = min(1000, 10 * seen.runs)
    return error_text("never_interesting", said=said, runs=seen.runs, share=seen.highest, more=more)


def judged(
    executor: Executor, text: bytes, quorum: Quorum, earlier: tuple[int, ...] = ()
) -> list[Outcome]:
    """Run the test until a vote seems to accept a text or not, perhaps after `earlier` runs too."""
    outcomes: list[Outcome] = []
    for runs in (*earlier, *quorum.stages):
        outcomes += several(executor, text, runs - len(outcomes))
        seen = seen_in(outcomes)
        never = seen.interesting == 0 and seen.runs >= quorum.stages[0]
        broken = any(one.verdict is Verdict.ERROR for one in outcomes)
        if broken or never or quorum.holds(seen):
            break
    return outcomes


def checked_before(executor: Executor, journal: Journal, timeout: float | None) -> Checked | None:
    """Return what the first runs of a run that is resumed showed; set the time-out."""
    slowest, limit = journal.fact("slowest"), journal.fact("timeout")
    if slowest is None or limit is None:
        return None
    try:
        checked = Checked(_seconds(slowest), timeout or _seconds(limit))
        if (rate := journal.fact("rate")) is not None:
            yes, runs = map(int, rate.split("/"))
            seen = Reliability(yes, runs)
            rule = SequentialTest(seen, strict=journal.fact("strict") == "yes")
            checked = replace(checked, seen=seen, rule=rule)
        checked = replace(checked, alone=journal.fact("one at a time") == "yes")
    except ValueError as error:
        raise JournalError(
            f"the journal {journal.path} cannot be used: {error}\n"
            "Remove it and start anew⟦, without --resume||⟧."
        ) from error
    executor.allow(checked.timeout)
    return checked


def _seconds(words: str) -> float:
    seconds = float(words)
    if not 0.0 <= seconds < math.inf:
        raise ValueError(f"{words!r} is not a time")
    return seconds


def note_rate(journal: Journal, rule: VoteRule | None) -> None:
    """Record the rate of the input, by which candidates are judged."""
    if isinstance(rule, SequentialTest):
        journal.note("rate", f"{rule.seen.interesting}/{rule.seen.runs}")


def record_check(checked: Checked, text: bytes, journal: Journal) -> None:
    """Put what the first runs showed into the journal, so that nothing is asked again."""
    journal.note("slowest", repr(checked.slowest))
    journal.note("timeout", repr(checked.timeout))
    note_rate(journal, checked.rule)
    if checked.alone:
        journal.note("one at a time", "yes")
    journal.put(digest(text), Verdict.INTERESTING, 0, checked.slowest)
    if checked.empty is not None:
        journal.put(digest(b""), checked.empty)


def check_good(executor: Executor, text: bytes) -> None:
    """Raise `UnfitTestError` if the test finds the good input of a difference interesting."""
    outcome = outcome_of(executor.submit(text, capture=True))
    if outcome.verdict is Verdict.INTERESTING:
        raise GoodInterestingError(error_text("good_is_interesting"), [outcome])


def introduction(plan: Plan, checked: Checked, rule: VoteRule | None) -> Iterator[str]:
    """Yield what a run says before its search: the input, its view, its test."""
    source, view, seen = plan.source, plan.view, checked.seen
    yield from (f"note: {note}" for note in checked.notes)
    if view is None:
        return
    yield f"{source.title}: {view.description}, {view.length(source.text):,} bytes"
    if view.note:
        yield f"note: {view.note}"
    if checked.timeout:
        yield (
            f"the test takes {checked.slowest:.2f} s on the input; a candidate may take "
            f"{checked.timeout:.3g} s (⟦timeout⟧ changes that)"
        )
    if isinstance(rule, Quorum) and seen is not None:
        yield (
            f"⟦flaky {rule}⟧: the test is {seen.counted()} on the input; a candidate that is so "
            f"as often is accepted in {rule.chance(seen.share):.0%} of all votes"
        )
    elif rule is not None and seen is not None:
        yield (
            f"the test wavers: it is {seen.counted()} on the input. A candidate is run until it is "
            f"clear whether it fails as often, {rule.missing(0, 0)} times or more"
        )


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
    """Whether runs alternate too regularly for chance (Wald and Wolfowitz, 1940; three sigma)."""
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
