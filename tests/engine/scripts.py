"""Tests as scripts, and looking at processes, for the tests of the engine."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path

from marrow.engine.process.command import TestCommand as Command


def script(directory: Path, body: str, first_line: str = "#!/bin/sh\n") -> Path:
    """Write an executable script outside of every temporary directory of a run."""
    path = directory / "test.sh"
    path.write_text(f"{first_line}{body}\n")
    path.chmod(0o755)
    return path


def command(directory: Path, body: str, first_line: str = "#!/bin/sh\n") -> Command:
    """Return a script as a test."""
    return Command.executable(str(script(directory, body, first_line)))


def quoted(path: Path) -> str:
    return shlex.quote(str(path))


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        try:
            os.kill(pid, 0)
        except OSError:
            return False
        return not Path("/proc/self").exists()
    return state != "Z"


def soon(condition: Callable[[], bool], seconds: float = 120.0) -> bool:
    """Whether a condition comes true; waits for it, long enough for a busy machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def pid_in(path: Path) -> int:
    """Return the process id that a script writes to a file."""
    assert soon(lambda: path.exists() and path.read_text().strip().isdigit())
    return int(path.read_text())
