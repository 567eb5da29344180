"""The command line behind `--`."""

from __future__ import annotations

from typing import Any, Final

from marrow.cli.exits import CliError, Exit

#: Where click's context keeps the words behind `--`.
BEHIND: Final = "marrow.behind"

# Stands between the two commands of --differ.
_BETWEEN: Final = "---"


def commands(words: tuple[str, ...], *, differ: bool) -> tuple[Any, ...] | None:
    """Return the command behind `--`, or the two commands of --differ."""
    if not differ:
        return words or None
    at = words.index(_BETWEEN) if words.count(_BETWEEN) == 1 else -1
    if at <= 0 or at == len(words) - 1:
        raise CliError(
            Exit.USAGE,
            "--differ needs two commands with --- between them\n"
            "Say it like this: marrow reduce INPUT --differ -- A {} --- B {}",
        )
    return words[:at], words[at + 1 :]
