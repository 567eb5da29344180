"""Options that several commands have, each written once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from marrow.cli.inputs import Duration, QuorumOfRuns, Size

# More workers than this would only queue up: each is a thread and at least one process.
_MOST_WORKERS: Final = 1024

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


def jobs_option(words: str, *, open_default: bool = False) -> Callable[[Any], Any]:
    """Return the option -j. With an open default it is None where nothing was said.

    What all cores are is then up to the executor: a cluster has others.
    """
    return click.option(
        "-j",
        "--jobs",
        metavar="N",
        type=click.IntRange(1, _MOST_WORKERS),
        default=None if open_default else lambda: os.cpu_count() or 1,
        show_default="all cores",
        help=words,
    )


def keeping_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what a long run has: its limit of time, what it trusts, keeps and tells."""
    for option in (
        report_option,
        json_option,
        resume_option,
        allow_empty_option,
        flaky_option,
        max_time_option,
    ):
        command = option(command)
    return command
