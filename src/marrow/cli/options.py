"""Options that several commands have, each written once."""

from __future__ import annotations

from pathlib import Path

import click

from marrow.cli.inputs import Duration, QuorumOfRuns, Size

unresolved_if_option = click.option(
    "--unresolved-if",
    metavar="COMMAND",
    help="A shell command that exits with 0 for a file ({} or $1) that is not a valid input; asked "
    "where the test does not see the failure.",
)
memory_option = click.option(
    "--memory", metavar="SIZE", type=Size(), help="Limit a test's memory (512M, 2G)."
)
sandbox_option = click.option(
    "--sandbox",
    is_flag=True,
    help="Run the test without network, and let it write only into its own directory and a /tmp of "
    "its own (Linux, with bubblewrap).",
)
max_time_option = click.option(
    "--max-time", metavar="TIME", type=Duration(), help="Stop after this time (10m, 2h)."
)
allow_empty_option = click.option(
    "--allow-empty", is_flag=True, help="Do not mind a test that likes an empty file."
)
flaky_option = click.option(
    "--flaky",
    "quorum",
    metavar="K/N",
    type=QuorumOfRuns(),
    help="For a test that fails only now and then: run it up to N times on a candidate, which is "
    "interesting if K runs are (2/5).",
)
resume_option = click.option(
    "--resume", is_flag=True, help="Go on with an earlier run; no test is run twice."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the summary as JSON on standard output."
)
report_option = click.option(
    "--report",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Write a page (HTML, one file) that shows what happened; see marrow report.",
)
