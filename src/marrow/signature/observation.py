"""A command, the user's wishes about it, and observations of one run of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

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
