"""A failing command, and what the user wants kept of its failure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.errors import UsageError

#: What stands for the candidate in the words of a command.
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
