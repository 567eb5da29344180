"""Processes that tests leave: recognising and ending them.

Every process of a test carries a mark in its environment: the run, and the test in it. On Linux a
run also asks to inherit the orphans of its tests (`PR_SET_CHILD_SUBREAPER`). Without /proc,
these functions find nothing.

**Fork bombs.** A test may start processes faster than they can be killed, each in a session of its
own, so that no signal reaches several at once; killing one makes room for the next. So processes
are stopped first, with all their descendants, until no other one is found: what is stopped starts
nothing, and keeps its place in the table of processes. Then all are killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterable
from typing import Final

#: The environment variable that marks every process of a test: the run, and the test in it.
MARKER: Final = "MARROW_TEST"

# How long to look for processes of a run. Among thousands that all want the processor,
# this process gets little of it: a bomb of 2,000 was ended within seconds. What is still there
# after a minute is held by the kernel, or belongs to another user.
_PATIENCE: Final = 60.0


def become_subreaper(on: bool) -> bool:
    """Ask to become (or no longer be) the parent of orphaned descendants; Linux only."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        return bool(libc.prctl(36, int(on), 0, 0, 0) == 0)  # PR_SET_CHILD_SUBREAPER
    return False


def children(parent: int | str = "self") -> list[int]:
    """Return the ids of the children of a process, by default of this one."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{parent}/task"):
            with contextlib.suppress(OSError):
                found += map(int, _content(f"/proc/{parent}/task/{task}/children").split())
    return found


def inherited() -> list[int] | None:
    """Return the children of the main thread; None where they cannot be seen.

    That is the thread to which Linux gives the orphans of a subreaper: the first one of a process
    that is alive (`find_alive_thread` in kernel/exit.c). A process that has ended and of which some
    descendant is alive has left at least one of them here.
    """
    with contextlib.suppress(OSError):
        return [*map(int, _content(f"/proc/self/task/{os.getpid()}/children").split())]
    return None


def mark_of(pid: int) -> str | None:
    """Return the mark in the environment of a process, if it has one that can be read."""
    start = MARKER.encode() + b"="
    with contextlib.suppress(OSError):
        for variable in _content(f"/proc/{pid}/environ").split(b"\0"):
            if variable.startswith(start):
                return variable[len(start) :].decode("utf-8", "replace")
    return None


def reaped(pid: int) -> bool:
    """Reap a child if it is dead; return whether it was, or is not a child any more."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def stop_all(found: Callable[[], Iterable[int]], *, end: bool) -> list[int]:
    """Stop processes with all their descendants, or end them; return their ids.

    `found` returns those that are to be stopped now, and leaves out dead ones. It is asked again:
    a process whose parent ends shows up elsewhere.
    """
    stopped: dict[int, None] = {}
    patience = time.monotonic() + _PATIENCE
    while time.monotonic() < patience:
        new = [pid for pid in found() if pid not in stopped]
        new += [one for pid in stopped for one in children(pid) if one not in stopped]
        if not new:
            break
        for pid in new:
            send(pid, signal.SIGSTOP)
        stopped |= dict.fromkeys(new)
    for pid in stopped if end else ():
        send(pid, signal.SIGKILL)
    return list(stopped)


def end_marked(run: str) -> None:
    """End every process that the tests of a run have left; look again until none is left."""

    def found() -> list[int]:
        marked = [pid for pid in _processes() if (mark_of(pid) or "").startswith(f"{run}:")]
        return [pid for pid in marked if not _is_zombie(pid)]

    patience = time.monotonic() + _PATIENCE
    while stop_all(found, end=True) and time.monotonic() < patience:
        time.sleep(0.005)


def is_alive(mark: str, directory: str) -> bool:
    """Whether a process has a mark, or works in a directory; True where none can be seen."""
    below = directory.rstrip("/") + "/"
    processes = _processes()
    for pid in processes:
        with contextlib.suppress(OSError):
            if f"{os.readlink(f'/proc/{pid}/cwd')}/".startswith(below):
                return True
            if mark_of(pid) == mark and not _is_zombie(pid):
                return True
    return not processes


def send(pid: int, number: int) -> None:
    """Send a signal to a process, if it is there and this one may."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _is_zombie(pid: int) -> bool:
    """Whether a process is dead and not reaped yet."""
    with contextlib.suppress(OSError, IndexError):
        # The state follows the name, which is in parentheses and may hold anything.
        return _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0] == b"Z"
    return False


def _content(path: str) -> bytes:
    """Read a file of /proc, quickly: a process may have ended the next moment."""
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return []
