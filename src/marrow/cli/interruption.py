"""Ctrl-C and SIGTERM: both end a run in good order."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from marrow.cli.exits import Exit

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Interruption:
    """Which signal ended the run, if one did."""

    code: Exit = Exit.INTERRUPTED
    _held: bool = False
    _waiting: bool = False

    def shield(self) -> None:
        """From now on, no signal breaks in: the run puts its things in order."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let a signal wait until the end of this block, which must not be left half done."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._waiting:
            self._waiting = False
            raise KeyboardInterrupt

    def arrived(self, number: int) -> None:
        """Note the signal that ends the run, and end it."""
        self.shield()
        if number != signal.SIGINT:
            self.code = Exit.TERMINATED
        if not self._held:
            raise KeyboardInterrupt
        self._waiting = True


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Turn SIGTERM and SIGHUP into KeyboardInterrupt, as Ctrl-C is one.

    Only the first signal interrupts: while the run puts its things in order, more of them (an
    impatient Ctrl-C Ctrl-C) must not break it off.
    """
    interruption = Interruption()

    def handle(number: int, _: FrameType | None) -> None:
        interruption.arrived(number)

    before = {number: signal.getsignal(number) for number in _SIGNALS}
    for number, handler in before.items():
        # What is ignored stays so: `nohup`, or a job in the background of a script.
        if handler is not signal.SIG_IGN:
            signal.signal(number, handle)
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
