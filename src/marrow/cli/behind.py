"""The command line behind `--`."""

from __future__ import annotations

from typing import Any, Final

import click

from marrow.cli.exits import CliError, Exit
from marrow.cli.grouped_help import GroupedCommand

#: Where click's context keeps the words behind `--`.
BEHIND: Final = "marrow.behind"

# Stands between the two commands of --differ.
_BETWEEN: Final = "---"


class CommandBehind(GroupedCommand):
    """A command of marrow whose words behind `--` are the command line that fails."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the words behind `--` aside."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[BEHIND] = tuple(args[at + 1 :])
        return super().parse_args(ctx, args[:at])


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
