"""A failing command, the user's wishes about it, and observations of one run of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.errors import UsageError

#: What stands for the candidate in the words of a command.
CANDIDATE: Final = "{}"

Words: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """How a command ended and what it printed.

    `status` is what the shell calls `$?`: the exit code, or 128 and the number of the signal that
    ended the command. None if it did not end in time.
    """

    status: int | None
    stdout: bytes = b""
    stderr: bytes = b""


@dataclass(frozen=True, slots=True)
class Wanted:
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
class Inquiry:
    """A command that fails on the input, or two that disagree, and what to keep of that."""

    commands: tuple[Words, ...]
    wanted: Wanted
    guards: tuple[str, ...] = ()
    write_test: Path | None = None

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
