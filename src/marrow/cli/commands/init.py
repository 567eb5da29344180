"""`marrow init`: writes a test script to start from, one for each of the usual situations.

A script begins with its settings: lines of the form `name='value'` with a comment above that says
what to put there.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from importlib import resources
from pathlib import Path
from typing import Final

import click

from marrow.base.errors import UsageError, os_errors
from marrow.cli.console import echo
from marrow.run.output.output_file import OutputError

_SETTING: Final = re.compile(r"^([a-z]+)='([^']*)'$", re.MULTILINE)

#: The situations, and what each is in a few words.
SITUATIONS: Final = {
    "compiler-crash": "a compiler dies on a program",
    "miscompilation": "two builds of a program behave differently",
    "interpreter-crash": "an interpreter dies on a program, or raises what it should not",
    "solver-disagreement": "two solvers give different answers",
    "database-error": "a database fails on statements",
}


def situation_script(name: str) -> str:
    """Return the script of a situation as it ships."""
    folder = resources.files("marrow.signature") / "situations"
    return (folder / f"{name}.sh").read_text(encoding="utf-8")


def settings_in(script: str) -> dict[str, str]:
    """Return the settings of a script, with the values that they have."""
    return dict(_SETTING.findall(script))


def with_settings(script: str, values: dict[str, str]) -> str:
    """Return a script with other values for some settings."""

    def changed(match: re.Match[str]) -> str:
        name = match[1]
        quoted = shlex.quote(values.get(name, match[2]))
        return f"{name}={quoted}" if quoted.startswith("'") else f"{name}='{quoted}'"

    return _SETTING.sub(changed, script)


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
    values = {}
    for one in settings:
        setting, sign, value = one.partition("=")
        if not sign:
            raise UsageError(f"{one!r} is not a setting\nWrite it like this: --set NAME=VALUE")
        values[setting.strip()] = value
    known = settings_in(template)
    if unknown := values.keys() - known:
        raise UsageError(
            f"the script for {name} has no setting {min(unknown)!r}\nIt has: {', '.join(known)}"
        )
    script = with_settings(template, values)
    if str(output) == "-":
        click.echo(script, nl=False)
        return
    _write(output, script)
    # A test must name its directory.
    test = output if os.sep in str(output) else f".{os.sep}{output}"
    echo(f"{output}: a test for {name}\nCheck its settings, then: marrow reduce INPUT {test}")


def _asked() -> str:
    """Ask the person at the terminal for the situation."""
    if not sys.stdin.isatty():
        raise UsageError(f"name the situation: marrow init SITUATION\nChoose one of:\n{_LIST}")
    echo(_LIST, err=True)
    names = click.Choice(list(SITUATIONS))
    return str(click.prompt("Which situation", type=names, show_choices=False, err=True))


def _write(path: Path, script: str) -> None:
    if os.path.lexists(path):
        raise OutputError(f"{path} already exists\nRemove it, or choose another name with -o.")
    with os_errors(OutputError, f"cannot write {path}", "Choose another place with -o."):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(script)
