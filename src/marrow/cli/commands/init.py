"""`marrow init`: writes a test script to start from, one for each of the usual situations."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path
from typing import Final

import click

from marrow.cli.console import echo
from marrow.run.output.output_file import OutputError

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


_LIST: Final = "\n".join(f"  {name:<20}  {words}" for name, words in SITUATIONS.items())

_EPILOG: Final = f"""\b
Situations:
{_LIST}

\b
Examples:
  marrow init compiler-crash                   write test.sh, with gcc to be replaced
  marrow init miscompilation -o check.sh
"""


@click.command("init", epilog=_EPILOG)
@click.argument("name", metavar="SITUATION", type=click.Choice(list(SITUATIONS)))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default="test.sh",
    show_default=True,
    help="Where to write the script; - prints it.",
)
def init_command(name: str, output: Path) -> None:
    """Write a commented test script for SITUATION, to adapt to your case.

    A script begins with its settings, such as the command and the message to look for. An existing
    file is never overwritten.
    """
    script = situation_script(name)
    if str(output) == "-":
        click.echo(script, nl=False)
        return
    _write(output, script)
    path = output if os.sep in str(output) else f".{os.sep}{output}"
    echo(f"{output}: a test for {name}\nCheck its settings, then: marrow reduce INPUT {path}")


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
