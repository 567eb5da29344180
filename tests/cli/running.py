"""Running the command line, in this process where that will do, and as a process of its own."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from marrow.cli.interruption import INTERRUPTING
from marrow.cli.main import command_line

#: One that does not change when the default does.
ALGORITHM = ("--algorithm", "coarse-hddr*")

PROGRAM = """\
int unused(int a, int b) {
    return a + b;
}

int needle(int a) {
    if (a > 1) {
        return 2;
    }
    return 1;
}

int main(void) {
    unused(1, 2); /* a comment */
    return needle(3);
}
"""
#: What is left of it by a test that looks for the word.
MINIMUM = "needle"

LOOKS_FOR_NEEDLE = "grep -q needle"

#: How long to wait for what takes seconds, before a test fails: a machine may be very busy.
PATIENCE = 2000.0


@dataclass(frozen=True)
class Ended:
    """How a run of the command line ended."""

    code: int
    out: str
    err: str


def marrow(*arguments: str | Path) -> Ended:
    """Run the command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    words = ["marrow", *map(str, arguments)]
    code = 0
    with (
        handlers_restored(),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            command_line()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    ended = Ended(code, out.getvalue(), err.getvalue())
    assert "Traceback" not in ended.out + ended.err
    return ended


@contextlib.contextmanager
def handlers_restored() -> Iterator[None]:
    """A run that was interrupted leaves signals ignored, since its process ends."""
    before = {number: signal.getsignal(number) for number in INTERRUPTING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def start(*arguments: str | Path, cwd: Path, **variables: str) -> subprocess.Popen[str]:
    """Start the command line as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "marrow", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a process."""
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err
    return Ended(process.returncode, out, err)


def executable(path: Path, body: str) -> Path:
    """Write a script for the shell."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path
