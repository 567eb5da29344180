"""The check of a result: the test is run on it several times, and it must hold every time.

A failure that shows by luck (memory that was never written, a race) may be steady on the input and
not on what is left of it. Such a result is not the answer: the answer is the last of the accepted
steps that holds; what was accepted after it goes to the journal as not interesting. Where the
test wavers on the input too, a result holds if it is interesting as often.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from marrow.engine.events import Listener, ignore
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.quorum import (
    Quorum,
    Reliability,
    SequentialTest,
    VoteRule,
    evidence_of_change,
)
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.journal.journal_file import text_after
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.output.result import Ending, Result
from marrow.run.test.check_test import (
    judged,
    measured_rate,
    seen_in,
    several,
)
from marrow.run.test.unfit_test import FlakyTestError

#: What is guaranteed of a result that is not the smallest that was found.
_NOTHING: Final = "none: what is smaller does not show it {}"

# So often a result is looked at, as the input is, and each step on the way back; and once more for
# every so many tests of its search, up to a number: a test that is interesting in 4 of 5 runs
# passes 3 runs on the input and 9 of the result in 7%. One look alone let two of five results pass
# that had lost what makes the failure likely.
_LEAST_RUNS: Final = 3
_TESTS_FOR_A_RUN: Final = 100
_MOST_RUNS: Final = 10

# How often a result is interesting when it has been looked at long enough: more often after a
# search of many runs. Half of the rate is then told from all of it in two of three cases, or in
# all.
_SUCCESSES: Final = (12, 50)

# The share of the runs of a search that the look at its result may take.
_SHARE: Final = 0.15

# How sure it must be that a result is weaker than the input: one of 20 looks is wrong.
_WEAKER: Final = 2.0
_DOUBT: Final = 0.5

# How sure it must be that the rate of the input has changed since the beginning.
_CHANGED: Final = 4.5


@dataclass(slots=True)
class ResultVerifier:
    """Checks results of the input `source`.

    The test runs a few times, by the length of the search; where the result does not hold, the way
    goes back along the steps in the `journal`. The `rule` is found out where the test turns out to
    waver.
    """

    executor: Executor
    journal: Journal
    source: bytes
    rule: VoteRule | None = None
    listener: Listener = ignore
    #: What became of the rate of the input, where it is another one now.
    changed: str = ""
    #: The runs on the input, as far as they count.
    _before: Reliability | None = None

    def check(self, result: Result) -> Outcome:
        """Run the test on a result, whatever the journal says; go back where it does not hold.

        Return a run that shows whether it does. Where the test wavers, run it often enough to tell
        how reliable the result is.
        """
        if isinstance(self.rule, Quorum):
            outcomes = judged(self.executor, result.text, self.rule)
            result.count_repeats(len(outcomes))
            result.reliability = seen_in(outcomes)
            result.verified = self.rule.holds(result.reliability)
            return _telling(outcomes, result.verified)
        # Who sets a limit of time does not wait for several runs of a slow test.
        finished = result.ending is Ending.FINISHED
        searched = (result.tests - result.repeats) // _TESTS_FOR_A_RUN
        often = min(_LEAST_RUNS + searched, _MOST_RUNS) if finished else 1
        outcomes = self.runs(result, result.text, often)
        if not self.holds(outcomes) and self.rule is None and self._wavers(result):
            outcomes = self.runs(result, result.text, often)
        if not self.holds(outcomes) and _broken(outcomes) is None:
            held = self._go_back(result, max(often, _LEAST_RUNS))
            if held:
                result.smallest, outcomes = seen_in(outcomes), held
        whole = self.rule is not None and result.text == self.source
        result.verified = (whole or self.holds(outcomes)) and not self.changed
        if self.rule is not None:
            result.reliability, result.reliability_before = seen_in(outcomes), self._before
        return _telling(outcomes, result.verified)

    def holds(self, outcomes: list[Outcome]) -> bool:
        """Whether these runs on a text show the failure: every time, or as often as the input."""
        if self.rule is None or self._before is None:
            return all(one.verdict is Verdict.INTERESTING for one in outcomes)
        return self._evidence(outcomes) < _WEAKER

    def _evidence(self, outcomes: list[Outcome]) -> float:
        """Return the evidence that a text is weaker than the input."""
        seen = seen_in(outcomes)
        assert self._before is not None
        return 0.0 if seen.share >= self._before.share else evidence_of_change(seen, self._before)

    def _wavers(self, result: Result) -> bool:
        """Whether the test wavers on the input too, which the first runs did not show."""
        outcomes = several(self.executor, self.source, _SUCCESSES[0])
        result.count_repeats(len(outcomes))
        if not 0 < seen_in(outcomes).interesting < len(outcomes):
            return False
        try:
            found = measured_rate(self.executor, self.source, outcomes, self.listener)
        except FlakyTestError as error:
            self.changed = error.problem
            return False
        result.count_repeats(found.runs - len(outcomes))
        self.rule = None if found.alone else SequentialTest(seen_in(found.outcomes))
        return self.rule is not None

    def _looked_at(self, result: Result, text: bytes, rule: SequentialTest) -> list[Outcome]:
        """Run the test until it is clear whether a text is weaker than the input."""
        self._before = self._before or rule.seen
        least, most = _SUCCESSES
        wanted = max(least, min(most, round(_SHARE * result.tests * rule.rate)))
        batch = round(least / rule.rate / 3)
        outcomes: list[Outcome] = []
        while _broken(outcomes) is None and seen_in(outcomes).interesting < wanted:
            outcomes += self._confirmed(several(self.executor, text, batch), text)
            if not self.holds(outcomes):
                self._measure_again(result, rule, wanted)
                if not self.holds(outcomes):
                    break
        if self._evidence(outcomes) > _DOUBT:
            self._measure_again(result, rule, wanted)
        result.count_repeats(len(outcomes))
        return outcomes

    def _measure_again(self, result: Result, rule: SequentialTest, wanted: int) -> None:
        """Run the test on the input again, before it is said that something is weaker or not."""
        if self.changed or self._before != rule.seen or rule.seen.interesting >= wanted:
            return
        again = several(self.executor, self.source, round(wanted / rule.rate))
        result.count_repeats(len(again))
        now = seen_in(again)
        if evidence_of_change(now, rule.seen) > _CHANGED:
            self.changed = (
                f"the test changed during the run: on the input it was {rule.seen.counted()} at "
                f"first, and in {now.interesting:,} of {now.runs:,} at the end"
            )
        self._before = rule.seen + now
        if not self.changed:
            self.rule = replace(rule, seen=self._before)

    def runs(self, result: Result, text: bytes, often: int) -> list[Outcome]:
        """Run the test on a text so often, or until its rate is clear."""
        if isinstance(self.rule, SequentialTest):
            return self._looked_at(result, text, self.rule)
        outcomes = self._confirmed(several(self.executor, text, often, self.listener), text)
        result.count_repeats(len(outcomes))
        return outcomes

    def _confirmed(self, outcomes: list[Outcome], text: bytes) -> list[Outcome]:
        """Run the test again, alone, where a time limit decided: the machine may be busy."""
        return [
            several(self.executor, text, 1)[0] if one.rests_on_time else one for one in outcomes
        ]

    def _go_back(self, result: Result, often: int) -> list[Outcome]:
        """Make the last step that holds the result; return its runs, none if nothing holds.

        Strides double until a step holds, then the interval after it is halved. So the step that
        is found holds, and the next one does not. Worst case: two checks for each doubling of the
        number of steps.
        """
        steps, key = self.journal.history.steps, digest(result.text)
        steps = steps[: next((at for at, one in enumerate(steps) if one.after == key), len(steps))]
        # The runs on the steps that were looked at, by their number; -1 is the input.
        seen: dict[int, list[Outcome]] = {}

        def text(at: int) -> bytes:
            return text_after(self.source, steps[: at + 1])

        def holds(at: int) -> bool:
            seen[at] = self.runs(result, text(at), often)
            return self.holds(seen[at]) or (at == -1 and self.rule is not None)

        bad, stride = len(steps), 1
        while not holds(good := max(bad - stride, -1)):
            if good == -1 or _broken(seen[good]) is not None:
                return []  # what the test needs has changed, or it cannot be run any more
            bad, stride = good, 2 * stride
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if holds(middle) else (good, middle)
        for refuted in (result.text, *(text(at) for at in seen if at > good)):
            self.journal.put(digest(refuted), Verdict.NOT_INTERESTING)
        result.text = text(good)
        result.tokens_after = steps[good].tokens if good >= 0 else result.tokens_before
        result.bytes_after = steps[good].length if good >= 0 else result.bytes_before
        result.guarantee = _NOTHING.format("as often" if self.rule else "every time")
        return seen[good]


def _broken(outcomes: list[Outcome]) -> Outcome | None:
    return next((one for one in outcomes if one.verdict is Verdict.ERROR), None)


def _telling(outcomes: list[Outcome], verified: bool) -> Outcome:
    """Return a run that could not be made, else one that shows whether the result holds."""
    wanted = [one for one in outcomes if (one.verdict is Verdict.INTERESTING) is verified]
    return _broken(outcomes) or (wanted or outcomes)[0]
