"""`marrow schema`: prints the JSON Schema of what programs read."""

from __future__ import annotations

from typing import Final

import click

from marrow.cli.console import echo
from marrow.schemas import SCHEMAS, schema_text

_EPILOG: Final = "\b\nSchemas:\n" + "\n".join(
    f"  {name:<10} {what}" for name, what in SCHEMAS.items()
)


@click.command("schema", epilog=_EPILOG)
@click.argument("name", metavar="NAME", type=click.Choice(list(SCHEMAS)))
def schema_command(name: str) -> None:
    """Print the JSON Schema of what --json and --events print.

    Within a version, which is part of the name in `schema`, keys are only added.
    """
    echo(schema_text(name).rstrip())
