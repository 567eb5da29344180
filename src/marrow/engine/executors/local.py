"""Commands as tests, in local processes; a thread waits for each."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, cast

from marrow.engine.executors.executor import Capacity, Executor
from marrow.engine.executors.function import (
    CallableExecutor,
    CoroutineExecutor,
    TestFunction,
    is_coroutine_function,
)
from marrow.engine.executors.registry import ExecutableTest, ExecutorOptions
from marrow.engine.process.child import why_not_run
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import OneFile, Placement
from marrow.engine.process.test_runner import RunningTest, ScriptRunner, runner_of
from marrow.engine.verdict import Outcome, Verdict

# The time limit of a test of which nothing is known yet. The same as C-Reduce's default.
UNKNOWN_TIMEOUT: Final = 300.0


def open_executor(test: ExecutableTest, place: Placement, options: ExecutorOptions) -> Executor:
    """Return an executor on this machine: of a command, a function or a coroutine function."""
    workers = options.workers or 1
    if isinstance(test, TestCommand):
        return CommandExecutor(test, place, workers, adopt=options.adopt)
    if options.loop is not None and is_coroutine_function(test):
        return CoroutineExecutor(test, options.loop, workers)
    return CallableExecutor(cast(TestFunction, test), workers)


@dataclass(eq=False, slots=True)
class _CommandJob:
    """A test that waits for its turn or is under way."""

    future: Future[Outcome]
    test: RunningTest
    #: How many tests ran at once, this one included, at the worst moment.
    crowd: int = 1

    def cancel(self) -> None:
        """Kill the test; one that waits never starts."""
        self.test.cancelled = True
        if not self.future.cancel():
            self.test.cancel()


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
        self._workers: Final = workers
        self._capacity: Final = Capacity(workers)
        place = OneFile(place) if isinstance(place, str) else place
        self._runner: Final = runner_of(command, place, adopt=adopt)
        # Twice as many threads as workers: a thread may still clean up when its test has ended.
        self._pool: Final = ThreadPoolExecutor(2 * workers, thread_name_prefix="marrow-test")
        self._lock: Final = threading.Lock()
        self._running: Final[set[_CommandJob]] = set()
        self._waiting: Final[deque[_CommandJob]] = deque()
        self._closed = False
        #: What could not be removed in the end, and what to do about it.
        self.left_behind = ""

    @property
    def workers(self) -> int:
        """The number of tests worth running at once: no more than the cores can serve."""
        return self._capacity.worth

    def allow(self, seconds: float) -> None:
        """Set the time limit of tests from now on."""
        self._timeout = seconds

    def capture_tools(self, wanted: bool) -> bool:
        """Capture what the tools of a test print, too, where outputs are captured.

        Return whether it can be done: a captured command keeps nothing to itself.
        """
        return isinstance(self._runner, ScriptRunner) and self._runner.wrap_tools(wanted)

    def submit(self, candidate: bytes, *, capture: bool = False) -> _CommandJob:
        """Start the test on a candidate; `capture` keeps its output."""
        job = _CommandJob(Future(), RunningTest(candidate, capture))
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
                if self._closed or not self._waiting or len(self._running) >= self._workers:
                    return
                if self._running and self._runner.overrun:
                    return
                job = self._waiting.popleft()
                if not job.future.set_running_or_notify_cancel():
                    continue
                self._running.add(job)
                for one in self._running:
                    one.crowd = max(one.crowd, len(self._running))
            job.test.seconds = self._timeout
            try:
                if self._workers > 1:
                    self._pool.submit(self._start_and_attend, job)
                else:
                    self._runner.start(job.test)
                    self._pool.submit(self._attend, job)
            except Exception as error:
                self._runner.give_up(job.test)
                self._end(job, Outcome(Verdict.ERROR, message=why_not_run(error)))

    def _start_and_attend(self, job: _CommandJob) -> None:
        if job.future.done():  # given up; a pool without threads keeps what it was given
            return
        try:
            self._runner.start(job.test)
        except Exception as error:
            self._end(job, Outcome(Verdict.ERROR, message=why_not_run(error)))
        else:
            self._attend(job)

    def _attend(self, job: _CommandJob) -> None:
        """Wait for a test to end; runs in a thread of the pool."""
        if job.future.done():
            return
        try:
            outcome = self._runner.outcome(job.test)
            if outcome.exit_code is not None:  # it ended by itself
                self._capacity.ran(outcome.seconds, job.test.processor, job.crowd)
        except Exception as error:
            outcome = Outcome(Verdict.ERROR, message=why_not_run(error))
        self._end(job, outcome)

    def _end(self, job: _CommandJob, outcome: Outcome) -> None:
        """Hand over the verdict, clear up, and start the next test."""
        with self._lock:
            self._running.discard(job)
        first = self._runner.keeps_overlay(job.test)
        if first:
            self._runner.clear(job.test)
        job.future.set_result(outcome)
        if not first:
            self._runner.clear(job.test)
        self._start_waiting()
