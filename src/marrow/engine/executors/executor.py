"""The interface of executors, which run tests.

`submit` starts a test and returns a job. The job's `future` holds the outcome, its `cancel` stops
the test. Local processes, Python functions, the caller and pools of all kinds are
executors; so is whatever wraps another one.
"""

from __future__ import annotations

from concurrent.futures import Future
from typing import Final, Protocol, TypeVar

from marrow.base.errors import MarrowError
from marrow.engine.verdict import Outcome

T = TypeVar("T")

#: How long to wait at once. A signal that arrives just before a thread begins to wait does not wake
#: it: the thread must look for itself now and then, or Ctrl-C could have no effect.
LONGEST_WAIT: Final = 0.25


class ClusterError(MarrowError):
    """A cluster cannot be used; the message says why and what to do."""


class ExecutorLostError(MarrowError):
    """There is nothing left to run tests on; the message says why and what to do."""


class Job(Protocol):
    """A test under way."""

    @property
    def future(self) -> Future[Outcome]:
        """The outcome, once the test has ended."""

    def cancel(self) -> None:
        """Stop the test; nobody needs its verdict."""


class Executor(Protocol):
    """Runs tests on candidates."""

    @property
    def workers(self) -> int:
        """The number of tests worth running at once now; it may change during a run."""

    def allow(self, seconds: float) -> None:
        """Set the time limit of tests from now on, where a test can be stopped."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        """Start the test on a candidate; `capture` keeps what it prints."""

    def close(self) -> None:
        """Stop everything and clean up."""


def result_of(future: Future[T]) -> T:
    """Wait for a result; Ctrl-C can break in."""
    while True:
        try:
            return future.result(LONGEST_WAIT)
        except TimeoutError:
            if future.done():
                return future.result()


def outcome_of(job: Job) -> Outcome:
    """Wait for the outcome of a job; Ctrl-C can break in."""
    return result_of(job.future)


# About this many values make a recent mean.
_SEVERAL: Final = 20


class RecentMean:
    """The mean of the last few values, roughly; 0 before there is any."""

    def __init__(self) -> None:
        self.value = 0.0
        self._count = 0

    def saw(self, value: float) -> None:
        """Take another value."""
        self._count = min(self._count + 1, _SEVERAL)
        self.value += (value - self.value) / self._count
