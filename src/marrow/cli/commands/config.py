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


@click.command("config")
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
