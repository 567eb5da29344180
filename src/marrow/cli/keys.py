"""Keys typed during a run: skip, pause, show the result or the history, switch passes, stop.

While a `Keyboard` is open, the terminal delivers keys at once and does not show them; its settings
are restored however the run ends. Where standard input is not a terminal, or the run is in the
background, nothing is done: reading or changing the terminal would stop the process.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from marrow.engine.search.control import Control
    from marrow.report.screen import LiveProgress

# How often to check whether the run is in the foreground again, in seconds.
_LOOK_SECONDS: Final = 0.5


def keys_work() -> bool:
    """Tell whether keys can be read."""
    try:
        fd = sys.stdin.fileno()
        return os.isatty(fd) and _foreground(fd)
    except (OSError, ValueError, AttributeError):
        return False


def pressed(progress: LiveProgress, control: Control, key: bytes) -> None:
    """Do what a key stands for; ignore other keys."""
    match key:
        case b"s":
            control.skip(progress.pass_name)
        case b"p":
            control.paused = progress.paused = not control.paused
        case b"d":
            progress.showing_result = not progress.showing_result
        case b"h":
            progress.showing_history = not progress.showing_history
        case b"x":
            control.switch(progress.pass_name)
            progress.switched_off = control.switched_off
        case b"q":
            control.stopped = True


class Keyboard:
    """Reads keys in a thread of its own, inside its `with` block."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take: Final = take
        self._fd: Final = sys.stdin.fileno()
        self._before: Final = termios.tcgetattr(self._fd)
        self._wake, self._woken = os.pipe()
        self._thread: Final = threading.Thread(target=self._read, name="keys", daemon=True)

    def __enter__(self) -> Keyboard:
        tty.setcbreak(self._fd, termios.TCSANOW)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            os.write(self._woken, b"x")
            self._thread.join()
            os.close(self._wake)
            os.close(self._woken)
        finally:
            # Also if Ctrl-C breaks in above.
            self._restore()

    def _restore(self) -> None:
        # In the background the terminal belongs to the shell, which has its own settings.
        with contextlib.suppress(OSError, termios.error):
            if _foreground(self._fd):
                termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError, termios.error):  # the terminal is gone
            while True:
                ready, _, _ = select.select([self._fd, self._wake], [], [], _LOOK_SECONDS)
                if self._wake in ready:
                    return
                if not _foreground(self._fd):
                    # Keys are for the shell now; `select` would report them all the time.
                    select.select([self._wake], [], [], _LOOK_SECONDS)
                    continue
                if termios.tcgetattr(self._fd)[3] & termios.ICANON:
                    # Back after Ctrl-Z: the shell has restored its settings.
                    tty.setcbreak(self._fd, termios.TCSANOW)
                if self._fd in ready:
                    key = os.read(self._fd, 1)
                    if not key:
                        return
                    self._take(key)


def _foreground(fd: int) -> bool:
    return os.tcgetpgrp(fd) == os.getpgrp()
