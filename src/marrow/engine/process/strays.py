"""Processes that tests leave behind: recognising and ending them.

Every process of a test carries a mark in its environment: the run, and the test in it. On Linux a
run also asks to inherit the orphans of its tests (`PR_SET_CHILD_SUBREAPER`). Where there is no
/proc, these functions find nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from typing import Final

#: The environment variable that marks every process of a test: the run, and the test in it.
MARKER: Final = "MARROW_TEST"

_PR_SET_CHILD_SUBREAPER: Final = 36

# How long to go on killing processes of a run: a killed process ends within milliseconds, unless
# the kernel holds it, and then nothing helps.
_PATIENCE: Final = 2.0


def become_subreaper(on: bool) -> bool:
    """Ask to become (or no longer be) the parent of orphaned descendants; Linux only."""
    if sys.platform != "linux":
        return False
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def children() -> list[int]:
    """Return the ids of this process' children."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):
                text = Path(f"/proc/self/task/{task}/children").read_text()
                found.extend(int(pid) for pid in text.split())
    return found


def open_inherited() -> int | None:
    """Open the list of the children of the main thread, where there is one.

    That is the thread to which Linux gives the orphans of a subreaper: the first one of a process
    that is alive (`find_alive_thread` in kernel/exit.c). A process that has ended and of which some
    descendant is alive has left at least one of them in this list.
    """
    with contextlib.suppress(OSError):
        return os.open(f"/proc/self/task/{os.getpid()}/children", os.O_RDONLY | os.O_CLOEXEC)
    return None


def mark_of(pid: int) -> str | None:
    """Return the mark in the environment of a process, if it has one that can be read."""
    start = MARKER.encode() + b"="
    with contextlib.suppress(OSError):
        for variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
            if variable.startswith(start):
                return variable[len(start) :].decode("utf-8", "replace")
    return None


def is_zombie(pid: int) -> bool:
    """Whether a process is dead and not reaped yet."""
    with contextlib.suppress(OSError, IndexError):
        # The state follows the name, which is in parentheses and may hold anything.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return False


def end(pid: int) -> None:
    """Kill a process, and reap it if it is a child of this one."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def end_marked(run: str) -> None:
    """End every process that the tests of a run have left, wherever it is in the process tree.

    It looks again until none is left: one of them may start another meanwhile.
    """
    patience = time.monotonic() + _PATIENCE
    while time.monotonic() < patience:
        found = [pid for pid in _processes() if (mark_of(pid) or "").startswith(f"{run}:")]
        if not found:
            return
        for pid in found:
            end(pid)
        time.sleep(0.005)


def _processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return []
