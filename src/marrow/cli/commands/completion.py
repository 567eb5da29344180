"""`marrow completion`: the script of click for a shell."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from marrow.base.errors import UsageError

_SHELLS: Final = ("bash", "zsh", "fish")

# The variable by which the shell asks click for completions.
_VARIABLE: Final = "_MARROW_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete marrow's command lines.

    Commands, options, file names, languages, grammars, algorithms and passes are completed.
    """
    found = get_completion_class(shell)
    assert found is not None  # click has all three
    root = context.find_root()
    try:
        script = found(root.command, {}, "marrow", _VARIABLE).source()
    except RuntimeError as error:
        raise UsageError(f"{error}\nCompletion needs bash 4.4 or later, zsh or fish.") from error
    # click's script for fish cuts a value at its first comma, and lists of passes have commas.
    click.echo(script.replace('string split ","', 'string split -m 1 ","'))
