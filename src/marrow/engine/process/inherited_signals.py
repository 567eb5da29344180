"""Signals that a program inherits ignored or blocked, and that would make tests misjudged.

Daemons, CI runners and shells start programs with signals ignored or blocked, and programs pass
that on to what they start. With SIGCHLD ignored, the system keeps no exit codes: every test seems
to end with 0. With SIGALRM or SIGTERM blocked, `timeout` in a script has no effect. With SIGINT
ignored, as for background jobs of scripts, a test that kills itself lives on. So a test starts with
no signal blocked and none ignored, however marrow was started.

The command line sets its own process right at the start (`cli.main`). A library must leave that of
its user alone: exit codes are reported while a run is open, and the rest is set in the child.
"""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Final

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
    """Return what a child must do before it becomes a test; None if nothing is inherited.

    It makes starting a process slower, so it is only for programs that need it.
    """
    ignored = [number for number in _LOOKED_AT if signal.getsignal(number) is signal.SIG_IGN]
    if not ignored and not signal.pthread_sigmask(signal.SIG_BLOCK, ()):
        return None

    def reset() -> None:
        for number in ignored:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    return reset
