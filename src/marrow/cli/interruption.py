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

    def shield(self) -> None:
        """From now on, no signal breaks in: the run puts its things in order."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Turn SIGTERM and SIGHUP into KeyboardInterrupt, as Ctrl-C is one.

    Only the first signal interrupts: while the run puts its things in order, more of them (an
    impatient Ctrl-C Ctrl-C) must not break it off.
    """
    interruption = Interruption()

    def handle(number: int, _: FrameType | None) -> None:
        interruption.shield()
        if number != signal.SIGINT:
            interruption.code = Exit.TERMINATED
        raise KeyboardInterrupt

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
