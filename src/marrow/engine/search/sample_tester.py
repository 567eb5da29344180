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

from marrow.engine.events import PhaseAdvanced, PhaseBegan, SampleTested
from marrow.engine.journal.journal import digest
from marrow.engine.search.dispatcher import Dispatcher
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


class SampleTester(Dispatcher):
    """Tests candidates; every verdict goes to the journal."""

    def phase(self, words: str, samples: int = 0) -> None:
        """Tell the listener what comes next, and how many samples must be interesting for it."""
        self.listen(PhaseBegan(words, samples))

    def advance(self, done: int, whole: int) -> None:
        """Tell the listener how far the phase is: so much done of the whole."""
        self.listen(PhaseAdvanced(done / max(1, whole)))

    def interesting(self, text: bytes) -> bool:
        """Whether the test is interesting on a text."""
        verdicts = self.verdicts([SampleText(text)])
        return any(verdict is Verdict.INTERESTING for _, verdict in verdicts)

    def verdicts(self, candidates: Iterable[C]) -> Generator[tuple[C, Verdict], None, None]:
        """Yield candidates with their verdicts; close the generator when enough is known.

        Raises `StopReductionError` when a limit is reached, in stream order.
        """
        source = iter(candidates)
        window: deque[tuple[bytes, C]] = deque()
        more = True
        try:
            while True:
                while window and (verdict := self.journal.get(window[0][0])) is not None:
                    key, candidate = window.popleft()
                    self.check_time()
                    self.listen(SampleTested(self.count(key), verdict))
                    yield candidate, verdict
                more = self._look_ahead(source, window, more=more)
                if not window:
                    return
                key, candidate = window[0]
                if self.journal.get(key) is None:
                    self.check_limit(key)
                    if key in self.timed_out:
                        self.confirm(key, candidate.text)
                    self.wait()
        finally:
            self.cancel(list(self.running))

    def _look_ahead(
        self, source: Iterator[C], window: deque[tuple[bytes, C]], *, more: bool
    ) -> bool:
        """Start tests while workers are free; return whether the stream has more to offer.

        Stops as soon as the first candidate has a verdict, which may be enough, or waits to be run
        alone.
        """
        workers = self.executor.workers
        while more and len(window) < _QUEUE_PER_WORKER * workers and len(self.running) < workers:
            if window and self._settled(window[0][0]):
                break
            ahead = next(source, None)
            if ahead is None:
                return False
            key = digest(ahead.text)
            waiting = {one for one, _ in window if one not in self.asked} - {key}
            more = self.affordable(key, len(waiting))
            window.append((key, ahead))
            if more and not self._settled(key):
                self.start(key, ahead.text)
            workers = self.executor.workers
        return more

    def _settled(self, key: bytes) -> bool:
        return self.journal.get(key) is not None or key in self.timed_out
