"""Keys during a run: skip, pause, views, going back, switching passes, stop.

While a `Keyboard` is open, the terminal delivers keys at once and does not show them; its settings
are restored however the run ends. Where standard input is not a terminal, or the run is in the
background, nothing is done: reading or changing the terminal would stop the process.
"""

from __future__ import annotations

import contextlib
import os
import re
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

#: What the lower part of the screen may show, by the key that shows it.
VIEWS: Final = {b"d": "result", b"o": "output", b"h": "history"}

# How often to check whether the run is in the foreground again, in seconds.
_LOOK_SECONDS: Final = 0.5

# Nobody types more at once; the rest is read next.
_MOST_TYPED: Final = 64


def keys_work() -> bool:
    """Tell whether keys can be read."""
    try:
        fd = sys.stdin.fileno()
        return os.isatty(fd) and _foreground(fd)
    except (OSError, ValueError, AttributeError):
        return False


def pressed(
    progress: LiveProgress, control: Control, key: bytes, text_after: Callable[[int], bytes]
) -> None:
    """Do what a key means; ignore other keys.

    `text_after` returns the text after a number of steps, to go back to.
    """
    match key:
        case b"s":
            control.skip(progress.pass_name)
        case b"p":
            control.paused = progress.paused = not control.paused
        case b"d" | b"o" | b"h":
            progress.show(VIEWS[key])
        case b"k" | b"\x1b[A" | b"\x1bOA":
            progress.move(-1)
        case b"j" | b"\x1b[B" | b"\x1bOB":
            progress.move(1)
        case b"g" if progress.chosen_step is not None:
            control.propose(text_after(progress.chosen_step), back=True)
            progress.show("")
        case b"x":
            control.switch(progress.chosen_pass)
            progress.switched_off = control.switched_off
        case b"q":
            control.stopped = True


def split_keys(typed: bytes) -> tuple[list[bytes], bytes]:
    """Return the keys that were typed, and what may be the beginning of another one.

    Arrows come as three bytes, over a slow line perhaps one by one.
    """
    parts = _KEY.findall(typed)
    rest = parts.pop() if parts and _CUT.fullmatch(parts[-1]) else b""
    return parts, rest


# An arrow is an escape, a bracket and a letter; the beginning of one may wait for its end.
_KEY: Final = re.compile(rb"\x1b[\[O].|\x1b[\[O]?|[^\x1b]", re.DOTALL)
_CUT: Final = re.compile(rb"\x1b[\[O]?")


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
            # Also if Ctrl-C breaks in above. In the background the terminal belongs to the shell,
            # which has its own settings.
            with contextlib.suppress(OSError, termios.error):
                if _foreground(self._fd):
                    termios.tcsetattr(self._fd, termios.TCSANOW, self._before)

    def _read(self) -> None:
        rest = b""
        with contextlib.suppress(OSError, ValueError, termios.error):  # the terminal was closed
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
                    typed = os.read(self._fd, _MOST_TYPED)
                    if not typed:
                        return
                    keys, rest = split_keys(rest + typed)
                    for key in keys:
                        self._take(key)


def _foreground(fd: int) -> bool:
    return os.tcgetpgrp(fd) == os.getpgrp()
