"""Whose a temporary directory is, and whether its owner is dead.

A run that was killed could not clean up; a later run does it. Only what marrow made may be removed,
whatever else is called so: every directory of a run carries a marker, a file that names the
directory, the machine and the process. It is removed if it belongs to this user and this machine,
and its owner is dead. The owner's lock on the directory tells a living owner that cannot be seen
(in another container with the same /tmp) from a dead one. Where machines share a directory, each
leaves alone what another has made.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import platform
import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from marrow.base.open_directory import OpenDirectory

#: The file by which a directory of marrow's is known.
MARKER_FILE: Final = ".marrow-run"

# More than any marker has.
_LONGEST_MARKER: Final = 4096

# How often to try for the lock of a run that has ended, 10 ms apart.
_TRIES: Final = 10

_NAME: Final = re.compile(r"marrow-\d+-\w+-\w+")


def prefix() -> str:
    """Return the beginning of the names of this process' directories."""
    pid = os.getpid()
    return f"marrow-{pid}-{_start_time(pid)}-"


def claim(path: Path) -> OpenDirectory:
    """Mark a new directory as one of this process; return it, open and locked while it lives."""
    pid = os.getpid()
    marker = {"directory": path.name, **_machine(), "pid": pid, "started": _start_time(pid)}
    opened = OpenDirectory.at(path)
    try:
        opened.write(MARKER_FILE, json.dumps(marker).encode(), 0o600)
    except BaseException:
        opened.close()
        raise
    with contextlib.suppress(OSError):
        fcntl.flock(opened.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return opened


def abandoned(parent: Path) -> Iterator[Path]:
    """Yield the directories of this user's dead runs on this machine."""
    for name in os.listdir(parent):
        if _NAME.fullmatch(name) is not None:
            with contextlib.suppress(OSError, ValueError, TypeError, RecursionError):
                if _is_abandoned(parent / name):
                    yield parent / name


def _is_abandoned(path: Path) -> bool:
    """Whether a directory is marrow's, of this user and machine, and its owner is dead."""
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        return False
    marker = _marker(path)
    ours = _machine()
    if marker.get("directory") != path.name or marker.get("host") != ours["host"]:
        return False
    if marker.get("boot") == ours["boot"] and marker.get("processes") == ours["processes"]:
        dead = _start_time(int(marker["pid"])) != marker["started"]
        return dead and _lock_is_free(path) is not False
    # Its process cannot be seen: only a lock that is free says that it is dead.
    return _lock_is_free(path) is True


def _marker(path: Path) -> dict[str, str]:
    """Read the marker of a directory; raise OSError or ValueError without a good one."""
    handle = os.open(path / MARKER_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
            raise ValueError("not a file of this user")
        marker = json.loads(file.read(_LONGEST_MARKER))
    if not isinstance(marker, dict):
        raise ValueError("not a marker")
    return marker


def _machine() -> dict[str, str]:
    """Return what tells this machine, its last start and its table of processes from others."""
    processes = ""
    with contextlib.suppress(OSError):
        processes = os.readlink("/proc/self/ns/pid")
    return {
        "host": f"{platform.node()} {_content('/etc/machine-id')}",
        "boot": _content("/proc/sys/kernel/random/boot_id"),
        "processes": processes,
    }


def _content(path: str) -> str:
    with contextlib.suppress(OSError):
        return Path(path).read_text().strip()
    return ""


def _lock_is_free(path: Path) -> bool | None:
    """Whether nobody holds the lock on a run's directory; None where locks do not work."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        for _ in range(_TRIES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                # A test that was just being started when its run was killed has it for a moment.
                time.sleep(0.01)
    except OSError:
        return None
    finally:
        os.close(handle)
    return False


def _start_time(pid: int) -> str:
    """Return when a process started, so that a reused id is not taken for it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return "dead"
    except OSError:
        return "alive"
    return "alive" if not Path("/proc/self/stat").exists() else "dead"
