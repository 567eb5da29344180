"""How one run of a command ended, and what it printed."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Final

# From here on, the shell's exit status means a signal.
SIGNAL_BASE: Final = 128

#: What `timeout` of coreutils exits with when the time is up.
TIMED_OUT: Final = 124

_SIGNALS: Final = {one.value: one.name for one in signal.Signals}


@dataclass(frozen=True, slots=True)
class Observation:
    """How a command ended and what it printed.

    `status` is the exit status; below zero, the signal that ended the command, as `subprocess` says
    it; None if it did not end in time. What a shell reports for a signal, 128 and its number, is
    taken for the same. `processor` is its time in seconds, `memory` the most it held and `written`
    all that it printed, in bytes.
    """

    status: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    processor: float = field(default=0.0, compare=False)
    memory: int = field(default=0, compare=False)
    written: int = field(default=0, compare=False)


def same_ending(status: int | None, other: int | None) -> bool:
    """Return whether two runs ended alike; 139 is what a launcher makes of signal 11."""
    return _as_shell(status) == _as_shell(other)


def _as_shell(status: int | None) -> int | None:
    return status if status is None or status >= 0 else SIGNAL_BASE - status


def signal_of(status: int | None) -> int:
    """Return the number of the signal that ended a run, as far as its status tells; 0 if none."""
    number = (_as_shell(status) or 0) - SIGNAL_BASE
    return number if number in _SIGNALS else 0


def ending(status: int | None) -> str:
    """Say how a command ended."""
    if status is None:
        return "does not end in time"
    if status == TIMED_OUT:
        return "exits with 124 (what `timeout` says when the time is up)"
    number = signal_of(status)
    if not number:
        return f"exits with {status}"
    name = _SIGNALS[number]
    if status < 0:
        return f"is killed by signal {number} ({name})"
    return f"exits with {status} (as after signal {number}, {name})"
