"""`marrow mcp`: a server of the Model Context Protocol, on standard input and output."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

import click

from marrow.base.errors import UsageError, error_text
from marrow.cli.exits import CliError, Exit


@click.command("mcp")
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory whose files may be read and written.  [default: the current one]",
)
@click.option(
    "--allow",
    "programs",
    multiple=True,
    metavar="PROGRAM",
    help="A program or test script that may be run; `any` allows all.",
)
@click.option("--sandbox", is_flag=True, help="Run every test in a sandbox; see marrow reduce.")
def mcp_command(roots: tuple[Path, ...], programs: tuple[str, ...], sandbox: bool) -> None:
    """Serve reduce, triage and match to coding agents (Model Context Protocol).

    The server speaks on standard input and output, until its input ends. Without --allow it runs
    no test.
    """
    try:
        from marrow.cli.mcp_server import Jobs, Permission, make_server
    except ImportError as error:
        raise CliError(Exit.USAGE, error_text("mcp_missing")) from error
    for name in programs:
        if name != "any" and shutil.which(name) is None:
            raise UsageError(f"⟦allow⟧: there is no program {name}\nCheck its name and rights.")
    with contextlib.closing(Jobs()) as jobs:
        make_server(Permission(roots or (Path(),), programs), jobs, sandbox=sandbox).run("stdio")
