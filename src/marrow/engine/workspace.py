"""Temporary directories: one for a run, in it a fresh one for every test, none left behind.

A run that was killed could not clean up. The next run on the machine does it: a directory whose
owner is dead is removed, and so are the processes that its tests may have left running.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from marrow.engine.process import mark_of

_PREFIX: Final = "marrow-"
_OWNER: Final = "owner"


class Workspace:
    """The temporary directory of a run."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent: Final = Path(parent or tempfile.gettempdir())
        _clear_stale(self._parent)
        self.path: Final = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._parent))
        (self.path / _OWNER).write_text(f"{os.getpid()} {_start_time(os.getpid())}\n")
        self._numbers: Final = itertools.count()

    @property
    def run(self) -> str:
        """A name for the run that no other run on this machine has."""
        return self.path.name

    def directory(self) -> Path:
        """Make a fresh directory for one test."""
        path = self.path / f"t{next(self._numbers)}"
        path.mkdir()
        return path

    def close(self) -> None:
        """Remove everything."""
        remove(self.path)


def remove(path: Path) -> None:
    """Remove a directory, whatever a test has done to it; never raises."""
    try:
        shutil.rmtree(path, onerror=_make_writable)
    except OSError:
        shutil.rmtree(path, ignore_errors=True)


def _make_writable(function: Callable[..., Any], path: str, _: object) -> None:
    """Give back the rights that a test took from its own files, and try again."""
    with contextlib.suppress(OSError):
        for one in (os.path.dirname(path), path):
            if not os.path.islink(one):
                os.chmod(one, stat.S_IRWXU)
        if function in (os.scandir, os.open, os.listdir):
            shutil.rmtree(path, ignore_errors=True)
        else:
            function(path)


def _clear_stale(parent: Path) -> None:
    """Remove the directories of runs whose process is dead."""
    for path in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, ValueError):
            if path.is_symlink() or path.stat().st_uid != os.getuid():
                continue
            pid, started = (path / _OWNER).read_text().split()
            if _start_time(int(pid)) != started:
                _kill_marked(path.name)
                remove(path)


def _kill_marked(run: str) -> None:
    """Kill what the tests of a dead run left running; needs /proc, without it does nothing."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                mark = mark_of(int(name))
                if mark is not None and mark.startswith(f"{run}:"):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(int(name), signal.SIGKILL)


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
