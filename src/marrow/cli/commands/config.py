"""`marrow config`: the options that apply to an input, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from marrow.base.errors import InputError
from marrow.cli.console import echo
from marrow.cli.run_options import settled
from marrow.run.options.option import CALL, declared
from marrow.run.options.options import COMMAND_OPTIONS

_EPILOG = """\b
Examples:
  marrow config                 the options for inputs in this directory
  marrow config crash.c --json
  marrow config --command abstract

\b
A configuration file is marrow.toml, or [tool.marrow] in pyproject.toml, in the directory
of INPUT or above it; the nearest one counts, and the command line wins over it:
  timeout = "30s"
  passes = "-batched"
  [reduce]
  max-time = "10m"
Its keys are the long names of options. A table with the name of a command is for that
command alone. Such a file may come from somebody else, so it sets only what changes the
search. Options that run programs, connect, or read and write other files (--scheduler,
--formatter) belong in your own file, ~/.config/marrow/marrow.toml. --trust-config lifts
that; --no-config, or MARROW_CONFIG= (empty), reads no file; MARROW_CONFIG=FILE reads
that one alone."""


@click.command("config", epilog=_EPILOG)
@click.argument(
    "path", metavar="[INPUT]", type=click.Path(path_type=Path), default=Path(), required=False
)
@click.option(
    "--command",
    type=click.Choice(list(COMMAND_OPTIONS)),
    default="reduce",
    show_default=True,
    help="The command whose options are shown.",
)
@click.option("--trust-config", is_flag=True, help="Let the file beside INPUT set any option.")
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON.")
def config_command(path: Path, command: str, trust_config: bool, as_json: bool) -> None:
    """Print the options that apply to INPUT, and where they come from."""
    if not path.exists():
        raise InputError(f"there is no file {path}\nCheck the name of the input.")
    known = declared(COMMAND_OPTIONS[command])
    rows: list[tuple[str, Any, str]] = [
        (known[name].names(name)[-1].partition("/")[0].removeprefix("--"), one.value, one.origin)
        for name, one in settled(command, {"trust_config": trust_config}, path).items()
        if known[name].scope is not CALL and known[name].names(name)
    ]
    if as_json:
        click.echo(json.dumps({name: {"value": shown(v), "origin": o} for name, v, o in rows}))
        return
    width = max(len(name) for name, _, _ in rows)
    for name, value, origin in sorted(rows, key=lambda row: row[2] == "default"):
        echo(f"{name:{width}}  {shown(value):24}  {origin}")


def shown(value: Any) -> str:
    """Return a value as it is written."""
    if value is None or value == ():
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value)
