"""A failing command, and what the user wants kept of its failure."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.errors import UsageError

#: The candidate, in the words of a command.
CANDIDATE: Final = "{}"

Words: TypeAlias = tuple[str, ...]


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


@dataclass(frozen=True, slots=True)
class ObservedCommands:
    """The commands of a test: the one to observe or the two to compare, and the guards.

    A guard is a command for the shell that must succeed. `directory` says that the candidate is a
    directory: commands run in it, and have nothing on their standard input.
    """

    commands: tuple[Words, ...]
    guards: tuple[str, ...] = ()
    directory: bool = False

    def plain(self) -> list[str]:
        """Return the commands as a person would type them, with {} for the candidate."""
        lines = [shlex.join(words) for words in self.commands]
        return [line.replace(f"'{CANDIDATE}'", CANDIDATE) for line in lines]
