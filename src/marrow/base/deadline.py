"""Deadline: long loops look at the clock, so that a time limit holds within a second or two.

Parsing, building trees and making candidates take minutes on huge inputs, and none of them knows of
limits. A run sets its deadline for its thread (`within`); loops over tokens and nodes call `look`,
which raises `OutOfTimeError` when the time is up. Without a deadline it does nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Final

from marrow.base.clock import running_time
from marrow.base.errors import MarrowError


class OutOfTimeError(MarrowError):
    """The time of a run is up."""


class Deadline:
    """A time limit, and how often it was looked at; None means without one."""

    def __init__(self, seconds: float | None, clock: Callable[[], float] = running_time) -> None:
        self._clock: Final = clock
        self.end: float | None = None if seconds is None else clock() + seconds
        self.looks = 0

    @property
    def left(self) -> float | None:
        """The seconds that are left; None without a limit."""
        return None if self.end is None else self.end - self._clock()

    def look(self) -> None:
        """Raise `OutOfTimeError` if the time is up."""
        self.looks += 1
        if self.end is not None and self._clock() > self.end:
            raise OutOfTimeError("the time limit is reached")

    def extend(self, seconds: float) -> None:
        """Do not count some seconds."""
        if self.end is not None:
            self.end += seconds


class _Current(threading.local):
    deadline: Deadline | None = None


_CURRENT: Final = _Current()


@contextlib.contextmanager
def within(deadline: Deadline) -> Iterator[None]:
    """Let loops in this thread look at a time limit, inside the block."""
    before, _CURRENT.deadline = _CURRENT.deadline, deadline
    try:
        yield
    finally:
        _CURRENT.deadline = before


def current() -> Deadline | None:
    """Return the time limit of this thread, for others that work for it."""
    return _CURRENT.deadline


def look() -> None:
    """Look at the clock, in a loop that may take long; a tenth of a microsecond or two."""
    deadline = _CURRENT.deadline
    if deadline is not None:
        deadline.look()
