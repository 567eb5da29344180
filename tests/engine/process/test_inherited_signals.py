"""Whatever a program inherits from its parent, tests start with no signal ignored or blocked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.child import exit_codes_reported, signal_reset
from marrow.engine.process.command import TestCommand as Command
from marrow.engine.verdict import Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

#: `bench.attack` tries all of them.
NUMBERS = [signal.SIGCHLD, signal.SIGALRM, signal.SIGINT, signal.SIGSEGV, signal.SIGPIPE]

CALL = """
import sys, threading, marrow
from marrow.engine.process.command import TestCommand
def reduce():
    result = marrow.reduce(
        b"one needle two\\n", TestCommand.executable(sys.argv[1]), jobs=2, algorithm="hdd"
    )
    print(result.text.decode(), result.verified)
if sys.argv[2] == "main":
    reduce()
else:
    thread = threading.Thread(target=reduce)
    thread.start()
    thread.join()
import signal
print(repr(signal.getsignal(signal.SIGCHLD)))
"""


def ignoring(number: signal.Signals) -> Callable[[], object]:
    return lambda: signal.signal(number, signal.SIG_IGN)


def blocking(number: signal.Signals) -> Callable[[], object]:
    return lambda: signal.pthread_sigmask(signal.SIG_BLOCK, {number})


def script(place: Path) -> Path:
    """A test that notes which signals it has ignored or blocked, and looks for a word."""
    path = place / "test.sh"
    path.write_text(
        f"#!/bin/sh\ngrep -E '^Sig(Ign|Blk)' /proc/self/status >> {place}/signals\n"
        'grep -q needle "$1"\n'
    )
    path.chmod(0o755)
    return path


def seen(folder: Path) -> dict[str, int]:
    """Return what a test saw, but for the two signals that threads use: make starts programs with
    one of them ignored (posix_spawn of glibc does that), and Python cannot change it."""
    rows = [line.split() for line in (folder / "signals").read_text().splitlines()]
    return {name: int(mask, 16) & ~(0b11 << 31) for name, mask in rows}


@pytest.mark.parametrize("where", ["main", "another thread"])
@pytest.mark.parametrize("inherited", [ignoring, blocking])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_the_library(
    tmp_path: Path,
    number: signal.Signals,
    inherited: Callable[[signal.Signals], Callable[[], object]],
    where: str,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CALL, str(script(tmp_path)), where],
        preexec_fn=inherited(number),
        restore_signals=False,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert seen(tmp_path) == {"SigBlk:": 0, "SigIgn:": 0}
    assert done.stdout.split()[:2] == ["needle", "True"]
    # What the program had set is as it was.
    ignored = inherited is ignoring and number is signal.SIGCHLD
    assert ("SIG_IGN" in done.stdout) is ignored


@pytest.mark.parametrize("inherited", [ignoring, blocking])
@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)
def test_the_command_line(
    tmp_path: Path,
    number: signal.Signals,
    inherited: Callable[[signal.Signals], Callable[[], object]],
) -> None:
    (tmp_path / "input.txt").write_text("one\nneedle\ntwo\n")
    done = subprocess.run(
        [sys.executable, "-m", "marrow", "reduce", "input.txt", str(script(tmp_path)), "-q"],
        cwd=tmp_path,
        preexec_fn=inherited(number),
        restore_signals=False,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert seen(tmp_path) == {"SigBlk:": 0, "SigIgn:": 0}
    assert (tmp_path / "input.reduced.txt").read_text().split() == ["needle"]


def test_an_exit_code_that_another_part_of_the_program_takes(tmp_path: Path) -> None:
    """It is no success: `subprocess` would say 0."""
    executor = CommandExecutor(Command.shell("exit 1"), "input")
    waitid = os.waitid

    def taken(kind: int, pid: int, options: int) -> object:
        found = waitid(kind, pid, options)
        os.waitpid(pid, 0)
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "waitid", taken)
        outcome = outcome_of(executor.submit(b"x"))
    executor.close()
    assert outcome.verdict is Verdict.ERROR
    assert "exit code" in outcome.message


def test_blocks_overlap() -> None:
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        first, second = exit_codes_reported(), exit_codes_reported()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_DFL
        second.__exit__(None, None, None)
        assert signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_nothing_to_reset() -> None:
    assert signal_reset() is None
