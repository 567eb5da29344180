"""A failing command, and what the user wants kept of its failure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.errors import UsageError, error_text

#: The candidate, in the words of a command.
CANDIDATE: Final = "{}"

Words: TypeAlias = tuple[str, ...]

_KEEPING: Final = "⟦keep_exit⟧, ⟦keep_stderr⟧, ⟦keep_stdout⟧, ⟦only_stderr⟧ and ⟦only_stdout⟧"

# A word of a script or an expression: `city` in jq's `.address.city`.
_NAME: Final = re.compile(r"[^\W\d]\w*")


def typed(words: Iterable[str]) -> str:
    """Return a command as somebody types it in a shell, with {} for the candidate."""
    return " ".join(word if word == CANDIDATE else shlex.quote(word) for word in words)


def command_names(words: Sequence[str]) -> frozenset[str]:
    """Return the names in the arguments of a command: what they say is not the input's to change.

    The program, options and paths do not count: `-c` says nothing about a variable `c`.
    """
    found: set[str] = set()
    for argument in words[1:]:
        for word in argument.split():
            if not word.startswith("-") and "/" not in word and CANDIDATE not in word:
                found.update(_NAME.findall(word))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class KeepOptions:
    """What the user wants kept: `stderr` and `stdout` beside what marrow infers, the others alone.

    The last four are regular expressions for lines.
    """

    status: bool = False
    only_stderr: tuple[str, ...] = ()
    only_stdout: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()
    stdout: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    @property
    def chosen(self) -> bool:
        """Whether the user said what to keep, so that nothing is inferred."""
        return bool(self.status or self.only_stderr or self.only_stdout)

    @property
    def expressions(self) -> bool:
        """Whether lines are to be kept beside what is inferred."""
        return bool(self.stderr or self.stdout)


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
    #: The resource that the command uses much of, and how much at least; then a second command is
    #: its baseline.
    resource: tuple[str, float] | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that may name a file."""
        return (*self.guards, *(word for command in self.commands for word in command))

    def check(self) -> None:
        """Raise `UsageError` where the options contradict each other."""
        asked = self.wanted.chosen or self.wanted.expressions
        if self.resource is not None:
            if asked or self.signature or self.write_test:
                raise UsageError(error_text("resource_kept_alone", keeping=_KEEPING))
            return
        if len(self.commands) == 2 and asked:
            raise UsageError(error_text("differ_keeps_alone", keeping=_KEEPING))
        if len(self.commands) == 2 and self.signature is not None:
            raise UsageError(error_text("signature_of_two"))
        if asked and self.signature is not None and self.signature.exists():
            path = self.signature
            raise UsageError(error_text("signature_there", path=path, keeping=_KEEPING))


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
