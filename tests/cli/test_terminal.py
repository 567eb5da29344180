"""On a terminal: the display that is drawn anew, and Ctrl-C typed at it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

import pytest

from marrow.cli.exits import Exit
from tests.cli.running import ALGORITHM, PATIENCE, executable


class Terminal:
    """marrow on a terminal of its own."""

    def __init__(self, *arguments: str, term: str = "xterm-256color", typing: bool = True) -> None:
        self.text = ""
        self.pid, self.fd = pty.fork()
        size = struct.pack("HHHH", 40, 100, 0, 0)
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.environ["TERM"] = term
            for name in ("LINES", "COLUMNS"):
                os.environ.pop(name, None)
            if not typing:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            # As Python knows the environment: readline, which pytest loads, puts sizes into it.
            words = [sys.executable, "-m", "marrow", *arguments]
            os.execve(sys.executable, words, os.environ)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def type(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def read_until(self, pattern: str, seconds: float = PATIENCE) -> bool:
        """Read what is shown until it has a pattern."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.plain):
                return True
            if not self._read():
                break
        return re.search(pattern, self.plain) is not None

    @property
    def plain(self) -> str:
        """What was shown, without colours and movements."""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.text)

    def end(self) -> int:
        """Read the rest and return the exit code."""
        while self._read():
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> bool:
        if select.select([self.fd], [], [], PATIENCE)[0]:
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                return False
            self.text += piece.decode("utf-8", "replace")
            return bool(piece)
        return False


def test_the_display(work: Path) -> None:
    executable(work / "test.sh", 'sleep 0.1; grep -q needle "$1"')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1", *ALGORITHM)
    assert terminal.read_until(r"last change")
    assert terminal.end() == 0
    shown = terminal.plain
    assert re.search(r"marrow reduce input.c\s*\n", shown)
    assert re.search(r"now +deleting in ", shown)
    assert re.search(r"tokens +\d+ of \d+ \(\d+\.\d%\)", shown)
    assert re.search(r"bytes +\d+ of \d+", shown)
    assert re.search(r"tests +\d+ run, \d+ cached, \d+ invalid \(\d+ a second\)", shown)
    assert re.search(r"time +\d+ s, last success \d+ s ago", shown)
    assert re.search(r"last change\s+- \S", shown)
    # Nothing of it stays: the summary is what is left.
    assert "verified" in shown.rpartition("last change")[2]


def test_control_c_at_the_terminal(work: Path) -> None:
    executable(work / "test.sh", 'grep -q needle "$1" || exec sleep 1000')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1", "--allow-empty", *ALGORITHM)
    assert terminal.read_until(r"last success \d")
    terminal.type(b"\x03")
    assert terminal.end() == Exit.INTERRUPTED
    assert "stopped: interrupted" in terminal.plain
    assert "--resume" in terminal.plain


@pytest.mark.parametrize(("term", "options"), [("dumb", ()), ("xterm", ("-v",))])
def test_lines_where_nothing_can_be_drawn(work: Path, term: str, options: tuple[str, ...]) -> None:
    terminal = Terminal("reduce", "input.c", "test.sh", *options, *ALGORITHM, term=term)
    assert terminal.end() == 0
    assert "last change" not in terminal.plain
    assert re.search(r"\d s +\d+ tokens +\d+ bytes +\d+ tests", terminal.plain)


def modes(terminal: Terminal) -> tuple[bool, bool]:
    """Return whether the terminal waits for whole lines, and whether it shows what is typed."""
    flags = termios.tcgetattr(terminal.fd)[3]
    return bool(flags & termios.ICANON), bool(flags & termios.ECHO)


def test_one_screen(work: Path) -> None:
    executable(work / "test.sh", 'sleep 0.05; grep -q needle "$1"')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1")
    assert terminal.read_until(r"last change")
    assert terminal.end() == 0
    shown = terminal.plain
    assert re.search(r"tokens +0 s +\d+ s", shown)
    assert re.search(r"workers +\d of 1 at a test", shown)
    assert re.search(r"pass +tests +successes +removed", shown)
    assert re.search(r"perses +(now|on) +\d+ +\d+ +\d+", shown)
    assert re.search(
        r"s skip pass  p pause  d result  o output  h history .* q stop and keep", shown
    )


@pytest.mark.parametrize("end", ["q", "control-c", "terminate"])
def test_the_terminal_is_put_back(work: Path, end: str) -> None:
    # Candidates are judged at once until there is something to keep, then none comes to an end.
    executable(work / "test.sh", 'grep -q needle "$1" || exec sleep 1000')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1", "--allow-empty", *ALGORITHM)
    assert modes(terminal) == (True, True)
    assert terminal.read_until(r"last success \d")
    assert modes(terminal) == (False, False)
    if end == "q":
        terminal.type(b"q")
    elif end == "control-c":
        terminal.type(b"\x03")
    else:
        os.kill(terminal.pid, signal.SIGTERM)
    terminal.read_until("continue with: ")
    restored = modes(terminal)
    code = terminal.end()
    assert code == {"q": 0, "control-c": Exit.INTERRUPTED, "terminate": Exit.TERMINATED}[end]
    assert restored == (True, True)
    said = "as you asked" if end == "q" else "interrupted"
    assert f"stopped: {said}" in terminal.plain


def test_pause_show_and_skip(work: Path) -> None:
    executable(work / "test.sh", 'sleep 0.2; grep -q needle "$1"')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1", "--report", "out.html")
    assert terminal.read_until(r"last change")
    terminal.type(b"p")
    assert terminal.read_until(r"input.c  paused")
    terminal.type(b"d")
    assert terminal.read_until(r"the result so far\s+\S")
    terminal.type(b"s")
    terminal.type(b"p")
    assert terminal.end() == 0
    assert "guarantee: none: passes were skipped" in terminal.plain
    assert "1 times a pass" in (work / "out.html").read_text()


def test_no_keys_where_the_input_is_no_terminal(work: Path) -> None:
    executable(work / "test.sh", 'sleep 0.05; grep -q needle "$1"')
    terminal = Terminal("reduce", "input.c", "test.sh", "-j1", *ALGORITHM, typing=False)
    assert terminal.read_until(r"last change")
    assert modes(terminal) == (True, True)
    assert terminal.end() == 0
    assert "q stop and keep" not in terminal.plain
