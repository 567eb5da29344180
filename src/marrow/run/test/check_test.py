"""The checks before a run: does the test do for this input, and how long may a candidate take?"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Final

from marrow.base.errors import MarrowError, spelled
from marrow.engine.events import Listener, PhaseAdvanced, ignore
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.quorum import Quorum, Reliability, Runs
from marrow.engine.journal.journal import Journal, JournalError, digest
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Outcome, Verdict

# How often the test is run on the input before anything is changed.
FIRST_RUNS: Final = 3

# How long it is run more often where that is cheap, in seconds, and how often at most: a test that
# is interesting in 2 of 3 runs passes 3 runs in 30% of all cases, 20 in 0.03%.
_CHEAP: Final = 1.0
MOST_FIRST_RUNS: Final = 20

# How many lines of a test's output the traceback of a program shows.
_SHOWN: Final = 20

# A candidate may take this many times as long as the slowest run on the input, but at least some
# seconds: smaller inputs are seldom slower, and a busy machine must not change a verdict.
_TIMEOUT_FACTOR: Final = 10.0
_LEAST_TIMEOUT: Final = 5.0


class UnfitTestError(MarrowError):
    """The test is unsuitable for the input: not interesting, flaky, or interesting when empty."""

    #: What to do, for the traceback of a program; the command line knows more and says more.
    advice: ClassVar[str] = ""

    def __init__(self, problem: str, outcomes: list[Outcome]) -> None:
        super().__init__(problem)
        shown = next((one for one in outcomes if one.output), None)
        if shown is not None:
            lines = shown.output.decode("utf-8", "replace").splitlines()[-_SHOWN:]
            self.add_note("\n".join(["It printed:", *(f"  | {line}" for line in lines)]))
        why = next((one.why for one in outcomes if one.why), "")
        if why:
            self.add_note(f"What is missing: {why}")
        if self.advice:
            self.add_note(spelled(self.advice))
        self.problem: Final = problem
        self.outcomes: Final = outcomes


class NotInterestingError(UnfitTestError):
    """The test does not say yes to the input itself."""

    advice = (
        "The test must say yes to the source as it is. A function gets it as bytes; an executable "
        "finds it in an empty directory, and exits with 0."
    )


class FlakyTestError(UnfitTestError):
    """The test says now yes, now no, to the same input."""

    advice = (
        "It must give the same answer every time: fix its seeds, and let no limit of time decide; "
        "or have it run several times for an answer, with ⟦flaky 2/5⟧. With more "
        "than one worker it must be thread-safe."
    )


class GoodInterestingError(UnfitTestError):
    """The test says yes to the good input of a difference too."""

    advice = "Give a good input that passes, or a test that asks for the failure itself."


class EmptyInterestingError(UnfitTestError):
    """The test says yes to an empty file too."""

    advice = (
        "An empty input would be the answer. Make the test ask for the failure itself, or allow it "
        "with ⟦allow_empty⟧."
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of the first runs: how long they took, the limit for a candidate, how many.

    `empty` is the verdict on an empty input, where it was asked for; `seen` how often the test was
    interesting, where that need not be every time.
    """

    slowest: float
    timeout: float
    runs: int = 0
    empty: Verdict | None = None
    seen: Reliability | None = None


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
    thorough: bool = False,
    quorum: Quorum | None = None,
    listener: Listener = ignore,
) -> Checked:
    """Run the test on the input several times, and on an empty one; set the time-out.

    A `thorough` check runs it more often where that takes no time to speak of.

    With a quorum the test may be flaky, if a vote on the input would rather accept it than not.
    """
    _set_timeout(executor, timeout)
    if quorum is None:
        outcomes = several(executor, text, runs, listener)
        if runs == FIRST_RUNS and thorough and seen_in(outcomes).interesting == runs:
            slowest = max(one.seconds for one in outcomes)
            outcomes += several(executor, text, enough_runs(slowest) - runs, listener)
    else:
        outcomes = judged(executor, text, quorum, (max(runs, quorum.runs),))
    _raise_failure(outcomes)
    seen = seen_in(outcomes)
    if seen.interesting == 0:
        raise NotInterestingError("the test is not interesting on the input itself", outcomes)
    of = f"interesting in {seen.interesting} of {seen.runs} runs on the same input"
    if quorum is None and seen.interesting < seen.runs:
        raise FlakyTestError(f"the test is flaky: {of}", outcomes)
    if quorum is not None and not quorum.holds(seen):
        raise FlakyTestError(f"the test is too flaky for {quorum}: {of}", outcomes)
    slowest = max(one.seconds for one in outcomes if one.verdict is Verdict.INTERESTING)
    limit = timeout or max(_LEAST_TIMEOUT, _TIMEOUT_FACTOR * slowest)
    _set_timeout(executor, limit)
    checked = Checked(slowest, limit, seen.runs, seen=None if quorum is None else seen)
    if allow_empty:
        return checked
    votes = Runs(executor, quorum)
    empty = outcome_of(votes.executor.submit(b"", capture=True))
    if empty.verdict is Verdict.ERROR:
        return checked  # a function may well expect more than nothing
    if empty.verdict is Verdict.INTERESTING:
        raise EmptyInterestingError("the test is interesting on an empty file too", [empty])
    runs = seen.runs + votes.count(1)
    # A verdict that rests on a time limit would have to be confirmed.
    return replace(checked, runs=runs, empty=None if empty.rests_on_time else empty.verdict)


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


def seen_in(outcomes: list[Outcome]) -> Reliability:
    """Return how many of some runs were interesting."""
    yes = sum(one.verdict is Verdict.INTERESTING for one in outcomes)
    return Reliability(yes, len(outcomes))


def checked_before(executor: Executor, journal: Journal, timeout: float | None) -> Checked | None:
    """Return what the first runs of a run that is resumed showed; set the time-out."""
    slowest, limit = journal.fact("slowest"), journal.fact("timeout")
    if slowest is None or limit is None:
        return None
    try:
        checked = Checked(_seconds(slowest), timeout or _seconds(limit))
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


def record_check(checked: Checked, text: bytes, journal: Journal) -> None:
    """Put what the first runs showed into the journal, so that nothing is asked again."""
    journal.note("slowest", repr(checked.slowest))
    journal.note("timeout", repr(checked.timeout))
    journal.put(digest(text), Verdict.INTERESTING, 0, checked.slowest)
    if checked.empty is not None:
        journal.put(digest(b""), checked.empty)


def _set_timeout(executor: Executor, seconds: float | None) -> None:
    if seconds is not None:
        executor.allow(seconds)


def _raise_failure(outcomes: list[Outcome]) -> None:
    broken = next((one for one in outcomes if one.verdict is Verdict.ERROR), None)
    if broken is not None:
        raise TestFailureError(broken.message)


def flaky_note(quorum: Quorum, seen: Reliability) -> str:
    """Say what a vote means for a failure that shows as often as it does on the input."""
    return (
        f"⟦flaky {quorum}⟧: the test is interesting in {seen.interesting} of {seen.runs} runs on "
        f"the input; a candidate that is so as often is accepted in {quorum.chance(seen.share):.0%}"
        " of all votes"
    )
