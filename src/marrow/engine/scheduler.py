"""The scheduler: takes a stream of attempts, answers with the first interesting one in its order.

It looks ahead in the stream with as many workers as there are, and commits the first success in
stream order, not in time. So the result is the same for any number of workers; more workers only
find it sooner. What was tried ahead in vain is cancelled, but verdicts that came in are kept.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from dataclasses import dataclass
from typing import Final

from marrow.engine.events import Accepted, Answer, Listener, PhaseBegan, Tried, Warned
from marrow.engine.executor import Executor, Job
from marrow.engine.journal import Journal, digest
from marrow.engine.verdict import Verdict
from marrow.reduce.attempt import Attempt, Stream
from marrow.syntax.front import Validity
from marrow.tree import Tree, size

# How many answered attempts may queue up behind one that still runs, for each worker. Attempts that
# are known or invalid cost no worker; the limit only bounds memory.
_QUEUE_PER_WORKER: Final = 64


class StopReductionError(Exception):
    """The run must end before its time; the message says why. The best so far stays."""


class TestFailureError(StopReductionError):
    """The test itself could not be run."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop. Tests count in stream order, so that any number of workers stops alike."""

    tests: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Counts:
    """What a run has done. `tests` counts every test that was started, those in vain too."""

    tests: int = 0
    needed: int = 0
    cached: int = 0
    invalid: int = 0
    accepted: int = 0


@dataclass(slots=True, eq=False)
class _Entry:
    """An attempt in the window: with a verdict, with a job, or without a test because invalid."""

    attempt: Attempt
    key: bytes
    verdict: Verdict | None = None
    job: Job | None = None
    answer: Answer = Answer.TEST

    @property
    def settled(self) -> bool:
        if self.verdict is not None or self.answer is Answer.INVALID:
            return True
        return self.job is not None and self.job.future.done()


class Scheduler:
    """Runs streams of attempts."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
    ) -> None:
        limits = limits or Limits()
        self.counts: Final = Counts()
        self._executor: Final = executor
        self._journal: Final = journal
        self._listen: Final = listener
        self._most_tests: Final = limits.tests
        self._deadline: Final = (
            None if limits.seconds is None else time.monotonic() + limits.seconds
        )
        self._invalid: Final[set[bytes]] = set()
        self._been: Final[set[bytes]] = set()
        # Candidates that were asked about before: in this run, in stream order, or in the journal.
        self._asked: Final = set(journal.keys())
        self._running: Final[dict[bytes, Job]] = {}
        self._phase = ""
        self._warned = False

    def run(self, tree: Tree, stream: Stream | None, validity: Validity | None) -> Iterator[Tree]:
        """Run a stream to its end; yield every new best tree, each smaller than the one before."""
        if validity is not None:
            validity.rebase(tree)
        best = tree
        while stream is not None:
            found = self._first_interesting(best, stream, validity)
            if found is None:
                return
            before, best = best, found.tree
            best.forget_origin()
            if validity is not None:
                validity.rebase(best)
            self.counts.accepted += 1
            self._been.add(digest(best.text))
            self._listen(Accepted(best.token_count, before.text, best.text, found.phase))
            yield best
            stream = found.then()

    def _first_interesting(
        self, best: Tree, stream: Stream, validity: Validity | None
    ) -> Attempt | None:
        """Return the first attempt of a stream that is interesting, or None."""
        source = self._entries(best, stream, validity)
        window: deque[_Entry] = deque()
        ahead: _Entry | None = None
        exhausted = False
        decided = False  # an interesting one is in the window: nothing behind it is needed
        most = _QUEUE_PER_WORKER * self._executor.workers
        try:
            while True:
                while window and window[0].settled:
                    entry = window.popleft()
                    if self._settle(entry) is Verdict.INTERESTING:
                        return entry.attempt
                while not (exhausted or decided) and self._room(window, most):
                    entry_or_none = ahead or next(source, None)
                    ahead = None
                    if entry_or_none is None:
                        exhausted = True
                    else:
                        self._start(entry_or_none)
                        window.append(entry_or_none)
                        decided = entry_or_none.verdict is Verdict.INTERESTING
                if not window:
                    if exhausted:
                        return None
                    continue
                if not window[0].settled:
                    if ahead is None and not exhausted and not decided:
                        # Workers are busy: make the next candidate meanwhile.
                        ahead = next(source, None)
                        exhausted = ahead is None
                    decided = self._wait(window) or decided
        finally:
            self._abandon(window)

    def _room(self, window: deque[_Entry], most: int) -> bool:
        """Whether to take another attempt from the stream."""
        if len(window) >= most:
            return False
        busy = sum(not job.future.done() for job in self._running.values())
        return busy < self._executor.workers

    def _entries(self, best: Tree, stream: Stream, validity: Validity | None) -> Iterator[_Entry]:
        """Walk the attempts of a stream and of those that follow it; drop what is not smaller."""
        current: Stream | None = stream
        while current is not None:
            try:
                attempt = next(current)
            except StopIteration as end:
                current = end.value
                continue
            candidate = attempt.tree
            if not size(candidate) < size(candidate.origin or best):
                continue
            key = digest(candidate.text)
            if key in self._been:
                continue
            verdict = self._journal.get(key)
            if verdict is not None:
                yield _Entry(attempt, key, verdict, answer=Answer.CACHE)
            elif key in self._invalid or not (validity is None or validity.valid(candidate)):
                self._invalid.add(key)
                yield _Entry(attempt, key, answer=Answer.INVALID)
            else:
                yield _Entry(attempt, key)

    def _start(self, entry: _Entry) -> None:
        """Start the test of an entry, unless it is known or already runs."""
        if entry.settled:
            return
        known = self._journal.get(entry.key)
        if known is not None:
            entry.verdict, entry.answer = known, Answer.CACHE
        elif entry.key in self._running:
            entry.job, entry.answer = self._running[entry.key], Answer.CACHE
        else:
            entry.job = self._executor.submit(entry.attempt.tree.text)
            self._running[entry.key] = entry.job

    def _wait(self, window: deque[_Entry]) -> bool:
        """Wait until a test ends, or the time is up; return whether one was interesting."""
        futures = {job.future for job in self._running.values()}
        timeout = None if self._deadline is None else max(0.0, self._deadline - time.monotonic())
        done, _ = wait(futures, timeout=timeout, return_when=FIRST_COMPLETED)
        if not done:
            raise StopReductionError("the time limit is reached")
        decided = False
        for entry in window:
            if entry.job is not None and entry.job.future.done():
                self._take(entry)
                decided = decided or entry.verdict is Verdict.INTERESTING
        return decided

    def _take(self, entry: _Entry) -> None:
        """Take the outcome of a test that has ended into the journal."""
        if entry.verdict is not None or entry.job is None:
            return
        try:
            outcome = entry.job.future.result()
        except CancelledError:
            raise StopReductionError("the tests were cancelled") from None
        entry.verdict = outcome.verdict
        if self._running.pop(entry.key, None) is not None:
            self.counts.tests += 1
            if outcome.verdict is Verdict.ERROR:
                raise TestFailureError(outcome.message)
            self._journal.put(entry.key, outcome.verdict, outcome.exit_code, outcome.seconds)
            if self._journal.failure and not self._warned:
                self._warned = True
                self._listen(
                    Warned(f"{self._journal.failure}; the run goes on but cannot be resumed")
                )

    def _settle(self, entry: _Entry) -> Verdict | None:
        """Count the first attempt of the window, tell the listener, and return its verdict."""
        self._take(entry)
        phase = entry.attempt.phase
        if phase != self._phase:
            self._phase = phase
            self._listen(PhaseBegan(phase))
        if entry.answer is not Answer.INVALID:
            # Whether a test ran ahead of its turn must not show: only what was asked counts.
            entry.answer = Answer.CACHE if entry.key in self._asked else Answer.TEST
            self._asked.add(entry.key)
        if entry.answer is Answer.INVALID:
            self.counts.invalid += 1
        elif entry.answer is Answer.CACHE:
            self.counts.cached += 1
        else:
            if self._most_tests is not None and self.counts.needed >= self._most_tests:
                raise StopReductionError(f"the limit of {self._most_tests} tests is reached")
            self.counts.needed += 1
        self._listen(Tried(entry.answer, entry.verdict))
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise StopReductionError("the time limit is reached")
        return entry.verdict

    def _abandon(self, window: deque[_Entry]) -> None:
        """Cancel what runs, but keep the verdicts that have come in."""
        for entry in window:
            job = entry.job
            if job is None or entry.verdict is not None or entry.key not in self._running:
                continue
            if job.future.done() and not job.future.cancelled():
                outcome = job.future.result()
                if outcome.verdict is not Verdict.ERROR:
                    self._journal.put(
                        entry.key, outcome.verdict, outcome.exit_code, outcome.seconds
                    )
                self.counts.tests += 1
            else:
                self.counts.tests += job.future.running()
                job.cancel()
            del self._running[entry.key]
        self._running.clear()
