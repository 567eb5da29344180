"""`marrow report`: writes the report of a run that has ended."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from marrow.cli.console import echo
from marrow.engine.journal.journal import read_record
from marrow.run.places import check_file
from marrow.run.reporting import write_report

_EPILOG: Final = """\b
Examples:
  marrow report crash.reduced.c.marrow
  marrow report crash.reduced.c -o crash.html"""


@click.command("report", epilog=_EPILOG)
@click.argument("journal", metavar="JOURNAL", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where to write the page; default: the name of the result with .html.",
)
def report_command(journal: Path, output: Path | None) -> None:
    """Write a page that shows what a run of `marrow reduce` did.

    JOURNAL is the file NAME.marrow beside the result, or the result itself. The page shows the size
    over the tests, what each pass did, every accepted step, when each part of the input went, and
    how the run was started. It is a single file and loads nothing from elsewhere. A run that was
    stopped has a report too.
    """
    beside = journal.with_name(journal.name + ".marrow")
    if journal.suffix != ".marrow" and beside.exists():
        journal = beside
    path = output or journal.with_name(journal.name.removesuffix(".marrow") + ".html")
    check_file(path, "a report", "output out.html")
    record = read_record(journal)
    write_report(path, record)
    echo(f"{path}: {len(record.history.steps):,} steps")
