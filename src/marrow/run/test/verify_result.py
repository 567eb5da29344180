"""The check of a result: the test is run on it several times, and it must hold every time.

A failure that shows by luck (memory that was never written, a race) may be steady on the input and
not on what is left of it. Such a result is not the answer: the answer is the last of the accepted
steps that holds; what was accepted after it goes to the journal as not interesting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.engine.events import Listener, ignore
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.quorum import Quorum
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.journal.journal_file import AcceptedStep, text_after
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.output.result import Ending, Result
from marrow.run.test.check_test import cheap_runs, enough_runs, judged, seen_in, several

# How often to run a test, by the seconds it takes.
_Often: TypeAlias = Callable[[float], int]

#: What is guaranteed of a result that is not the smallest that was found.
_NOTHING: Final = "none: what is smaller does not show it every time"


@dataclass(frozen=True, slots=True)
class ResultVerifier:
    """Checks results of the input `source`.

    A `thorough` check runs the test as often as the first runs do, and goes back along the steps in
    the `journal` where the result does not hold; another one runs it once.
    """

    executor: Executor
    journal: Journal
    source: bytes
    quorum: Quorum | None = None
    thorough: bool = True
    listener: Listener = ignore

    def check(self, result: Result) -> Outcome:
        """Run the test on a result, whatever the journal says; go back where it does not hold.

        Return a run that shows whether it does. With a quorum, run the test often enough to tell
        how reliable the result is.
        """
        if self.quorum is not None:
            outcomes = judged(self.executor, result.text, self.quorum)
            result.tests += len(outcomes)
            result.reliability = seen_in(outcomes)
            result.verified = self.quorum.holds(result.reliability)
            return _telling(outcomes, result.verified)
        often: _Often = _once
        if self.thorough:
            # Who sets a limit of time does not wait for several runs of a slow test.
            often = enough_runs if result.ending is Ending.FINISHED else cheap_runs
        outcomes = self.runs(result, result.text, often)
        if self.thorough and not _holds(outcomes) and _broken(outcomes) is None:
            held = _WayBack(self, result, often).go()
            if held:
                result.smallest, outcomes = seen_in(outcomes), held
        result.verified = _holds(outcomes)
        return _telling(outcomes, result.verified)

    def runs(self, result: Result, text: bytes, often: _Often) -> list[Outcome]:
        """Run the test on a text: once, and then as often as its time says."""
        outcomes = self._confirmed(several(self.executor, text, 1), text)
        more = often(outcomes[0].seconds) - 1
        outcomes += self._confirmed(several(self.executor, text, more, self.listener), text)
        result.tests += len(outcomes)
        return outcomes

    def _confirmed(self, outcomes: list[Outcome], text: bytes) -> list[Outcome]:
        """Run the test again, alone, where a time limit decided: the machine may be busy."""
        return [
            several(self.executor, text, 1)[0] if one.rests_on_time else one for one in outcomes
        ]


@dataclass(slots=True)
class _WayBack:
    """The way back from a result that does not hold, along the steps that led to it."""

    verifier: ResultVerifier
    result: Result
    often: _Often
    #: The runs on the steps that were looked at, by their number; -1 is the input.
    seen: dict[int, list[Outcome]] = field(default_factory=dict)

    def go(self) -> list[Outcome]:
        """Make the last step that holds the result; return its runs, none if nothing holds.

        Strides double until a step holds, then the interval after it is halved. So the step that
        is found holds, and the next one does not. Worst case: two checks for each doubling of the
        number of steps.
        """
        steps = self._steps()
        bad, stride = len(steps), 1
        while not self._holds(good := max(bad - stride, -1), steps):
            if good == -1 or _broken(self.seen[good]) is not None:
                return []  # what the test needs has changed, or it cannot be run any more
            bad, stride = good, 2 * stride
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._holds(middle, steps):
                good = middle
            else:
                bad = middle
        result, journal = self.result, self.verifier.journal
        refuted = [at for at, runs in self.seen.items() if not _holds(runs)]
        for text in (result.text, *(self._text(at, steps) for at in refuted)):
            journal.put(digest(text), Verdict.NOT_INTERESTING)
        result.text = self._text(good, steps)
        result.tokens_after = steps[good].tokens if good >= 0 else result.tokens_before
        result.bytes_after = steps[good].length if good >= 0 else result.bytes_before
        result.guarantee = _NOTHING
        return self.seen[good]

    def _steps(self) -> list[AcceptedStep]:
        """Return the steps before the result; all of them if it is not among them."""
        steps, key = self.verifier.journal.history.steps, digest(self.result.text)
        return steps[: next((at for at, one in enumerate(steps) if one.after == key), len(steps))]

    def _text(self, at: int, steps: list[AcceptedStep]) -> bytes:
        return text_after(self.verifier.source, steps[: at + 1])

    def _holds(self, at: int, steps: list[AcceptedStep]) -> bool:
        runs = self.verifier.runs(self.result, self._text(at, steps), self.often)
        self.seen[at] = runs
        return _holds(runs)


def _once(_: float) -> int:
    return 1


def _holds(outcomes: list[Outcome]) -> bool:
    return all(one.verdict is Verdict.INTERESTING for one in outcomes)


def _broken(outcomes: list[Outcome]) -> Outcome | None:
    return next((one for one in outcomes if one.verdict is Verdict.ERROR), None)


def _telling(outcomes: list[Outcome], verified: bool) -> Outcome:
    """Return a run that could not be made, else one that shows whether the result holds."""
    wanted = [one for one in outcomes if (one.verdict is Verdict.INTERESTING) is verified]
    return _broken(outcomes) or wanted[0]
