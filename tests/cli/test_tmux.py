"""The display through tmux, as over ssh: a small window, keys, the terminal as it was before."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import PATIENCE, executable


class Window:
    """A window of a tmux server of its own."""

    def __init__(self, place: Path) -> None:
        self._socket = place / "tmux"

    def tmux(self, *words: str) -> str:
        command = ["tmux", "-f", "/dev/null", "-S", str(self._socket), *words]
        # What starts tests may put sizes of another terminal into the environment.
        own = {key: value for key, value in os.environ.items() if key not in ("LINES", "COLUMNS")}
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=own)
        return done.stdout

    def shows(self, words: str, seconds: float = PATIENCE) -> str:
        """Wait until something is to be seen; return all that is."""
        end = time.monotonic() + seconds
        while words not in (seen := self.tmux("capture-pane", "-p")):
            if time.monotonic() > end:
                raise AssertionError(f"{words!r} is not to be seen in:\n{seen}")
            time.sleep(0.05)
        return seen


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    window = Window(tmp_path)
    yield window
    subprocess.run(
        ["tmux", "-S", str(tmp_path / "tmux"), "kill-server"], capture_output=True, check=False
    )


def test_sixty_by_fifteen(work: Path, window: Window) -> None:
    executable(work / "test.sh", 'sleep 0.5; grep -q needle "$1"')
    words = [sys.executable, "-m", "marrow", "reduce", "input.c", "./test.sh", "-j1"]
    line = f"echo before; NO_COLOR=1 {shlex.join(words)}; echo over; exec cat"
    window.tmux("new-session", "-d", "-x", "60", "-y", "15", "-c", str(work), "sh", "-c", line)
    seen = window.shows("h steps")
    assert "before" not in seen  # a screen of its own
    assert "s skip  p pause  d result  o output  h steps  x off  q stop" in seen
    window.shows("1 of 1 at a test; ")
    window.tmux("send-keys", "p")
    window.shows("paused")
    window.tmux("send-keys", "o")
    window.shows("output of the last interesting test")
    window.tmux("send-keys", "o", "Down", "x")
    window.shows(" off ")
    window.tmux("send-keys", "h", "Down")
    window.shows(">")
    window.tmux("send-keys", "j", "j", "j", "j", "g")  # the input is the last row
    window.tmux("send-keys", "h")
    window.shows("going back")
    window.tmux("send-keys", "p", "q")
    window.shows("over")
    # What is left for the end is done, too; the result comes before the summary.
    assert "needle" in window.tmux("capture-pane", "-p", "-S", "-40")
