"""Tests that the caller runs: it gets candidates one by one and answers for them."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final

from marrow.engine.executors.executor import LONGEST_WAIT
from marrow.engine.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class _Handed:
    """A candidate that waits for its answer."""

    future: Future[Outcome]
    candidate: bytes

    def cancel(self) -> None:
        """Give up the answer."""
        self.future.cancel()


class CallerExecutor:
    """The caller as the only worker. The reduction waits for its answers in another thread."""

    def __init__(self) -> None:
        self._changed: Final = threading.Condition()
        self._handed: _Handed | None = None
        self._closed = False
        #: Whether the end came before the answer to a candidate.
        self.taken_back = False

    @property
    def workers(self) -> int:
        """The number of candidates that are out at once."""
        return 1

    def allow(self, seconds: float) -> None:
        """Do nothing: the caller cannot be stopped."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Handed:
        """Hand out a candidate; what the caller's test prints is not kept."""
        del capture
        job = _Handed(Future(), candidate)
        with self._changed:
            if self._closed:
                self.taken_back = True
                job.cancel()
            else:
                self._handed = job
                self._changed.notify_all()
        return job

    def candidate(self) -> bytes | None:
        """Wait for the candidate that is out; None at the end."""
        with self._changed:
            while self._handed is None and not self._closed:
                self._changed.wait(LONGEST_WAIT)
            return None if self._handed is None else self._handed.candidate

    def answer(self, verdict: Verdict) -> bytes | None:
        """Answer for the candidate that is out, and return it; None if the end came before."""
        with self._changed:
            if self._closed:
                return None
            if self._handed is None:
                raise RuntimeError("there is no candidate to answer for; ask for the next one")
            job, self._handed = self._handed, None
        failed = "the caller could not run the test" if verdict is Verdict.ERROR else ""
        job.future.set_result(Outcome(verdict, message=failed))
        return job.candidate

    def close(self) -> None:
        """Take back the candidate that is out, and hand out no more. Any thread may do so."""
        with self._changed:
            self._closed = True
            job, self._handed = self._handed, None
            self.taken_back = self.taken_back or job is not None
            self._changed.notify_all()
        if job is not None:
            job.cancel()
