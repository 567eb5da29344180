"""The dispatcher: starts tests on an executor, takes their outcomes, keeps limits and counts.

The scheduler and the sample tester decide which test comes next; both use this. Limits and
counts go by the order of the stream, so that they do not depend on the number of workers.

**Time-outs.** A busy machine must not change a result. So a test that timed out is run once more,
alone, before its outcome counts and goes to the journal; the second outcome decides. Only a
candidate whose turn has come is worth that: one that timed out ahead of its turn just waits. The
rule is the same where hanging is the failure to keep: an executor that calls a time-out interesting
marks the outcome (`Outcome.timed_out`), and its limit stays the same for both runs. A success that
is far slower than those before it is treated alike (`marrow.engine.search.dispatcher`).
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final

from marrow.base.clock import running_time
from marrow.base.deadline import Deadline
from marrow.base.errors import MarrowError
from marrow.engine.events import Answer, Listener, Warned, ignore
from marrow.engine.executors.executor import LONGEST_WAIT, Executor, Job
from marrow.engine.journal.journal import Journal
from marrow.engine.verdict import Outcome, Verdict

_UNITS: Final = {"": 1, "b": 1, "kb": 1000, "k": 1000, "mb": 10**6, "m": 10**6}


@dataclass(frozen=True, slots=True)
class Goal:
    """A size that is good enough: a number of tokens or bytes, or a share of the input."""

    words: str
    tokens: int | None = None
    length: int | None = None
    share: float | None = None

    @classmethod
    def parse(cls, words: str) -> Goal:
        """Read a size: `2kB` and `2000` are bytes, `5%` is a share of the input's tokens."""
        found = re.fullmatch(
            r"(\d+(?:\.\d+)?)\s*(?:(%)|(tokens?)|([km]?b?|bytes))", words.strip().lower()
        )
        if found and found[2]:
            return cls(words, share=float(found[1]) / 100)
        if found and found[3] and found[1].isdigit():
            return cls(words, tokens=int(found[1]))
        if found and not found[3]:
            return cls(words, length=int(float(found[1]) * _UNITS[found[4].removesuffix("ytes")]))
        raise ValueError(f"{words!r} is not a size; write it like 2kB, 5% or 100 tokens")

    def reached(self, tokens: int, length: int, tokens_before: int) -> bool:
        """Whether a result is small enough."""
        if self.tokens is not None:
            return tokens <= self.tokens
        if self.share is not None:
            return tokens <= self.share * tokens_before
        return self.length is not None and length <= self.length


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop; `goal` is for reductions alone.

    Tests count in stream order, so that any number of workers stops alike. An earlier search has
    already `spent` some of them.
    """

    tests: int | None = None
    seconds: float | None = None
    goal: Goal | None = None
    spent: int = 0

    @property
    def tests_reached(self) -> str:
        """Why a search stops that may run no more tests."""
        return f"the limit of {self.tests:,} tests is reached"

    def allow(self, tests: int) -> bool:
        """Whether another test may follow this many."""
        return self.tests is None or self.spent + tests < self.tests


# A success is too slow if it takes this many times as long as the slowest of the last ones: less
# may be the machine. What takes less than a moment is never too slow.
_SLOWER: Final = 8.0
_MOMENT: Final = 0.5

# How many successes the pace is taken from.
_LAST: Final = 3

# The time limit is this many times the pace, and at least some seconds, as for the first runs.
_LIMIT_FACTOR: Final = 10.0
_LEAST_LIMIT: Final = 5.0


class PaceOfTests:
    """How long tests take in a reduction."""

    def __init__(self, executor: Executor, journal: Journal, slowest: float, limit: float) -> None:
        """`slowest` is how long the first runs took, `limit` how long a test may take at most."""
        self._executor: Final = executor
        self._journal: Final = journal
        self._limit: Final = limit
        self._last: Final = deque(_recorded(journal) or [slowest], maxlen=_LAST)
        self._lifted = False

    def succeeded(self, seconds: float) -> None:
        """Take in how long the test took on a new best."""
        if seconds > 0.0:
            self._last.append(seconds)
            self._journal.note("pace", " ".join(map(repr, self._last)))
            if not self._lifted:
                longest = max(_LEAST_LIMIT, _LIMIT_FACTOR * max(self._last))
                self._executor.allow(min(self._limit, longest))

    def too_slow(self, outcome: Outcome) -> bool:
        """Whether a success is to be put off."""
        if self._lifted or outcome.verdict is not Verdict.INTERESTING or outcome.timed_out:
            return False
        return outcome.seconds > max(_MOMENT, _SLOWER * max(self._last))

    def lift(self) -> int:
        """Let slow tests count from now on; return how many were put off."""
        self._lifted = True
        self._executor.allow(self._limit)
        return self._journal.lift()


def _recorded(journal: Journal) -> list[float]:
    try:
        return [float(word) for word in (journal.fact("pace") or "").split()]
    except ValueError:
        return []


class StopReductionError(MarrowError):
    """The run must end before its time; the message says why. The best so far stays."""


class TestFailureError(StopReductionError):
    """The test itself could not be run."""

    __test__ = False  # not a test case, whatever pytest makes of the name


@dataclass(slots=True)
class SearchCounts:
    """The counts of a search. `tests` counts every start of the test: speculation, second runs.

    `needed` counts tests in stream order; `asked` also those that an earlier run had made, so it is
    what a run without a journal needs. Only a reduction has the last three.
    """

    tests: int = 0
    needed: int = 0
    asked: int = 0
    cached: int = 0
    invalid: int = 0
    accepted: int = 0
    skipped: int = 0

    @property
    def attempts(self) -> int:
        """The attempts in stream order: a place in the run that is the same when it is resumed."""
        return self.needed + self.cached + self.invalid + self.skipped


@dataclass(frozen=True, slots=True)
class TestUnderWay:
    """A test that runs now: what its candidate does, how long that is, when the test began."""

    __test__ = False

    words: str
    length: int
    began: float
    job: Job = field(repr=False)


class Dispatcher:
    """Runs tests by their keys (digests of candidates); every verdict goes to the journal."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener = ignore,
        limits: Limits | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """`deadline` keeps the time limit, where it began before this."""
        limits = limits or Limits()
        self._deadline: Final = deadline or Deadline(limits.seconds)
        self.executor: Final = executor
        self.journal: Final = journal
        self.listen: Final = listener
        self.counts: Final = SearchCounts()
        #: Candidates that were asked about before: in stream order in this run, or in the journal.
        self.asked: Final = set(journal.keys())
        #: Candidates that timed out and were not confirmed yet.
        self.timed_out: Final[set[bytes]] = set()
        self.running: Final[dict[bytes, TestUnderWay]] = {}
        #: Whether to keep what tests print, for somebody who watches.
        self.capture = False
        #: What interesting candidates printed, since one was accepted.
        self.outputs: Final[dict[bytes, bytes]] = {}
        #: Tests that have ended come in here from the workers' threads.
        self.ended: Final[SimpleQueue[tuple[bytes, Future[Outcome]]]] = SimpleQueue()
        self.asked_now: Final[set[bytes]] = set()
        self._heard: Final[set[bytes]] = set()
        self._limits: Final = limits
        self._alone: bytes | None = None
        self._warned = False
        #: How long the tests of interesting candidates took.
        self.took: Final[dict[bytes, float]] = {}
        #: What is too slow beside the best so far, where that is looked at.
        self.pace: PaceOfTests | None = None

    # -- tests ---------------------------------------------------------------------------------

    def start(self, key: bytes, text: bytes, words: str = "", *, heard: bool = False) -> None:
        """Start the test of a candidate, unless it is under way. It gets company by that.

        `words` say what the candidate does; if it is to be `heard`, the journal gets what the test
        writes as it fails.
        """
        if heard and key in self.running and key not in self._heard:
            self.cancel([key])
        if key not in self.running:
            self._alone = None
            if heard:
                self._heard.add(key)
            job = self.executor.submit(text, capture=self.capture or heard)
            self.running[key] = TestUnderWay(words, len(text), running_time(), job)
            # Without the job, which would hold itself and its candidate then.
            job.future.add_done_callback(lambda future: self.ended.put((key, future)))

    def confirm(self, key: bytes, text: bytes, words: str = "", *, heard: bool = False) -> None:
        """Run a test that timed out once more as soon as no other runs; call it until it has."""
        if not self.running:
            self.start(key, text, words, heard=heard)
            self._alone = key

    def wait(self) -> None:
        """Wait until a test ends, or for a moment."""
        self.check_time()
        left = LONGEST_WAIT
        if self._deadline.left is not None:
            left = max(0.0, min(left, self._deadline.left))
        with contextlib.suppress(Empty):
            self._take(*self.ended.get(timeout=left))
            while not self.ended.empty():
                self._take(*self.ended.get())

    def cancel(self, keys: Iterable[bytes]) -> None:
        """Cancel tests that are no longer needed, but keep the verdicts that have come in."""
        for key in keys:
            job = self.running.pop(key).job
            if not job.future.done():
                self.counts.tests += job.future.running()
                job.cancel()
            elif not job.future.cancelled() and job.future.exception() is None:
                outcome = job.future.result()
                self.counts.tests += 1
                if outcome.verdict is not Verdict.ERROR:
                    self._put(key, outcome)

    def _take(self, key: bytes, future: Future[Outcome]) -> None:
        """Take the outcome of a test, unless it was given up before."""
        test = self.running.get(key)
        if test is None or test.job.future is not future:
            return
        del self.running[key]
        if future.cancelled():
            raise StopReductionError("the tests were cancelled")
        outcome = future.result()
        self.counts.tests += 1
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        self._put(key, outcome)

    def _put(self, key: bytes, outcome: Outcome) -> None:
        """Record an outcome, unless it rests on a time limit and has yet to be confirmed."""
        slow = self.pace is not None and self.pace.too_slow(outcome)
        if (outcome.rests_on_time or slow) and self._alone != key:
            self.timed_out.add(key)
            return
        self.timed_out.discard(key)
        if key in self._heard and (slow or outcome.verdict is not Verdict.INTERESTING):
            self.journal.put_said(key, outcome.said)
        if slow:
            self.journal.put_off(key, outcome.seconds)
            return
        if outcome.verdict is Verdict.INTERESTING:
            self.took[key] = outcome.seconds
            if self.capture:
                self.outputs[key] = outcome.output
        self.journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
        if outcome.votes:
            self.journal.note(f"votes {key.hex()}", outcome.votes)
        if outcome.label:
            self.journal.put_label(key, outcome.label)
        if self.journal.failure and not self._warned:
            self._warned = True
            self.listen(Warned(f"{self.journal.failure}; the run continues but cannot be resumed"))

    # -- limits and counts, in stream order ----------------------------------------------------

    def count(self, key: bytes) -> Answer:
        """Count an answer in stream order: that a test ran ahead of its turn must not show."""
        known = key in self.asked
        if not known:
            self.check_limit(key)
        if key not in self.asked_now:
            self.asked_now.add(key)
            self.counts.asked += 1
        if known:
            self.counts.cached += 1
            return Answer.CACHE
        self.asked.add(key)
        self.counts.needed += 1
        return Answer.TEST

    def affordable(self, key: bytes, before: int = 0) -> bool:
        """Whether the limit allows for the test of a candidate, after some others."""
        return key in self.asked or self._limits.allow(self.counts.needed + before)

    def check_limit(self, key: bytes) -> None:
        """Raise if the limit does not allow for the test of a candidate."""
        if not self.affordable(key):
            raise StopReductionError(self._limits.tests_reached)

    def check_time(self) -> None:
        """Raise if the time is up."""
        if self._deadline.left is not None and self._deadline.left < 0:
            raise StopReductionError("the time limit is reached")

    def rest(self, seconds: float) -> None:
        """Do nothing for a while, which does not count as time of the run."""
        time.sleep(seconds)
        self._deadline.extend(seconds)
