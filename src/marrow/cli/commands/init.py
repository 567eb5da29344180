"""`marrow init`: writes a test script to start from."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from marrow.base.errors import UsageError
from marrow.cli.console import echo
from marrow.run.output.output_file import OutputError
from marrow.signature.situation import SITUATIONS, settings_in, situation_script, with_settings

_LIST: Final = "\n".join(f"  {name:<20}  {words}" for name, words in SITUATIONS.items())

_EPILOG: Final = f"""\b
Situations:
{_LIST}

\b
Examples:
  marrow init                                  list the situations
  marrow init compiler-crash                   write test.sh, with gcc to be replaced
  marrow init interpreter-crash --set 'message=^TypeError: x is not' -o ./test.sh
  marrow init solver-disagreement --set first='z3 -T:5' --set second=cvc5
"""


@click.command("init", epilog=_EPILOG)
@click.argument("name", metavar="[SITUATION]", required=False)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Fill in a setting at the start of the script.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default="test.sh",
    show_default=True,
    help="Where to write the script; - prints it.",
)
def init_command(name: str | None, settings: tuple[str, ...], output: Path) -> None:
    """Write a commented test script for SITUATION, to adapt to your case.

    A script begins with its settings, such as the command and the message to look for. An existing
    file is never overwritten.
    """
    name = _asked() if name is None else name
    if name not in SITUATIONS:
        raise UsageError(f"marrow has no script for {name!r}\nChoose one of:\n{_LIST}")
    template = situation_script(name)
    values = dict(_setting(one) for one in settings)
    try:
        script = with_settings(template, values)
    except KeyError as error:
        raise UsageError(
            f"the script for {name} has no setting {error.args[0]!r}\n"
            f"It has: {', '.join(settings_in(template))}"
        ) from error
    if str(output) == "-":
        click.echo(script, nl=False)
        return
    _write(output, script)
    echo(
        f"{output}: a test for {name}\n"
        f"Check its settings, then: marrow reduce INPUT {_path(output)}"
    )


def _asked() -> str:
    """Ask the person at the terminal for the situation."""
    if not sys.stdin.isatty():
        raise UsageError(f"name the situation: marrow init SITUATION\nChoose one of:\n{_LIST}")
    echo(_LIST, err=True)
    names = click.Choice(list(SITUATIONS))
    return str(click.prompt("Which situation", type=names, show_choices=False, err=True))


def _setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r} is not a setting\nWrite it like this: --set NAME=VALUE")
    return name.strip(), value


def _write(path: Path, script: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(script)
    except FileExistsError as error:
        raise OutputError(
            f"{path} already exists\nRemove it, or choose another name with -o."
        ) from error
    except OSError as error:
        raise OutputError(
            f"cannot write {path}: {error.strerror or error}\nChoose another place with -o."
        ) from error


def _path(path: Path) -> str:
    """Return a path that names its directory, as a test must be named."""
    return str(path) if os.sep in str(path) else f".{os.sep}{path}"
