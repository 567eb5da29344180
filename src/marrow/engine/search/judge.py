"""The judge: verdicts on a stream of candidates, in the order of the stream.

Reducing asks for the first interesting attempt (see `scheduler`); abstracting asks what each of
many independent samples does, until it has seen enough. The judge looks ahead in the stream with
as many workers as there are and hands over verdicts in the order of the stream, so that what is
decided by them does not depend on the number of workers. A test that timed out is run once more,
alone, before the time-out counts: a busy machine must not change a result.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Generator, Iterable
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, Protocol, TypeVar

from marrow.engine.events import Answer, Judged, Listener, PhaseBegan
from marrow.engine.executors.executor import LONGEST_WAIT, Executor, Job
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.scheduler import Limits, StopReductionError, TestFailureError
from marrow.engine.verdict import Outcome, Verdict

# How many answered candidates may queue up behind one that still runs, for each worker: those that
# are known cost no worker, and the limit only bounds memory.
_QUEUE_PER_WORKER: Final = 64


class Candidate(Protocol):
    """Something to test."""

    @property
    def text(self) -> bytes:
        """The input to run the test on."""


C = TypeVar("C", bound=Candidate)


@dataclass(slots=True)
class JudgeCounts:
    """What was done. `tests` counts every run of the test, `needed` those in stream order."""

    tests: int = 0
    needed: int = 0
    cached: int = 0


class Judge:
    """Asks the test about candidates; every verdict goes to the journal."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
    ) -> None:
        limits = limits or Limits()
        self.counts: Final = JudgeCounts()
        self._executor: Final = executor
        self._journal: Final = journal
        self._listen: Final = listener
        self._most_tests: Final = limits.tests
        self._deadline: Final = (
            None if limits.seconds is None else time.monotonic() + limits.seconds
        )
        # Candidates that were asked about before: in this run, in stream order, or in the journal.
        self._asked: Final = set(journal.keys())
        self._running: Final[dict[bytes, Job]] = {}
        self._late: Final[set[bytes]] = set()
        self._ended: Final[SimpleQueue[tuple[bytes, Job]]] = SimpleQueue()

    def phase(self, words: str) -> None:
        """Tell the listener what comes next."""
        self._listen(PhaseBegan(words))

    def verdicts(self, candidates: Iterable[C]) -> Generator[tuple[C, Verdict], None, None]:
        """Yield candidates with their verdicts; close the generator when enough is known.

        Raises `StopReductionError` when a limit is reached, in stream order.
        """
        source = iter(candidates)
        window: deque[tuple[bytes, C]] = deque()
        more = True
        try:
            while True:
                while window and (verdict := self._journal.get(window[0][0])) is not None:
                    key, candidate = window.popleft()
                    self._count(key, verdict)
                    yield candidate, verdict
                if window and window[0][0] in self._late:
                    self._run_alone(*window[0])
                    continue
                while more and self._room(len(window)) and not self._settled(window):
                    ahead = next(source, None)
                    more = ahead is not None
                    if ahead is not None:
                        key = digest(ahead.text)
                        more = self._affordable(key, window)
                        window.append((key, ahead))
                        if more:
                            self._start(key, ahead)
                if not window:
                    return
                if not self._settled(window):
                    self._affordable(window[0][0], (), must=True)
                    self._wait()
        finally:
            self._abandon()

    def verdict(self, candidate: C) -> Verdict:
        """Return the verdict on one candidate."""
        return next(self.verdicts((candidate,)))[1]

    def _room(self, ahead: int) -> bool:
        """Whether to take another candidate from the stream."""
        workers = self._executor.workers
        return ahead < _QUEUE_PER_WORKER * workers and len(self._running) < workers

    def _settled(self, window: deque[tuple[bytes, C]]) -> bool:
        """Whether something can be done about the first candidate: nobody looks further then."""
        return bool(window) and (
            self._journal.get(window[0][0]) is not None or window[0][0] in self._late
        )

    def _affordable(
        self, key: bytes, ahead: Iterable[tuple[bytes, C]], *, must: bool = False
    ) -> bool:
        """Whether the limit allows for a test, after those ahead of it; raises if it must."""
        if self._most_tests is None or key in self._asked:
            return True
        waiting = {one for one, _ in ahead if one not in self._asked} - {key}
        if self.counts.needed + len(waiting) < self._most_tests:
            return True
        if must:
            raise StopReductionError(f"the limit of {self._most_tests:,} tests is reached")
        return False

    def _start(self, key: bytes, candidate: Candidate) -> None:
        """Start a test, unless its verdict is there or on its way."""
        if self._journal.get(key) is None and key not in self._running and key not in self._late:
            job = self._executor.submit(candidate.text)
            self._running[key] = job
            job.future.add_done_callback(partial(self._report, key, job))

    def _report(self, key: bytes, job: Job, _: object) -> None:
        """Hand over a job that has ended; called in a worker's thread."""
        self._ended.put((key, job))

    def _wait(self) -> None:
        """Wait until a test ends, or the time is up."""
        while True:
            left = LONGEST_WAIT
            if self._deadline is not None:
                left = min(left, self._deadline - time.monotonic())
                if left < 0:
                    raise StopReductionError("the time limit is reached")
            with contextlib.suppress(Empty):
                key, job = self._ended.get(timeout=left)
                if self._running.get(key) is job:
                    del self._running[key]
                    self._take(key, job, last=False)
                    return

    def _take(self, key: bytes, job: Job, *, last: bool) -> None:
        if job.future.cancelled():
            raise StopReductionError("the tests were cancelled")
        outcome = job.future.result()
        self.counts.tests += 1
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        if outcome.verdict is Verdict.TIMEOUT and not last:
            self._late.add(key)
        else:
            self._put(key, outcome)

    def _put(self, key: bytes, outcome: Outcome) -> None:
        self._late.discard(key)
        self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)

    def _run_alone(self, key: bytes, candidate: Candidate) -> None:
        """Run a test again with nothing beside it; what it says now is the verdict."""
        while self._running:
            self._wait()
        job = self._executor.submit(candidate.text)
        self._running[key] = job
        job.future.add_done_callback(partial(self._report, key, job))
        while not job.future.done():
            with contextlib.suppress(TimeoutError):
                job.future.result(LONGEST_WAIT)
        del self._running[key]
        self._take(key, job, last=True)

    def _count(self, key: bytes, verdict: Verdict) -> None:
        """Count a verdict in stream order: that a test ran ahead of its turn must not show."""
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise StopReductionError("the time limit is reached")
        if key in self._asked:
            self.counts.cached += 1
            self._listen(Judged(Answer.CACHE, verdict))
            return
        self._affordable(key, (), must=True)
        self._asked.add(key)
        self.counts.needed += 1
        self._listen(Judged(Answer.TEST, verdict))

    def _abandon(self) -> None:
        """Cancel what runs, but keep the verdicts that have come in."""
        for key, job in self._running.items():
            if not job.future.done():
                self.counts.tests += job.future.running()
                job.cancel()
            elif not job.future.cancelled() and job.future.exception() is None:
                outcome = job.future.result()
                self.counts.tests += 1
                if outcome.verdict not in (Verdict.ERROR, Verdict.TIMEOUT):
                    self._put(key, outcome)
        self._running.clear()
