"""`marrow completion`: what a shell needs to complete marrow's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from marrow.cli.exits import CliError, Exit

_SHELLS = ("bash", "zsh", "fish")

# The variable by which the shell asks click for completions.
_VARIABLE = "_MARROW_COMPLETE"

_EPILOG = """\b
Examples:
  eval "$(marrow completion bash)"                     for this shell; in ~/.bashrc for all
  eval "$(marrow completion zsh)"                      the same in ~/.zshrc
  marrow completion fish > ~/.config/fish/completions/marrow.fish
"""


@click.command("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes marrow's command lines."""
    found = get_completion_class(shell)
    if found is None:
        raise CliError(Exit.INTERNAL, f"there is no completion for {shell}\nUse bash, zsh or fish.")
    root = context.find_root()
    try:
        click.echo(found(root.command, {}, "marrow", _VARIABLE).source())
    except RuntimeError as error:
        raise CliError(
            Exit.USAGE, f"{error}\nCompletion needs bash 4.4 or later, zsh or fish."
        ) from error
