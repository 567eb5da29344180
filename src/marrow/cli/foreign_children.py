"""Children of the process that marrow did not start, and must not touch.

`sh -c 'job & exec marrow ...'` makes the job a child of marrow. A run inherits the orphans of its
tests and ends them, and would take what the job leaves for its own. So where there are children
before anything was started, marrow works in a new process, which has none. This one passes on
signals and the way it ended. The same holds for the first process of a container, which inherits
what others leave there (`docker exec`).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
from typing import Final, NoReturn

from marrow.cli.exits import Exit

_PASSED_ON: Final = {
    *(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT),
    *(signal.SIGTSTP, signal.SIGCONT, signal.SIGUSR1, signal.SIGUSR2),
}

# Linux's number for prctl: the signal to get when the parent ends.
_PR_SET_PDEATHSIG: Final = 1


def work_apart() -> None:
    """Continue in a new process; return in that one only."""
    here = os.getpid()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _PASSED_ON | {signal.SIGCHLD})
    try:
        worker = os.fork()
    except OSError as error:
        sys.stderr.write(f"marrow: the system has no room for another process: {error}\n")
        sys.exit(Exit.TEST)
    if worker:
        _attend(worker)
    # If this one is killed, nobody could end its worker in good order.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if os.getppid() != here:
        os.kill(os.getpid(), signal.SIGTERM)


def _attend(worker: int) -> NoReturn:
    """Pass on signals until the worker ends, then end in the same way.

    Ctrl-C and Ctrl-Z reach both processes, and the worker a second time from here, which does no
    harm: a run obeys the first one.
    """
    while True:
        number = signal.sigwait(_PASSED_ON | {signal.SIGCHLD})
        if number != signal.SIGCHLD:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, number)
            continue
        # Reaps those that have ended.
        with contextlib.suppress(ChildProcessError):
            while (one := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
                pid, status = one
                if pid == worker and os.WIFSTOPPED(status):
                    os.kill(os.getpid(), signal.SIGSTOP)
                    os.kill(worker, signal.SIGCONT)
                elif pid == worker:
                    _end_like(status)


def _end_like(status: int) -> NoReturn:
    """End with the same exit code, or by the same signal."""
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        # Once is enough: the worker has dumped its memory, if that is wanted.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with contextlib.suppress(OSError, ValueError):  # SIGKILL has no handler
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
        os.kill(os.getpid(), -code)
        code = 128 - code  # the first process of a container is not killed by its own signals
    os._exit(code)
