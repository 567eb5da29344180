"""Processes of tests: started in a group of their own, ended with everything they started.

A group is killed as a whole. A test may also leave processes behind that made a group or session of
their own. On Linux marrow asks to inherit such orphans (`PR_SET_CHILD_SUBREAPER`) and knows them by
a variable in their environment, so that it ends those and no others.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Final

#: The environment variable that marks every process of a test: the run, and the test in it.
MARKER: Final = "MARROW_TEST"

_PR_SET_CHILD_SUBREAPER: Final = 36

# How much of a test's output is kept: enough to see what went wrong, at both ends.
_KEPT_OUTPUT: Final = 8_192


class TestProcess:
    """One run of a test command."""

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        environment: Mapping[str, str],
        stdin: IO[bytes],
        *,
        mark: str,
        capture: bool,
    ) -> None:
        self.mark: Final = mark
        self._lock: Final = threading.Lock()
        self._ended = False
        self.timed_out = False
        self.cancelled = False
        self._output: _Drain | None = None
        self._process: Final = subprocess.Popen(
            command,
            cwd=directory,
            env={**environment, MARKER: mark},
            stdin=stdin,
            stdout=subprocess.PIPE if capture else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if capture else subprocess.DEVNULL,
            start_new_session=True,
        )
        if self._process.stdout is not None:
            self._output = _Drain(self._process.stdout)

    @property
    def pid(self) -> int:
        """The process id, which is the id of the group too."""
        return self._process.pid

    def wait(self) -> int:
        """Wait for the end, kill what is left of the group, and return the exit code."""
        if hasattr(os, "waitid"):
            # Leave the leader as a zombie for a moment: as long as it is one, its id is nobody
            # else's, and the group can be killed safely.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        with self._lock:
            _kill_group(self._process.pid)
            self._ended = True
            return self._process.wait()

    def output(self) -> bytes:
        """Return what the test printed, shortened in the middle."""
        return b"" if self._output is None else self._output.close()

    def kill(self, *, timed_out: bool) -> None:
        """Kill the whole group, unless it has ended."""
        with self._lock:
            if self._ended:
                return
            self.timed_out = self.timed_out or timed_out
            self.cancelled = self.cancelled or not timed_out
            _kill_group(self._process.pid)


class _Drain:
    """Reads everything a test prints and keeps the start and the end of it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream: Final = stream
        self._start = bytearray()
        self._end = bytearray()
        self._lost = 0
        self._thread: Final = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        half = _KEPT_OUTPUT // 2
        with contextlib.suppress(OSError, ValueError):
            while piece := os.read(self._stream.fileno(), 65536):
                room = half - len(self._start)
                if room > 0:
                    self._start += piece[:room]
                    piece = piece[room:]
                self._end += piece
                if len(self._end) > half:
                    self._lost += len(self._end) - half
                    del self._end[:-half]

    def close(self) -> bytes:
        # Everything in the group is dead; only a detached process could hold the pipe open.
        self._thread.join(timeout=1.0)
        if not self._thread.is_alive():
            self._stream.close()
        middle = f"\n... {self._lost} bytes left out ...\n".encode() if self._lost else b""
        return bytes(self._start) + middle + bytes(self._end)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


class Watchdog:
    """Kills tests that run too long, and orphans that tests left behind."""

    # How often orphans are looked for. They do no harm for a second.
    _SWEEP_SECONDS: Final = 1.0

    def __init__(self, run: str, *, adopt: bool) -> None:
        self._run: Final = run
        self._adopting: Final = adopt and _become_subreaper(True)
        self._condition: Final = threading.Condition()
        self._deadlines: Final[dict[TestProcess, float]] = {}
        self._closed = False
        self._starting = 0
        self._thread: Final = threading.Thread(
            target=self._watch, name="marrow-watchdog", daemon=True
        )
        self._thread.start()

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Hold off reaping while a process is started that is not watched yet."""
        with self._condition:
            self._starting += 1
        try:
            yield
        finally:
            with self._condition:
                self._starting -= 1

    def watch(self, process: TestProcess, seconds: float) -> None:
        """Kill the process unless `forget` is called in time."""
        with self._condition:
            self._deadlines[process] = time.monotonic() + seconds
            self._condition.notify()

    def forget(self, process: TestProcess) -> None:
        """The process has ended."""
        with self._condition:
            self._deadlines.pop(process, None)

    def close(self) -> None:
        """End the thread, and what tests left behind."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        self._thread.join()
        if self._adopting:
            # Killing an orphan may make orphans of its own children: look again until none is left.
            for _ in range(100):
                if not self._sweep():
                    break
                time.sleep(0.01)
            _become_subreaper(False)

    def _watch(self) -> None:
        next_sweep = time.monotonic() + self._SWEEP_SECONDS
        while True:
            with self._condition:
                if self._closed:
                    return
                now = time.monotonic()
                late = [process for process, end in self._deadlines.items() if end <= now]
                if not late:
                    soonest = min(self._deadlines.values(), default=now + 60)
                    self._condition.wait(max(0.001, min(soonest, next_sweep) - now))
            for process in late:
                process.kill(timed_out=True)
                self.forget(process)
            if time.monotonic() >= next_sweep:
                if self._adopting:
                    self._sweep()
                next_sweep = time.monotonic() + self._SWEEP_SECONDS

    def _sweep(self) -> bool:
        """Kill orphans and reap dead ones; return whether there were any."""
        found = False
        for pid in _children():
            # With the lock held no test starts or ends, so that a child is one of the tests or not.
            with self._condition:
                if self._starting or any(process.pid == pid for process in self._deadlines):
                    continue
                if self._is_orphan(pid):
                    found = True
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
                    with contextlib.suppress(ChildProcessError):
                        os.waitpid(pid, 0)
        return found

    def _is_orphan(self, pid: int) -> bool:
        """Whether a child is dead, or belongs to a test of this run that has ended."""
        mark = mark_of(pid)
        if not mark:
            return _is_zombie(pid)
        running = {process.mark for process in self._deadlines}
        return mark.startswith(f"{self._run}:") and mark not in running


def _become_subreaper(on: bool) -> bool:
    """Ask to become (or no longer be) the parent of orphaned descendants; Linux only."""
    if sys.platform != "linux":
        return False
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _children() -> list[int]:
    """Return the ids of this process' children."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/self/task/{task}/children").read_text()
                found.extend(int(pid) for pid in text.split())
    return found


def mark_of(pid: int) -> str | None:
    """Return the marker in the environment of a process."""
    with contextlib.suppress(OSError):
        for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            name, _, value = variable.partition(b"=")
            if name == MARKER.encode():
                return value.decode("utf-8", "replace")
    return None


def _is_zombie(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        # The state follows the name, which is in parentheses and may hold anything.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False
