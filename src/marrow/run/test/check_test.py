"""The checks before a run: does the test do for this input, and how long may a candidate take?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from marrow.engine.events import Listener, ignore
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.quorum import (
    Quorum,
    Reliability,
    SequentialTest,
    VoteRule,
)
from marrow.engine.executors.votes import Runs
from marrow.engine.journal.journal import Journal, JournalError, digest
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.test.failure_rate import measured_rate, raise_failure, seen_in, several
from marrow.run.test.unfit_test import (
    EmptyInterestingError,
    FlakyTestError,
    NotInterestingError,
)

# How often the test is run on the input before anything is changed.
FIRST_RUNS: Final = 3

# How long it is run more often where that is cheap, in seconds, and how often at most: a test that
# is interesting in 2 of 3 runs passes 3 runs in 30% of all cases, 20 in 0.03%.
_CHEAP: Final = 1.0
MOST_FIRST_RUNS: Final = 20

# How long a test is run that is never interesting, in seconds: its failure may be a rare one. And
# how often at least and at most; a test that does not end in time is not run again.
_PATIENCE: Final = 2.0
_LEAST_NEVER: Final = 5
MOST_NEVER: Final = 300

# A candidate may take this many times as long as the slowest run on the input, but at least some
# seconds: smaller inputs are seldom slower, and a busy machine must not change a verdict.
_TIMEOUT_FACTOR: Final = 10.0
_LEAST_TIMEOUT: Final = 5.0


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


def enough_runs(seconds: float, least: int = FIRST_RUNS) -> int:
    """Return how many runs on the input there should be, where one takes this long."""
    return max(least, FIRST_RUNS, cheap_runs(seconds))


def cheap_runs(seconds: float) -> int:
    """Return how many runs are cheap, where one takes this long; one always is."""
    return max(1, min(MOST_FIRST_RUNS, int(_CHEAP / max(seconds, 0.001))))


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

    It runs more often where that takes no time to speak of.

    With a quorum the test may be flaky, if a vote on the input would rather accept it than not.
    """
    _set_timeout(executor, timeout)
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
    _set_timeout(executor, limit)
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
    """Run the test on the input: more often where it is cheap, or was never interesting."""
    outcomes = several(executor, text, runs, listener)
    slowest = max(one.seconds for one in outcomes)
    yes = seen_in(outcomes).interesting
    if yes == runs == FIRST_RUNS:
        outcomes += several(executor, text, enough_runs(slowest) - runs, listener)
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
    return (
        f"{said}, in none of {seen.runs} runs (a flaky failure that shows in fewer than "
        f"{seen.highest:.0%} of all would need more: ⟦flaky 1/{min(1000, 10 * seen.runs)}⟧)"
    )


def judged(
    executor: Executor, text: bytes, quorum: Quorum, earlier: tuple[int, ...] = ()
) -> list[Outcome]:
    """Run the test on a text until it seems that a vote accepts it, or that it does not.

    It may stop after `earlier` numbers of runs too, where a vote would accept the text.
    """
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
    _set_timeout(executor, checked.timeout)
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


def _set_timeout(executor: Executor, seconds: float | None) -> None:
    if seconds is not None:
        executor.allow(seconds)


def flaky_note(rule: VoteRule, seen: Reliability) -> str:
    """Say what a vote means for a failure that shows as often as it does on the input."""
    if isinstance(rule, Quorum):
        return (
            f"⟦flaky {rule}⟧: the test is {seen.counted()} on the input; a candidate that is so "
            f"as often is accepted in {rule.chance(seen.share):.0%} of all votes"
        )
    return (
        f"the test wavers: it is {seen.counted()} on the input. A candidate is run until it is "
        f"clear whether it fails as often, {rule.missing(0, 0)} times or more"
    )
