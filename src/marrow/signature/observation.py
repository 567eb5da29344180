"""A failing command, the user's wishes about it, and observations of one run of it."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.errors import UsageError

#: What stands for the candidate in the words of a command.
CANDIDATE: Final = "{}"

Words: TypeAlias = tuple[str, ...]

# From here on the shell's exit status stands for a signal.
SIGNAL_BASE: Final = 128

#: What `timeout` of coreutils exits with when the time is up.
TIMED_OUT: Final = 124

_SIGNALS: Final = {one.value: one.name for one in signal.Signals}


@dataclass(frozen=True, slots=True)
class Observation:
    """How a command ended and what it printed.

    `status` is the exit status; below zero, the signal that ended the command, as `subprocess` says
    it; None if it did not end in time. What a shell reports for a signal, 128 and its number, is
    taken for the same.
    """

    status: int | None
    stdout: bytes = b""
    stderr: bytes = b""


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


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """The user's own choice; without any of the first three, marrow infers the failure."""

    status: bool = False
    stderr: tuple[str, ...] = ()
    stdout: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def chosen(self) -> bool:
        """Whether the user said what to keep."""
        return bool(self.status or self.stderr or self.stdout)


@dataclass(frozen=True, slots=True)
class FailingCommand:
    """A command that fails on the input, or two that disagree, and what to keep of that."""

    commands: tuple[Words, ...]
    wanted: KeepOptions
    guards: tuple[str, ...] = ()
    write_test: Path | None = None
    signature: Path | None = None
    allow_new_errors: bool = False
    also: Path | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that may name a file."""
        return (*self.guards, *(word for command in self.commands for word in command))

    def check(self) -> None:
        """Raise `UsageError` where the options contradict each other."""
        if len(self.commands) == 2 and self.wanted.chosen:
            raise UsageError(
                "⟦differ⟧ keeps that two commands disagree, so there is nothing else to keep\n"
                "Leave out ⟦keep_exit⟧, ⟦keep_stderr⟧ and ⟦keep_stdout⟧; ⟦forbid⟧ and "
                "⟦guard⟧ go with it."
            )
        if len(self.commands) == 2 and self.signature is not None:
            raise UsageError(
                "⟦signature⟧ is for the failure of one command, and ⟦differ⟧ has two\n"
                "Leave one of them out; ⟦write_test⟧ saves what is kept of two."
            )
        if self.wanted.chosen and self.signature is not None and self.signature.exists():
            raise UsageError(
                f"what to keep is in {self.signature} already\n"
                "Leave out ⟦keep_exit⟧, ⟦keep_stderr⟧ and ⟦keep_stdout⟧, or name another file "
                "with ⟦signature FILE⟧."
            )
