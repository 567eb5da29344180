"""The commands of a test, as they are asked for and as a person would type them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from marrow.signature.failing_command import CANDIDATE, Words


@dataclass(frozen=True, slots=True)
class Asked:
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
