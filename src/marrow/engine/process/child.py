"""The process of a test: in a session and group of its own, which is killed as a whole.

Also why it could not be started, in words that say what to do.

**Inherited signals.** Daemons, CI runners and shells start programs with signals ignored or
blocked, and programs pass that on to what they start. With SIGCHLD ignored, the system keeps no
exit codes: every test seems to end with 0. With SIGALRM or SIGTERM blocked, `timeout` in a script
has no effect. With SIGINT ignored, as for background jobs of scripts, a test that kills itself
lives on. So a test starts with no signal blocked and none ignored, however marrow was started. The
command line sets its own process right at the start (`cli.main`). A library must leave that of its
user alone: exit codes are reported while a run is open, and the rest is set in the child.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import selectors
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from marrow.base.errors import error_text

# A terminal stops background jobs by these; a test has no terminal. `Popen` itself sets those that
# Python ignores (SIGPIPE, SIGXFSZ), and SIGCHLD has its own rule.
_LEFT_AS_THEY_ARE: Final = frozenset(
    {
        *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
        *(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGKILL, signal.SIGSTOP),
    }
)
_LOOKED_AT: Final = tuple(signal.valid_signals() - _LEFT_AS_THEY_ARE)


class _Reporting:
    """How many blocks need exit codes, and whether SIGCHLD was ignored before the first."""

    lock: Final = threading.Lock()
    users = 0
    was_ignored = False


@contextlib.contextmanager
def exit_codes_reported() -> Iterator[None]:
    """Have the system report how children end, inside the block; blocks may overlap."""
    with _Reporting.lock:
        if _Reporting.users == 0:
            _Reporting.was_ignored = signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
            if _Reporting.was_ignored:
                _set_child_signal(signal.SIG_DFL)
        _Reporting.users += 1
    try:
        yield
    finally:
        with _Reporting.lock:
            _Reporting.users -= 1
            if _Reporting.users == 0 and _Reporting.was_ignored:
                _set_child_signal(signal.SIG_IGN)


def _set_child_signal(handler: signal.Handlers) -> None:
    try:
        signal.signal(signal.SIGCHLD, handler)
    except ValueError:  # Python sets signals in the main thread alone; the system does not mind
        libc = ctypes.CDLL(None)
        libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
        libc.signal(int(signal.SIGCHLD), int(handler))


def signal_reset() -> Callable[[], None] | None:
    """Return what a child must do before it becomes a test, which is slow; None if it need not."""
    ignored = [number for number in _LOOKED_AT if signal.getsignal(number) is signal.SIG_IGN]
    if not ignored and not signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        return None

    def reset() -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    return reset


# How many bytes of a test's output are kept, at both ends: enough to see what went wrong.
_KEPT_OUTPUT: Final = 8_192

# The same of each output of a command that is judged by it: errors come first or last.
_OBSERVED_OUTPUT: Final = 1 << 20

# How often to look whether a process has ended that prints nothing and holds its outputs open.
_LOOK_SECONDS: Final = 0.05


# How often a program that is still open for writing is tried again, and after how many seconds.
_BUSY_TRIES: Final = 100
_BUSY_SECONDS: Final = 0.02


def _started(start: Callable[[], subprocess.Popen[bytes]]) -> subprocess.Popen[bytes]:
    """Start a process, once its program is no longer open for writing.

    A copy of a program that was just written is still open in what another thread forked at that
    moment, until that has become the program it is to run.
    """
    for _ in range(_BUSY_TRIES):
        try:
            return start()
        except OSError as error:
            if error.errno != errno.ETXTBSY:
                raise
            time.sleep(_BUSY_SECONDS)
    return start()


class TestProcess:
    """One run of a test command.

    `environment` has the `mark` too. `stdout` is an open file, or `subprocess.PIPE` to keep what
    the test prints. `handed` are open files that it gets besides the usual ones. Of a process that
    is `observed`, both outputs are kept, each for itself. Call `outputs` before `wait`.
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
        observed: bool = False,
    ) -> None:
        self.mark: Final = mark
        self._lock: Final = threading.Lock()
        self._ended = False
        self.timed_out = False
        self.cancelled = False
        #: Its seconds of the processor, known once it has ended.
        self.processor = 0.0
        #: The most memory that it held, and all that it printed, in bytes.
        self.memory = 0
        self.written = 0
        reset = signal_reset()
        self._process: Final = _started(
            lambda: subprocess.Popen(
                command,
                cwd=directory,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=subprocess.PIPE if observed else subprocess.STDOUT,
                start_new_session=True,
                pass_fds=handed,
                preexec_fn=reset,
            )
        )
        #: The process id, which is the id of the group too.
        self.pid: Final = self._process.pid

    def wait(self) -> int:
        """Wait for the end, kill what is left of the group, and return the exit code."""
        if hasattr(os, "waitid"):
            # Leave the leader as a zombie for a moment: until it is reaped, nobody else has its id,
            # and the group can be killed safely.
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        else:  # macOS, before Python 3.13
            self._process.wait()
        with self._lock:
            _kill_group(self.pid)
            self._ended = True
            return self._reap() if self._process.returncode is None else self._process.returncode

    def _reap(self) -> int:
        """Reap the test; record the processor time of it and of the children it waited for."""
        try:
            _, status, usage = os.wait4(self.pid, 0)
        except ChildProcessError as error:  # `Popen` would take it for a success
            raise ChildProcessError(
                errno.ECHILD, "another part of the program has taken its exit code"
            ) from error
        self.processor = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        return self._process.returncode

    def without_core(self) -> None:
        """Let a crash leave no core file, which would take long to write."""
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError, ValueError):
                _, hard = resource.prlimit(self.pid, resource.RLIMIT_CORE)
                resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, hard))

    def outputs(self) -> list[bytes]:
        """Read what it prints until it has ended; return each output, shortened in the middle."""
        streams = [one for one in (self._process.stdout, self._process.stderr) if one is not None]
        most = _KEPT_OUTPUT if len(streams) == 1 else _OBSERVED_OUTPUT
        kept = [_Kept(most) for _ in streams]
        with contextlib.ExitStack() as closing:
            selector = closing.enter_context(selectors.DefaultSelector())
            for stream, into in zip(streams, kept, strict=True):
                closing.enter_context(stream)
                os.set_blocking(stream.fileno(), False)
                selector.register(stream, selectors.EVENT_READ, into)
            while selector.get_map():
                # A process that has detached itself may hold the pipes open without end.
                ended = self._has_ended()
                ready = selector.select(0 if ended else _LOOK_SECONDS)
                if ended and not ready:
                    break
                for key, _ in ready:
                    if piece := os.read(key.fd, 65536):
                        self.written += len(piece)
                        key.data.add(piece)
                    else:
                        selector.unregister(key.fileobj)
        return [one.text() for one in kept]

    def _has_ended(self) -> bool:
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        try:
            flags = os.WEXITED | os.WNOWAIT | os.WNOHANG
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:
            return True

    def kill(self, *, timed_out: bool) -> None:
        """Kill the whole group, unless it has ended."""
        with self._lock:
            if self._ended:
                return
            self.timed_out = self.timed_out or timed_out
            self.cancelled = self.cancelled or not timed_out
            _kill_group(self.pid)


class _Kept:
    """The start and the end of an output."""

    def __init__(self, most: int) -> None:
        self._most: Final = most
        self._text: Final = bytearray()
        self._lost = 0

    def add(self, piece: bytes) -> None:
        """Take what was printed next; what is too much goes in the middle."""
        self._text.extend(piece)
        if (more := len(self._text) - self._most) > 0:
            self._lost += more
            del self._text[self._most // 2 : self._most // 2 + more]

    def text(self) -> bytes:
        """Return what is kept."""
        half = self._most // 2
        middle = f"\n... {self._lost} bytes left out ...\n".encode() if self._lost else b""
        return bytes(self._text[:half]) + middle + bytes(self._text[half:])


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def why_not_entered(output: bytes) -> str:
    """Return a message: a test did not get into its sandbox."""
    said = output.decode("utf-8", "replace").strip()
    return error_text("not_in_sandbox", said=f": {said}" if said else "")


# What an error of the system means for a test that could not be run.
_MEANINGS: Final = {
    **dict.fromkeys((errno.EACCES, errno.EPERM), "test_not_permitted"),
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "no_space_for_candidate"),
    errno.ECHILD: "exit_code_lost",
    **dict.fromkeys((errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM), "no_process"),
}


def why_not_run(error: Exception) -> str:
    """Return a message: why a test could not be run, and what to do."""
    name = getattr(error, "filename", None) or ""
    if isinstance(error, FileNotFoundError):
        first = b""
        with contextlib.suppress(OSError), open(name, "rb") as file:
            first = file.readline(256)  # as much as the system looks at
        if first.startswith(b"#!") and first.endswith(b"\r\n"):
            program = first[2:].strip().decode("utf-8", "replace")
            return error_text("crlf_test", name=name, program=program, file=shlex.quote(name))
        words = " " in name and not os.path.lexists(name)
        return error_text("words_in_a_name" if words else "no_interpreter_there", name=name)
    if isinstance(error, RuntimeError) and "new thread" in str(error):
        return error_text("no_thread")
    meaning = _MEANINGS.get(getattr(error, "errno", None) or 0, "test_not_run")
    return error_text(meaning, name=name, error=error, last=(error.args or ("",))[-1])
