"""The sample tester: verdicts on a stream of independent candidates, in the order of the stream.

A reduction asks for the first interesting attempt (see `scheduler`); an abstraction asks for the
verdict on each of many samples, until it has seen enough. The sample tester looks ahead in the
stream with all workers and hands over verdicts in stream order, so that no decision depends on the
number of workers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from marrow.base.deadline import Deadline
from marrow.engine.events import Listener, PhaseAdvanced, PhaseBegan, SampleTested, ignore
from marrow.engine.executors.executor import Executor
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.dispatcher import Dispatcher, Limits
from marrow.engine.verdict import Verdict

# How many answered candidates may wait for one that still runs, for each worker: those that
# are known cost no worker, and the limit only bounds memory.
_QUEUE_PER_WORKER: Final = 64


class Candidate(Protocol):
    """Something to test."""

    @property
    def text(self) -> bytes:
        """The input to run the test on."""


@dataclass(frozen=True, slots=True)
class SampleText:
    """A text to test."""

    text: bytes


C = TypeVar("C", bound=Candidate)


class SampleTester:
    """Tests candidates; every verdict goes to the journal."""

    def __init__(
        self,
        executor: Executor,
        journal: Journal,
        listener: Listener = ignore,
        limits: Limits | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """`deadline` keeps the time limit, where it began before this."""
        self._dispatcher: Final = Dispatcher(executor, journal, listener, limits, deadline)
        #: How many tests were run, and needed.
        self.counts: Final = self._dispatcher.counts
        #: What was asked about, whether the test was run for it or the verdict was known.
        self.asked: Final = self._dispatcher.asked_now
        self._journal: Final = journal
        self._listen: Final = listener

    def phase(self, words: str, samples: int = 0) -> None:
        """Tell the listener what comes next, and how many samples must be interesting for it."""
        self._listen(PhaseBegan(words, samples))

    def advance(self, done: int, whole: int) -> None:
        """Tell the listener how far the phase is: so much done of the whole."""
        self._listen(PhaseAdvanced(done / max(1, whole)))

    def verdicts(self, candidates: Iterable[C]) -> Generator[tuple[C, Verdict], None, None]:
        """Yield candidates with their verdicts; close the generator when enough is known.

        Raises `StopReductionError` when a limit is reached, in stream order.
        """
        dispatcher = self._dispatcher
        source = iter(candidates)
        window: deque[tuple[bytes, C]] = deque()
        more = True
        try:
            while True:
                while window and (verdict := self._journal.get(window[0][0])) is not None:
                    key, candidate = window.popleft()
                    self._count(key, verdict)
                    yield candidate, verdict
                more = self._look_ahead(source, window, more=more)
                if not window:
                    return
                key, candidate = window[0]
                if self._journal.get(key) is None:
                    dispatcher.check_limit(key)
                    if key in dispatcher.timed_out:
                        dispatcher.confirm(key, candidate.text)
                    dispatcher.wait()
        finally:
            dispatcher.cancel(list(dispatcher.running))

    def _look_ahead(
        self, source: Iterator[C], window: deque[tuple[bytes, C]], *, more: bool
    ) -> bool:
        """Start tests while workers are free; return whether the stream has more to offer.

        Stops as soon as the first candidate has a verdict, which may be enough, or waits to be run
        alone.
        """
        dispatcher = self._dispatcher
        while more and self._room(len(window)):
            if window and self._settled(window[0][0]):
                break
            ahead = next(source, None)
            if ahead is None:
                return False
            key = digest(ahead.text)
            waiting = {one for one, _ in window if one not in dispatcher.asked} - {key}
            more = dispatcher.affordable(key, len(waiting))
            window.append((key, ahead))
            if more and not self._settled(key):
                dispatcher.start(key, ahead.text)
        return more

    def _settled(self, key: bytes) -> bool:
        return self._journal.get(key) is not None or key in self._dispatcher.timed_out

    def _room(self, ahead: int) -> bool:
        """Whether to take another candidate from the stream."""
        workers = self._dispatcher.executor.workers
        return ahead < _QUEUE_PER_WORKER * workers and len(self._dispatcher.running) < workers

    def _count(self, key: bytes, verdict: Verdict) -> None:
        self._dispatcher.check_time()
        self._listen(SampleTested(self._dispatcher.count(key), verdict))
