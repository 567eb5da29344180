"""The process of a test: in a session and group of its own, which is killed as a whole."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Final

# How many bytes of a test's output are kept, at both ends: enough to see what went wrong.
_KEPT_OUTPUT: Final = 8_192


class TestProcess:
    """One run of a test command.

    `environment` has the `mark` too. `stdout` is an open file, or `subprocess.PIPE` to keep what
    the test prints. `handed` are open files that it gets besides the usual ones.
    """

    def __init__(
        self,
        command: Sequence[str],
        directory: str,
        environment: Mapping[bytes, bytes],
        stdin: int,
        stdout: int,
        *,
        mark: str,
        handed: Sequence[int] = (),
    ) -> None:
        self.mark: Final = mark
        self._lock: Final = threading.Lock()
        self._ended = False
        self.timed_out = False
        self.cancelled = False
        #: Its seconds of the processor, known once it has ended.
        self.processor = 0.0
        self._output: _Drain | None = None
        self._process: Final = subprocess.Popen(
            command,
            cwd=directory,
            env=environment,
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=handed,
        )
        if self._process.stdout is not None:
            try:
                self._output = _Drain(self._process.stdout)
            except RuntimeError:  # there is no room for another thread
                self._process.stdout.close()
                self.kill(timed_out=False)
                self.wait()
                raise

    @property
    def pid(self) -> int:
        """The process id, which is the id of the group too."""
        return self._process.pid

    def wait(self) -> int:
        """Wait for the end, kill what is left of the group, and return the exit code."""
        if hasattr(os, "waitid"):
            # Leave the leader as a zombie for a moment: until it is reaped, nobody else has its id,
            # and the group can be killed safely.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        with self._lock:
            _kill_group(self._process.pid)
            self._ended = True
            return self._reap()

    def _reap(self) -> int:
        """Reap the test; record the processor time of it and of the children it waited for."""
        try:
            _, status, usage = os.wait4(self._process.pid, 0)
        except ChildProcessError:  # somebody else reaped it
            return self._process.wait()
        self.processor = usage.ru_utime + usage.ru_stime
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode

    def output(self) -> bytes:
        """Return the output of the test, shortened in the middle."""
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
    """Reads the output of a test and keeps its start and its end."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream: Final = stream
        self._start = bytearray()
        self._end = bytearray()
        self._lost = 0
        self._thread: Final = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        half = _KEPT_OUTPUT // 2
        with self._stream, contextlib.suppress(OSError, ValueError):
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
        """Return the output so far. Only a detached process can still hold the pipe open."""
        self._thread.join(timeout=0.5)
        middle = f"\n... {self._lost} bytes left out ...\n".encode() if self._lost else b""
        return bytes(self._start) + middle + bytes(self._end)


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
