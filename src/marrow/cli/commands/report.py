"""`marrow report`: writes the report of a run that has ended."""

from __future__ import annotations

from pathlib import Path

import click

from marrow.cli.console import echo
from marrow.cli.run_options import GroupedCommand, run_options
from marrow.engine.journal.journal import read_record
from marrow.run.options.options import ReportOptions
from marrow.run.output.output_file import OutputFile
from marrow.run.output.output_paths import REPORT, check_file, default_output
from marrow.run.output.reporting import write_report


@click.command("report", cls=GroupedCommand)
@click.argument("journal", metavar="JOURNAL", type=click.Path(path_type=Path))
@run_options(ReportOptions)
def report_command(journal: Path, output: Path | None, force: bool | None) -> None:
    """Write a page that shows what a run of `marrow reduce` did.

    JOURNAL is the file NAME.marrow beside the result, or the result itself, or the input. The page
    shows the size over the tests, what each pass did, every accepted step, when each part of the
    input was removed, and how the run was started. It is a single file and loads nothing from
    elsewhere. You can report on a run that was stopped, too.
    """
    beside = journal.with_name(journal.name + ".marrow")
    if journal.suffix != ".marrow":
        # The journal of a result, or of the result that this input has by default.
        default = default_output((journal,))
        places = (beside, default.with_name(f"{default.name}.marrow"))
        journal = next((place for place in places if place.exists()), journal)
    path = output or journal.with_name(journal.name.removesuffix(".marrow") + ".html")
    check_file(path, REPORT, "output out.html", force=bool(force))
    record = read_record(journal)
    output_file = OutputFile(path, journal.stat().st_mode & 0o666)
    write_report(output_file, record, force=bool(force))
    echo(f"{path}: {len(record.history.steps):,} steps")
