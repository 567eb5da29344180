"""Commands as tests, in local processes; a thread waits for each."""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, cast

from marrow.base.clock import running_time
from marrow.engine.executors.executor import Executor
from marrow.engine.executors.function import CallableExecutor, TestFunction, is_coroutine_function
from marrow.engine.executors.registry import ExecutableTest, ExecutorOptions
from marrow.engine.process.capacity import Capacity
from marrow.engine.process.captured_command import CapturedCommand, CommandEnd
from marrow.engine.process.child import TestProcess
from marrow.engine.process.command import TestCommand
from marrow.engine.process.inherited_signals import exit_codes_reported
from marrow.engine.process.leftover_processes import MARKER
from marrow.engine.process.placement import OneFile, Placement
from marrow.engine.process.prepared_test import PreparedTest, test_directories_for
from marrow.engine.process.sandbox import FAILED, SandboxEntry
from marrow.engine.process.start_errors import NO_THREAD, why_not_entered, why_not_run
from marrow.engine.process.tool_wrappers import ToolWrappers
from marrow.engine.process.watchdog import Watchdog
from marrow.engine.process.workspace import Workspace, WorkspaceError, open_null_device
from marrow.engine.verdict import Outcome, Verdict, verdict_of_exit

# The time limit of a test of which nothing is known yet. The same as C-Reduce's default.
UNKNOWN_TIMEOUT: Final = 300.0


def open_executor(test: ExecutableTest, place: Placement, options: ExecutorOptions) -> Executor:
    """Return an executor on this machine: of a command, a function or a coroutine function."""
    workers = options.workers or 1
    if isinstance(test, TestCommand):
        return CommandExecutor(test, place, workers, adopt=options.adopt)
    if options.loop is not None and is_coroutine_function(test):
        # Imported here, since asyncio takes a while to load.
        from marrow.engine.executors.coroutine import CoroutineExecutor

        return CoroutineExecutor(test, options.loop, workers)
    return CallableExecutor(cast(TestFunction, test), workers)


@dataclass(eq=False, slots=True)
class _CommandJob:
    """A test that waits for its turn or is under way."""

    future: Future[Outcome]
    candidate: bytes
    capture: bool
    process: TestProcess | None = None
    scene: PreparedTest | None = None
    entry: SandboxEntry | None = None
    started: float = 0.0
    cancelled: bool = False
    #: How many tests ran beside this one, itself included, at the worst moment.
    crowd: int = 1
    #: Whether it is certain that no process of the test was left.
    deserted: bool = False

    def cancel(self) -> None:
        """Kill the test; one that waits never starts."""
        self.cancelled = True
        if not self.future.cancel() and self.process is not None:
            self.process.kill(timed_out=False)


class CommandExecutor:
    """Runs a command as the test, in local processes.

    With one worker, a test is started in the thread that submits it: that thread goes on to compute
    the next candidate, and another one would have to wait for the interpreter first. With several
    workers, threads start the tests, since starting is mostly waiting.

    `place` is the name of the candidate's file, or a placement of candidates in their directories.
    `adopt` inherits the orphans of tests and ends them: for programs that own their process.
    Raises `WorkspaceError` if there is no place for temporary files.
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
        self._original: Final = command
        self._command = command
        self._script: Final = command.script
        self._place: Final = OneFile(place) if isinstance(place, str) else place
        self._observed: Final = command if isinstance(command, CapturedCommand) else None
        self._workers: Final = workers
        self._capacity: Final = Capacity(workers)
        # Only here is it known where the script lies: it may have come from another machine.
        self._sandbox: Final = (
            None if command.sandbox is None else command.sandbox.built(command.script)
        )
        # As bytes, so that it is not encoded again for every test.
        self._environment: Final = dict(
            os.environb if self._sandbox is None else self._sandbox.environment
        )
        self._wrappers: ToolWrappers | None = None
        # Opened once: most tests print into it.
        self._null: Final = open_null_device()
        self._closing: Final = contextlib.ExitStack()
        self._closing.callback(os.close, self._null)
        try:
            self._workspace: Final = Workspace()
        except BaseException:
            self._closing.close()
            raise
        self._closing.callback(self._workspace.close)
        self._closing.enter_context(exit_codes_reported())
        self._stage: Final = test_directories_for(self._workspace, self._place)
        try:
            self._watchdog: Final = Watchdog(self._workspace.run, adopt=adopt)
        except RuntimeError as error:
            self._closing.close()
            raise WorkspaceError(NO_THREAD) from error
        # Twice as many threads as workers: a thread may still clean up when its test has ended.
        self._pool: Final = ThreadPoolExecutor(2 * workers, thread_name_prefix="marrow-test")
        self._lock: Final = threading.Lock()
        self._running: Final[set[_CommandJob]] = set()
        self._waiting: Final[deque[_CommandJob]] = deque()
        self._closed = False

    @property
    def workers(self) -> int:
        """The number of tests worth running at once: no more than the cores can serve."""
        return self._capacity.worth

    @property
    def left_behind(self) -> str:
        """The directory that could not be removed in the end, if there is one."""
        return self._workspace.left_behind

    def allow(self, seconds: float) -> None:
        """Set the time limit of tests from now on."""
        self._timeout = seconds

    def capture_tools(self, wanted: bool) -> bool:
        """Keep what the programs of a test say to each other, too, where outputs are kept.

        Return whether it can be done: a command that is observed keeps nothing to itself.
        """
        self._wrappers = None
        if wanted and self._observed is None:
            wrappers = ToolWrappers(self._original, self._environment)
            self._wrappers = wrappers if wrappers.of_use else None
        return self._wrappers is not None

    def submit(self, candidate: bytes, *, capture: bool = False) -> _CommandJob:
        """Start the test on a candidate; `capture` keeps its output."""
        job = _CommandJob(Future(), candidate, capture)
        with self._lock:
            if self._closed:
                job.cancel()
                return job
            self._waiting.append(job)
        self._start_waiting()
        return job

    def close(self) -> None:
        """Kill every test, and leave no process and no file behind. Any thread may do so."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            jobs = [*self._waiting, *self._running]
        for job in jobs:
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._watchdog.close()
        self._closing.close()

    def _start_waiting(self) -> None:
        """Start waiting tests while there are free workers."""
        while True:
            with self._lock:
                if self._closed or not self._waiting or len(self._running) >= self._workers:
                    return
                if self._running and self._watchdog.overrun:
                    return
                job = self._waiting.popleft()
                if not job.future.set_running_or_notify_cancel():
                    continue
                self._running.add(job)
                for one in self._running:
                    one.crowd = max(one.crowd, len(self._running))
            try:
                if self._workers > 1:
                    self._pool.submit(self._start_and_attend, job)
                else:
                    self._start(job)
                    self._pool.submit(self._attend, job)
            except Exception as error:
                self._give_up(job, error)

    def _give_up(self, job: _CommandJob, error: Exception) -> None:
        """End a test that could not be started, or that no thread can wait for."""
        if job.process is not None:
            job.process.kill(timed_out=False)
            job.process.wait()
            self._watchdog.forget(job.process)
        self._end(job, Outcome(Verdict.ERROR, message=why_not_run(error)))

    def _start_and_attend(self, job: _CommandJob) -> None:
        if job.future.done():  # given up; a pool without threads keeps what it was given
            return
        try:
            self._start(job)
        except Exception as error:
            self._end(job, Outcome(Verdict.ERROR, message=why_not_run(error)))
        else:
            self._attend(job)

    def _start(self, job: _CommandJob) -> None:
        """Write the candidate and start the test."""
        scene = job.scene = self._stage.prepare(job.candidate)
        job.started = running_time()
        try:
            if self._observed is not None:
                job.process = self._spawn(job, self._observed.steps(scene.typed)[0])
            else:
                try:
                    job.process = self._spawn(job, self._command.line(scene.argument))
                except OSError as error:
                    if error.errno != errno.ENOEXEC:
                        raise
                    # A script whose first line names no interpreter: shells run it themselves.
                    self._command = self._original.through_shell()
                    job.process = self._spawn(job, self._command.line(scene.argument))
        except BaseException:
            if job.entry is not None:
                job.entry.entered()
            os.close(scene.stdin)
            raise
        if self._observed is None:
            os.close(scene.stdin)
        if job.cancelled:
            job.process.kill(timed_out=False)

    def _spawn(self, job: _CommandJob, line: Sequence[str]) -> TestProcess:
        scene = job.scene
        assert scene is not None
        if self._sandbox is not None:
            job.entry = SandboxEntry()
            line = self._sandbox.line(line, (scene.own.path, scene.own.temporary), job.entry)
        mark = f"{self._workspace.run}:{scene.own.name}"
        own = {b"TMPDIR": os.fsencode(scene.own.temporary), MARKER.encode(): mark.encode()}
        if b"PWD" in self._environment:
            own[b"PWD"] = os.fsencode(scene.inside)
        if job.capture and self._wrappers is not None:
            with scene.own.open_temporary() as temporary:
                own |= self._wrappers.install(temporary, scene.own.temporary)
        observed = self._observed is not None
        with self._watchdog.starting():
            process = TestProcess(
                line,
                scene.inside,
                self._environment | own,
                scene.stdin,
                subprocess.PIPE if job.capture or observed else self._null,
                mark=mark,
                handed=() if job.entry is None else job.entry.files,
                observed=observed,
            )
            self._watchdog.watch(process, self._timeout - (running_time() - job.started))
        return process

    def _attend(self, job: _CommandJob) -> None:
        """Wait for a test to end; runs in a thread of the pool."""
        if job.future.done():
            return
        try:
            outcome = self._outcome(job)
        except Exception as error:
            outcome = Outcome(Verdict.ERROR, message=why_not_run(error))
        self._end(job, outcome)

    def _outcome(self, job: _CommandJob) -> Outcome:
        if self._observed is not None:
            return self._judged(job, self._observed)
        process = job.process
        assert process is not None
        code, entered = self._wait(job, process)
        seconds = running_time() - job.started
        output = process.output() if job.capture else b""
        files = b"" if job.scene is None or not job.capture else self._written(job.scene)
        if (stopped := _stopped(process, seconds, output)) is not None:
            return stopped
        self._capacity.ran(seconds, process.processor, job.crowd)
        if code != 0 and self._script is not None and not os.access(self._script, os.X_OK):
            # The interpreter of a script that is gone ends with some exit code or other.
            raise FileNotFoundError(errno.ENOENT, "the test is gone", str(self._script))
        if not entered and code == FAILED:
            return Outcome(Verdict.ERROR, code, seconds, output, why_not_entered(output))
        return Outcome(verdict_of_exit(code), code, seconds, output, files=files)

    def _written(self, scene: PreparedTest) -> bytes:
        """Return what a test wrote into files, and what its wrapped tools printed."""
        files = scene.written()
        if self._wrappers is not None:
            with contextlib.suppress(OSError), scene.own.open_temporary() as temporary:
                files += b"\n" + self._wrappers.captured(temporary)
        return files

    def _wait(self, job: _CommandJob, process: TestProcess) -> tuple[int, bool]:
        """Wait for a process; return its exit code, and whether it was started at all."""
        try:
            code = process.wait()
        finally:
            job.deserted = self._watchdog.ended(process)
            entered = job.entry is None or job.entry.entered()
            job.entry = None
        return code, entered

    def _judged(self, job: _CommandJob, test: CapturedCommand) -> Outcome:
        """Run the steps of a test one after the other, and have their ends judged."""
        scene = job.scene
        assert scene is not None
        processor = 0.0
        ended: list[CommandEnd] = []
        output = b""
        try:
            steps = test.steps(scene.typed)
            for number, step in enumerate(steps):
                if number:
                    os.lseek(scene.stdin, 0, os.SEEK_SET)
                    job.process = self._spawn(job, step)
                    if job.cancelled:
                        job.process.kill(timed_out=False)
                process = job.process
                assert process is not None
                stdout, stderr = self._seen(process, scene)
                code, entered = self._wait(job, process)
                processor += process.processor
                seconds = running_time() - job.started
                output = stdout + stderr
                if not entered and code == FAILED:
                    return Outcome(Verdict.ERROR, code, seconds, output, why_not_entered(output))
                if process.cancelled:
                    return Outcome(Verdict.ERROR, None, seconds, message="the test was stopped")
                if number < len(test.guards):
                    if process.timed_out:
                        return Outcome(Verdict.TIMEOUT, None, seconds, output)
                    if code != 0:
                        why = f"the guard fails: {test.guards[number]}"
                        return Outcome(Verdict.NOT_INTERESTING, code, seconds, output, why=why)
                    continue
                ended.append(CommandEnd(None if process.timed_out else code, stdout, stderr))
                if process.timed_out:
                    break
            late = ended[-1].code is None
            if not late:
                self._capacity.ran(running_time() - job.started, processor, job.crowd)
            said = test.judge.judge(tuple(ended), job.candidate)
            verdict = said.verdict
            if late and verdict is Verdict.NOT_INTERESTING:
                verdict = Verdict.TIMEOUT
            elif verdict is Verdict.NOT_INTERESTING and self._is_invalid(job, test, scene):
                verdict = Verdict.UNRESOLVED
        finally:
            os.close(scene.stdin)
        seconds = running_time() - job.started
        shown = output if job.capture else b""
        return Outcome(
            verdict, ended[-1].code, seconds, shown, timed_out=late, why=said.why, label=said.label
        )

    def _seen(self, process: TestProcess, scene: PreparedTest) -> tuple[bytes, bytes]:
        """Read what a command prints; files of the user have their own names again in it."""
        process.without_core()
        stdout, stderr = process.observe()
        root = os.fsencode(scene.root)
        return (stdout.replace(root, b""), stderr.replace(root, b"")) if root else (stdout, stderr)

    def _is_invalid(self, job: _CommandJob, test: CapturedCommand, scene: PreparedTest) -> bool:
        check = test.check(scene.typed)
        if check is None:
            return False
        os.lseek(scene.stdin, 0, os.SEEK_SET)
        process = job.process = self._spawn(job, check)
        process.observe()
        code, _ = self._wait(job, process)
        return code == 0 and not process.timed_out

    def _end(self, job: _CommandJob, outcome: Outcome) -> None:
        """Hand over the verdict, then clean up, then start the next test.

        A mirror is cleared before: the next test would build another one, which takes longer.
        """
        with self._lock:
            self._running.discard(job)
        scene = job.scene
        if scene is not None and scene.overlay is not None:
            self._stage.clear(scene, deserted=self._is_deserted(job, scene))
            scene = None
        job.future.set_result(outcome)
        if scene is not None:
            self._stage.clear(scene, deserted=job.deserted)
        self._start_waiting()

    def _is_deserted(self, job: _CommandJob, scene: PreparedTest) -> bool:
        """Whether nothing of a test is left that could still write to its directory."""
        if job.deserted or job.process is None:
            return job.deserted
        # A mirror costs more than a look at all processes.
        return scene.overlay is not None and self._watchdog.left_nothing(
            job.process, scene.own.path
        )


def _stopped(process: TestProcess, seconds: float, output: bytes) -> Outcome | None:
    """Return the outcome of a test that did not end by itself."""
    if process.timed_out:
        return Outcome(Verdict.TIMEOUT, None, seconds, output)
    if process.cancelled:
        # Its end says nothing about the candidate.
        return Outcome(Verdict.ERROR, None, seconds, message="the test was stopped")
    return None
