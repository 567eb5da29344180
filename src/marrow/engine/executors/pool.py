"""Tests in a pool of the caller: any `concurrent.futures.Executor`.

Threads, processes, what a cluster or a framework offers under this interface. The pool is its
owner's to shut down. A command is run where the pool runs things, by the path it has here; nothing
is shipped.
"""

from __future__ import annotations

import threading
from concurrent.futures import Executor as Pool
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.engine.executors.executor import Executor, ExecutorLostError, outcome_of
from marrow.engine.executors.function import TestFunction, run_function
from marrow.engine.executors.local import UNKNOWN_TIMEOUT, CommandExecutor
from marrow.engine.executors.registry import ExecutorOptions
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement
from marrow.engine.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True, eq=False)
class _PoolJob:
    future: Future[Outcome]
    inner: Future[Outcome] | None = None

    def cancel(self) -> None:
        """Cancel a test that waits in the pool; one that runs there cannot be stopped."""
        if self.inner is not None:
            self.inner.cancel()


def open_executor(
    test: TestFunction | TestCommand, place: Placement, options: ExecutorOptions
) -> Executor:
    """Return an executor in the pool that the options name."""
    assert isinstance(options.executor, Pool)
    return PoolExecutor(options.executor, test, place, options.workers or 1)


class PoolExecutor:
    """Runs a function or a command as the test, in a given pool."""

    def __init__(
        self, pool: Pool, test: TestFunction | TestCommand, place: Placement, workers: int = 1
    ) -> None:
        self._pool: Final = pool
        self._test: Final = test
        self._place: Final = place
        #: The number of tests that are in the pool at once.
        self.workers: Final = workers
        self._timeout = UNKNOWN_TIMEOUT
        self._lock: Final = threading.Lock()
        self._jobs: Final[set[_PoolJob]] = set()

    def allow(self, seconds: float) -> None:
        """Set the time limit of commands from now on."""
        self._timeout = seconds

    def submit(self, candidate: bytes, *, capture: bool = False) -> _PoolJob:
        """Give a test to the pool."""
        outer: Future[Outcome] = Future()
        outer.set_running_or_notify_cancel()
        try:
            if isinstance(self._test, TestCommand):
                inner = self._pool.submit(
                    run_command, self._test, self._place, self._timeout, candidate, capture
                )
            else:
                inner = self._pool.submit(run_function, self._test, candidate)
        except Exception as error:  # it is shut down, or broken
            outer.set_exception(_lost(error))
            return _PoolJob(outer)
        job = _PoolJob(outer, inner)
        with self._lock:
            self._jobs.add(job)
        inner.add_done_callback(partial(self._hand_over, job))
        return job

    def close(self) -> None:
        """Cancel the tests that wait in the pool. Any thread may do so."""
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()

    def _hand_over(self, job: _PoolJob, inner: Future[Outcome]) -> None:
        with self._lock:
            self._jobs.discard(job)
        if inner.cancelled():
            job.future.set_result(Outcome(Verdict.ERROR, message="the test was stopped"))
        elif (error := inner.exception()) is not None:
            job.future.set_exception(_lost(error))
        else:
            job.future.set_result(inner.result())


def run_command(
    command: TestCommand, place: Placement, seconds: float, candidate: bytes, capture: bool
) -> Outcome:
    """Run a command on one candidate, wherever this is called, and clean up."""
    executor = CommandExecutor(command, place)
    try:
        executor.allow(seconds)
        return outcome_of(executor.submit(candidate, capture=capture))
    finally:
        executor.close()


def _lost(error: BaseException) -> ExecutorLostError:
    return ExecutorLostError(
        f"the pool does not run the tests: {type(error).__name__}: {error}\n"
        "In a pool of processes the test must be a function that can be pickled: one at the top of "
        "a module."
    )
