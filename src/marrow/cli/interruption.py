"""Ctrl-C and SIGTERM: both end a run in good order."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType

from marrow.cli.exits import Exit


@dataclass(slots=True)
class Interruption:
    """Which signal ended the run, if one did."""

    code: Exit = Exit.INTERRUPTED


@contextlib.contextmanager
def interruptible() -> Iterator[Interruption]:
    """Turn SIGTERM and SIGHUP into KeyboardInterrupt, as Ctrl-C is one.

    Only the first signal interrupts: while the run puts its things in order, more of them (an
    impatient Ctrl-C Ctrl-C) must not break it off.
    """
    interruption = Interruption()

    def handle(number: int, _: FrameType | None) -> None:
        for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(one, signal.SIG_IGN)
        if number != signal.SIGINT:
            interruption.code = Exit.TERMINATED
        raise KeyboardInterrupt

    before = {
        number: signal.signal(number, handle)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield interruption
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
