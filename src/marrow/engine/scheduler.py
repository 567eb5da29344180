"""The scheduler: takes a stream of attempts, answers with the first interesting one in its order.

It looks ahead in the stream with as many workers as there are, and commits the first success in
stream order, not in time. So the result is the same for any number of workers; more workers only
find it sooner. What was tried ahead in vain is cancelled, but verdicts that came in are kept.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

from marrow.engine.control import Control
from marrow.engine.events import (
    Accepted,
    Answer,
    Listener,
    PassBegan,
    PhaseBegan,
    Tried,
    Warned,
)
from marrow.engine.executor import LONGEST_WAIT, Executor, Job
from marrow.engine.journal import Journal, digest
from marrow.engine.verdict import Verdict
from marrow.reduce.attempt import Attempt, Stream
from marrow.syntax.front import Validity
from marrow.syntax.part import Part
from marrow.tree import Tree, size

# How many answered attempts may queue up behind one that still runs, for each worker. Attempts that
# are known or invalid cost no worker; the limit only bounds memory.
_QUEUE_PER_WORKER: Final = 64


class StopReductionError(Exception):
    """The run must end before its time; the message says why. The best so far stays."""


class TestFailureError(StopReductionError):
    """The test itself could not be run."""

    __test__ = False  # no test case, whatever pytest makes of the name


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop. Tests count in stream order, so that any number of workers stops alike."""

    tests: int | None = None
    seconds: float | None = None


@dataclass(slots=True)
class Counts:
    """What a run has done. `tests` counts every test that was started, those in vain too.

    `needed` counts tests in stream order; `asked` also those that an earlier run had made, so it is
    what a run without a journal needs.
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
        """The attempts in stream order: a place in the run that a run that is resumed has too."""
        return self.needed + self.cached + self.invalid + self.skipped


@dataclass(slots=True, eq=False)
class _Entry:
    """An attempt in the window. An invalid one needs no test; the verdicts are in the journal.

    With one that is skipped, the rest of its pass is left out.
    """

    attempt: Attempt
    key: bytes
    invalid: bool = False
    skipped: bool = False


class Scheduler:
    """Runs streams of attempts."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener,
        limits: Limits | None = None,
        control: Control | None = None,
    ) -> None:
        limits = limits or Limits()
        self._control: Final = control or Control()
        self.counts: Final = Counts()
        self._executor: Final = executor
        self._journal: Final = journal
        self._listen: Final = listener
        self._most_tests: Final = limits.tests
        self._deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
        self._invalid: Final[set[bytes]] = set()
        self._been: Final[set[bytes]] = set()
        # Candidates that were asked about before: in this run, in stream order, or in the journal.
        self._asked: Final = set(journal.keys())
        self._asked_now: Final[set[bytes]] = set()
        self._running: Final[dict[bytes, Job]] = {}
        # Jobs that have ended come in here from the workers' threads.
        self._ended: Final[SimpleQueue[tuple[bytes, Job]]] = SimpleQueue()
        self._phase = ""
        self._pass_name = ""
        self._algorithm = ""
        self._part = Part(b"", ())
        self._warned = False

    def run(
        self,
        tree: Tree,
        stream: Stream | None,
        validity: Validity | None,
        part: Part | None = None,
        algorithm: str = "",
    ) -> Iterator[Tree]:
        """Run a stream to its end; yield every new best tree, each smaller than the one before.

        `part` says how the tree stands in the whole input, where it is not all of it; `algorithm`
        is the name of the only pass, where the attempts do not name theirs.
        """
        self._algorithm = algorithm
        self._part = part or Part(tree.text, ())
        whole = self._part.whole
        if validity is not None:
            validity.rebase(tree)
        best = tree
        while stream is not None:
            entry = self._first_interesting(best, stream, validity)
            if entry is None:
                return
            found = entry.attempt
            if entry.skipped:
                self.counts.skipped += 1
                stream = None if found.skip is None else found.skip()
                continue
            before, best = best, found.tree
            best.forget_origin()
            self.counts.accepted += 1
            after = whole(best.text)
            self._been.add(digest(after))
            tokens, length = self._part.tokens(best), self._part.length(after)
            self._listen(
                Accepted(
                    tokens,
                    length,
                    whole(before.text),
                    after,
                    found.phase,
                    self._pass_name,
                    self.counts.asked,
                )
            )
            yield best
            if validity is not None:
                validity.rebase(best)
            stream = found.then()

    def _first_interesting(
        self, best: Tree, stream: Stream, validity: Validity | None
    ) -> _Entry | None:
        """Return the first attempt of a stream that is interesting, or skipped, or None."""
        source = self._entries(best, stream, validity)
        window: deque[_Entry] = deque()
        ahead = next(source, None)
        decided = False  # an interesting one is in the window: nothing behind it is needed
        most = _QUEUE_PER_WORKER * self._executor.workers
        try:
            while True:
                while window and (self._skips(window[0]) or self._settled(window[0])):
                    entry = window.popleft()
                    if entry.skipped or self._settle(entry) is Verdict.INTERESTING:
                        return entry
                self._rest()
                while ahead is not None and not decided and self._room(window, most):
                    if not window:
                        self._check_limit(ahead)  # nobody would use the verdict
                    self._start(ahead)
                    window.append(ahead)
                    decided = self._journal.get(ahead.key) is Verdict.INTERESTING
                    # Made while the workers are busy, so that it is there when one is free.
                    ahead = None if decided else next(source, None)
                if not window:
                    if ahead is None:
                        return None
                elif not self._settled(window[0]):
                    decided = self._wait() or decided
        finally:
            self._abandon()

    def _room(self, window: deque[_Entry], most: int) -> bool:
        """Whether to take another attempt from the stream."""
        return len(window) < most and len(self._running) < self._executor.workers

    def _skips(self, entry: _Entry) -> bool:
        """Whether the rest of a pass is left out from the first attempt of the window on.

        What was skipped in the run that is resumed is skipped again, at the same place.
        """
        place = self.counts.attempts
        if place in self._journal.history.skips:
            entry.skipped = True
        elif self._control.take_skip(self._name_of(entry)):
            self._journal.put_skip(place)
            entry.skipped = True
        return entry.skipped

    def _name_of(self, entry: _Entry) -> str:
        return entry.attempt.pass_name or self._algorithm

    def _rest(self) -> None:
        """Wait as long as the run is paused, which is not counted as its time."""
        while self._control.paused and not (self._control.stopped or self._control.skipping):
            time.sleep(LONGEST_WAIT)
            if self._deadline is not None:
                self._deadline += LONGEST_WAIT
        if self._control.stopped:
            raise StopReductionError("as you asked")

    def _settled(self, entry: _Entry) -> bool:
        """Whether the answer to an attempt is there."""
        return entry.invalid or self._journal.get(entry.key) is not None

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
            key = digest(self._part.whole(candidate.text))
            if key in self._been:
                continue
            if self._journal.get(key) is not None or key in self._running or attempt.unparsed:
                yield _Entry(attempt, key)
            elif key in self._invalid or not (validity is None or validity.valid(candidate)):
                self._invalid.add(key)
                yield _Entry(attempt, key, invalid=True)
            else:
                yield _Entry(attempt, key)

    def _start(self, entry: _Entry) -> None:
        """Start the test of an entry, unless the answer is there or on its way."""
        if not self._settled(entry) and entry.key not in self._running:
            job = self._executor.submit(self._part.whole(entry.attempt.tree.text))
            self._running[entry.key] = job
            job.future.add_done_callback(partial(self._report, entry.key, job))

    def _report(self, key: bytes, job: Job, _: object) -> None:
        """Hand over a job that has ended; called in a worker's thread."""
        self._ended.put((key, job))

    def _wait(self) -> bool:
        """Wait until a test ends, or the time is up; return whether one was interesting."""
        ended: tuple[bytes, Job] | None = None
        while ended is None:
            left = LONGEST_WAIT
            if self._deadline is not None:
                left = min(left, self._deadline - time.monotonic())
                if left < 0:
                    raise StopReductionError("the time limit is reached")
            with contextlib.suppress(Empty):
                ended = self._ended.get(timeout=left)
            if ended is None and (self._control.skipping or self._control.stopped):
                return False
        decided = self._take(*ended)
        while not self._ended.empty():
            decided = self._take(*self._ended.get()) or decided
        return decided

    def _take(self, key: bytes, job: Job) -> bool:
        """Take the outcome of a test into the journal; return whether it was interesting."""
        if self._running.get(key) is not job:
            return False  # given up before it ended
        del self._running[key]
        if job.future.cancelled():
            raise StopReductionError("the tests were cancelled")
        outcome = job.future.result()
        self.counts.tests += 1
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
        if self._journal.failure and not self._warned:
            self._warned = True
            self._listen(Warned(f"{self._journal.failure}; the run goes on but cannot be resumed"))
        return outcome.verdict is Verdict.INTERESTING

    def _settle(self, entry: _Entry) -> Verdict | None:
        """Count the first attempt of the window, tell the listener, and return its verdict."""
        verdict = None if entry.invalid else self._journal.get(entry.key)
        name, phase = self._name_of(entry), entry.attempt.phase
        if name != self._pass_name:
            self._pass_name = name
            self._listen(PassBegan(name, self.counts.asked))
        if phase != self._phase:
            self._phase = phase
            self._listen(PhaseBegan(phase))
        answer = self._count(entry)
        self._listen(Tried(answer, verdict, entry.attempt))
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise StopReductionError("the time limit is reached")
        return verdict

    def _count(self, entry: _Entry) -> Answer:
        """Count an attempt in stream order: that a test ran ahead of its turn must not show."""
        if entry.invalid:
            self.counts.invalid += 1
            return Answer.INVALID
        known = entry.key in self._asked
        if not known:
            self._check_limit(entry)
        if entry.key not in self._asked_now:
            self._asked_now.add(entry.key)
            self.counts.asked += 1
        if known:
            self.counts.cached += 1
            return Answer.CACHE
        self._asked.add(entry.key)
        self.counts.needed += 1
        return Answer.TEST

    def _check_limit(self, entry: _Entry) -> None:
        """Raise if the limit does not allow for the test that an attempt needs."""
        if entry.invalid or entry.key in self._asked:
            return
        if self._most_tests is not None and self.counts.needed >= self._most_tests:
            raise StopReductionError(f"the limit of {self._most_tests:,} tests is reached")

    def _abandon(self) -> None:
        """Cancel what runs, but keep the verdicts that have come in."""
        for key, job in self._running.items():
            if not job.future.done():
                self.counts.tests += job.future.running()
                job.cancel()
            elif not job.future.cancelled() and job.future.exception() is None:
                outcome = job.future.result()
                self.counts.tests += 1
                if outcome.verdict is not Verdict.ERROR:
                    self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
        self._running.clear()
