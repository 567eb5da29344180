"""Commands as tests, in local processes, and tests in a pool of the caller.

A thread waits for each process. A pool is any `concurrent.futures.Executor`: threads, processes,
what a cluster or a framework offers. It is its owner's to shut down. A command is run where the
pool runs things, by the path it has here; nothing is shipped.
"""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Executor as Pool
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final, cast

from marrow.base.errors import error_text
from marrow.engine.executors.executor import Executor, ExecutorLostError, outcome_of
from marrow.engine.executors.function import (
    CallableExecutor,
    CoroutineExecutor,
    FutureExecutor,
    TestFunction,
    is_coroutine_function,
    run_function,
)
from marrow.engine.executors.registry import ExecutableTest, ExecutorOptions
from marrow.engine.process.child import why_not_run
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import OneFile, Placement
from marrow.engine.process.test_runner import RunningTest, TestRunner
from marrow.engine.verdict import Outcome, Verdict

# The time limit of a test of which nothing is known yet. The same as C-Reduce's default.
UNKNOWN_TIMEOUT: Final = 300.0


def open_executor(test: ExecutableTest, place: Placement, options: ExecutorOptions) -> Executor:
    """Return an executor in a pool, or one on this machine for any kind of test."""
    workers = options.workers or 1
    if isinstance(options.executor, Pool):
        return PoolExecutor(
            options.executor, cast(TestFunction | TestCommand, test), place, workers
        )
    if isinstance(test, TestCommand):
        return CommandExecutor(test, place, workers, adopt=options.adopt)
    if options.loop is not None and is_coroutine_function(test):
        return CoroutineExecutor(test, options.loop, workers)
    return CallableExecutor(cast(TestFunction, test), workers)


class CommandExecutor:
    """Runs a command as the test, in local processes.

    With one worker, a test is started in the thread that submits it: that thread continues with
    the next candidate, and another one would have to wait for the interpreter first. With several
    workers, threads start the tests, since starting is mostly waiting.

    `place` is the name of the candidate's file, or a placement of candidates in their directories.
    `adopt` inherits the orphans of tests and ends them: for programs that own their process.
    Raises `WorkspaceError` if temporary files cannot be written.
    """

    def __init__(
        self,
        command: TestCommand,
        place: str | Placement,
        workers: int = 1,
        *,
        adopt: bool = False,
    ) -> None:
        self._timeout = UNKNOWN_TIMEOUT
        #: The number of tests that run at once.
        self.workers: Final = workers
        place = OneFile(place) if isinstance(place, str) else place
        self._runner: Final = TestRunner(command, place, adopt=adopt)
        # Twice as many threads as workers: a thread may still clean up when its test has ended.
        self._pool: Final = ThreadPoolExecutor(2 * workers, thread_name_prefix="marrow-test")
        self._lock: Final = threading.Lock()
        self._running: Final[set[RunningTest]] = set()
        self._waiting: Final[deque[RunningTest]] = deque()
        self._closed = False
        #: What could not be removed in the end, and what to do about it.
        self.left_behind = ""

    def allow(self, seconds: float) -> None:
        """Set the time limit of tests from now on."""
        self._timeout = seconds

    def capture_tools(self, wanted: bool) -> bool:
        """Capture what the tools of a test print, with its outputs; return if it can be done."""
        return self._runner.wrap_tools(wanted)

    def submit(self, candidate: bytes, *, capture: bool = False) -> RunningTest:
        """Start the test on a candidate; `capture` keeps its output."""
        job = RunningTest(candidate, capture)
        with self._lock:
            if self._closed:
                job.cancel()
                return job
            self._waiting.append(job)
        self._start_waiting()
        return job

    def close(self) -> None:
        """Kill every test, and leave no process and no file of it. Any thread may do so."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            jobs = [*self._waiting, *self._running]
        for job in jobs:
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.left_behind = self._runner.close()

    def _start_waiting(self) -> None:
        """Start waiting tests while there are free workers."""
        while True:
            with self._lock:
                if self._closed or not self._waiting or len(self._running) >= self.workers:
                    return
                if self._running and self._runner.overrun:
                    return
                job = self._waiting.popleft()
                if not job.future.set_running_or_notify_cancel():
                    continue
                self._running.add(job)
            job.seconds = self._timeout
            try:
                here = self.workers == 1
                if here:
                    self._runner.start(job)
                self._pool.submit(self._attend, job, start=not here)
            except Exception as error:
                self._runner.give_up(job)
                self._end(job, Outcome(Verdict.ERROR, message=why_not_run(error)))

    def _attend(self, job: RunningTest, *, start: bool) -> None:
        """Start a test, unless it runs, and wait for its end; in a thread of the pool."""
        if job.future.done():  # given up; a pool without threads keeps what it was given
            return
        try:
            if start:
                self._runner.start(job)
            outcome = self._runner.outcome(job)
        except Exception as error:
            outcome = Outcome(Verdict.ERROR, message=why_not_run(error))
        self._end(job, outcome)

    def _end(self, job: RunningTest, outcome: Outcome) -> None:
        """Hand over the verdict, clear up, and start the next test."""
        with self._lock:
            self._running.discard(job)
        first = self._runner.keeps_overlay(job)
        if first:
            self._runner.clear(job)
        job.future.set_result(outcome)
        if not first:
            self._runner.clear(job)
        self._start_waiting()


class PoolExecutor(FutureExecutor):
    """Runs a function or a command as the test, in a given pool."""

    def __init__(
        self, pool: Pool, test: TestFunction | TestCommand, place: Placement, workers: int = 1
    ) -> None:
        super().__init__()
        self._pool: Final = pool
        self._test: Final = test
        self._place: Final = place
        #: The number of tests that are in the pool at once.
        self.workers: Final = workers
        self._timeout = UNKNOWN_TIMEOUT

    def allow(self, seconds: float) -> None:
        """Set the time limit of commands from now on."""
        self._timeout = seconds

    def _call(self, candidate: bytes, capture: bool) -> Future[Outcome]:
        outer: Future[Outcome] = Future()
        try:
            if isinstance(self._test, TestCommand):
                inner = self._pool.submit(
                    run_command, self._test, self._place, self._timeout, candidate, capture
                )
            else:
                inner = self._pool.submit(run_function, self._test, candidate)
        except Exception as error:  # it is shut down, or broken
            outer.set_exception(_lost(error))
            return outer
        # A test that waits in the pool is cancelled; one that runs there cannot be stopped.
        outer.add_done_callback(lambda _: inner.cancel())
        inner.add_done_callback(partial(_hand_over, outer))
        return outer


def _hand_over(outer: Future[Outcome], inner: Future[Outcome]) -> None:
    """Pass on the outcome of a test in a pool, unless nobody waits for it any more."""
    if not outer.set_running_or_notify_cancel():
        return
    error = None if inner.cancelled() else inner.exception()
    if error is not None:
        outer.set_exception(_lost(error))
    elif inner.cancelled():
        outer.set_result(Outcome(Verdict.ERROR, message="the test was stopped"))
    else:
        outer.set_result(inner.result())


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
    return ExecutorLostError(error_text("pool_lost", kind=type(error).__name__, error=error))
