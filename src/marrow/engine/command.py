"""Tests that are commands: how to find them, and how to run them on a candidate."""

from __future__ import annotations

import errno
import hashlib
import os
import shlex
import shutil
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from marrow.engine.process import TestProcess, Watchdog
from marrow.engine.verdict import Outcome, Verdict, verdict_of_exit
from marrow.engine.workspace import Workspace, remove

# How long a test may take when nothing is known about it yet.
UNKNOWN_TIMEOUT: Final = 300.0


class TestCommandError(ValueError):
    """The test cannot be run at all; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class TestCommand:
    """A test: an executable, or a command for the shell.

    It is started in a fresh directory that holds the candidate under the input's own name; the path
    of the candidate is its first argument and the candidate its standard input. `memory` limits the
    address space, in bytes.
    """

    arguments: tuple[str, ...]
    memory: int | None = None

    @classmethod
    def executable(cls, name: str, *, memory: int | None = None) -> TestCommand:
        """Return the test for a script or program; raise `TestCommandError` if there is none."""
        path = Path(name)
        if not path.exists():
            found = shutil.which(name) if os.sep not in name else None
            if found is None:
                raise TestCommandError(
                    f"there is no test at {name}\nGive the path of a script that exits with 0 when "
                    "the candidate still shows the failure, or a command with --shell."
                )
            path = Path(found)
        if path.is_dir():
            raise TestCommandError(f"the test {name} is a directory\nGive an executable file.")
        if not os.access(path, os.X_OK):
            raise TestCommandError(
                f"the test {name} is not executable\nMake it so with: chmod +x {shlex.quote(name)}"
            )
        # Not resolved: a program may look at the name by which it was called.
        return cls((str(path.absolute()),), memory)

    @classmethod
    def shell(cls, command: str, *, memory: int | None = None) -> TestCommand:
        """Return the test for a shell command, which finds the candidate's path in `$1`."""
        if not command.strip():
            raise TestCommandError("the command given to --shell is empty")
        return cls(("/bin/sh", "-c", command, "marrow-test"), memory)

    def line(self, candidate: str) -> tuple[str, ...]:
        """Return the command line for a candidate."""
        if self.memory is None:
            return (*self.arguments, candidate)
        limit = f'ulimit -v {max(1, self.memory // 1024)}; exec "$@"'
        return ("/bin/sh", "-c", limit, "marrow-limit", *self.arguments, candidate)

    def by_hand(self, candidate: str) -> str:
        """Return what a person types to run the test."""
        return shlex.join(self.line(candidate))

    def fingerprint(self) -> str:
        """Return a hash of what the test is: its command, and the content of a script."""
        digest = hashlib.blake2b(repr(self.arguments).encode(), digest_size=16)
        path = Path(self.arguments[0])
        if path.is_file() and path.stat().st_size < 1 << 20:
            digest.update(path.read_bytes())
        return digest.hexdigest()


@dataclass(eq=False, slots=True)
class _CommandJob:
    """A test under way in a worker thread."""

    future: Future[Outcome]
    process: TestProcess | None = None
    cancelled: bool = False

    def cancel(self) -> None:
        """Kill the test if it runs; it never starts if it does not."""
        self.cancelled = True
        if not self.future.cancel() and self.process is not None:
            self.process.kill(timed_out=False)


class CommandExecutor:
    """Runs a command as the test, in local processes.

    `adopt` takes over orphans of tests to end them: for programs that own their process.
    """

    def __init__(
        self, command: TestCommand, file_name: str, workers: int = 1, *, adopt: bool = False
    ) -> None:
        self.timeout = UNKNOWN_TIMEOUT
        self._command = command
        self._file_name: Final = file_name
        self._workers: Final = workers
        self._workspace: Final = Workspace()
        self._watchdog: Final = Watchdog(self._workspace.run, adopt=adopt)
        self._pool: Final = ThreadPoolExecutor(workers, thread_name_prefix="marrow-test")
        self._jobs: Final[set[_CommandJob]] = set()
        self._lock: Final = threading.Lock()
        self._closed = False

    @property
    def workers(self) -> int:
        """How many tests may run at once."""
        return self._workers

    def submit(self, candidate: bytes, *, capture: bool = False) -> _CommandJob:
        """Start the test on a candidate; `capture` keeps what it prints."""
        job = _CommandJob(Future())
        with self._lock:
            self._jobs.add(job)
        self._pool.submit(self._work, job, candidate, capture)
        return job

    def close(self) -> None:
        """Kill every test, and leave no process and no file behind."""
        self._closed = True
        with self._lock:
            jobs = list(self._jobs)
        for job in jobs:
            job.cancel()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._watchdog.close()
        self._workspace.close()

    def _work(self, job: _CommandJob, candidate: bytes, capture: bool) -> None:
        try:
            if job.cancelled or self._closed or not job.future.set_running_or_notify_cancel():
                job.future.cancel()
                return
            try:
                outcome = self._run(job, candidate, capture)
            except Exception as error:
                outcome = Outcome(Verdict.ERROR, message=_explain(error))
            job.future.set_result(outcome)
        finally:
            with self._lock:
                self._jobs.discard(job)

    def _run(self, job: _CommandJob, candidate: bytes, capture: bool) -> Outcome:
        directory = self._workspace.directory()
        path = directory / self._file_name
        try:
            path.write_bytes(candidate)
            start = time.monotonic()
            process = self._start(directory, path, capture)
            job.process = process
            if job.cancelled:
                process.kill(timed_out=False)
            try:
                code = process.wait()
            finally:
                self._watchdog.forget(process)
            seconds = time.monotonic() - start
            output = process.output() if capture else b""
        finally:
            _clean(directory, path)
        if process.timed_out:
            return Outcome(Verdict.TIMEOUT, None, seconds, output)
        return Outcome(verdict_of_exit(code), code, seconds, output)

    def _start(self, directory: Path, path: Path, capture: bool) -> TestProcess:
        def start(command: TestCommand) -> TestProcess:
            with self._watchdog.starting(), path.open("rb") as stdin:
                process = TestProcess(
                    command.line(str(path)),
                    directory,
                    os.environ,
                    stdin,
                    mark=f"{self._workspace.run}:{directory.name}",
                    capture=capture,
                )
                self._watchdog.watch(process, self.timeout)
            return process

        try:
            return start(self._command)
        except OSError as error:
            if error.errno != errno.ENOEXEC:
                raise
            # A script without a first line that names its interpreter: shells run it themselves.
            self._command = TestCommand(("/bin/sh", *self._command.arguments), self._command.memory)
            return start(self._command)


def _clean(directory: Path, path: Path) -> None:
    """Remove a test's directory; the common case, with nothing else in it, is cheap."""
    try:
        os.unlink(path)
        os.rmdir(directory)
    except OSError:
        remove(directory)


def _explain(error: Exception) -> str:
    """Say in words why a test could not be run."""
    name = getattr(error, "filename", None) or ""
    if isinstance(error, FileNotFoundError):
        return f"the test is gone: {name}" if name else f"the test could not be started: {error}"
    if isinstance(error, PermissionError):
        return f"the test may not be run: {name}"
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"no space left for the candidate in the temporary directory ({name})"
    return f"the test could not be run: {error}"
