"""`marrow produce`: new inputs from a pattern."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from marrow.cli.exits import EXIT_CODES, Exit
from marrow.cli.inputs import Duration
from marrow.cli.interruption import interruptible
from marrow.cli.options import jobs_option, sandbox_option, unresolved_if_option
from marrow.cli.produce_run import ProduceRequest, ProduceRun

_EPILOG = f"""\b
Examples:
  marrow produce crash.pattern.json -n 100 -o inputs
  marrow produce crash.pattern.json -n 100 -o inputs --verify ./test.sh
  marrow produce crash.pattern.json -n 20 --verify ./test.sh --pytest test_crash.py
  marrow produce crash.pattern.json -n 100 --verify ./test.sh --sandbox
  marrow produce crash.pattern.json -n 5             # print them

\b
--verify runs the test that the pattern was found with on every input: exit code 0 if
it fails, 125 if it is not a valid input, anything else if it is valid and does not fail.

{EXIT_CODES}"""


@click.command("produce", epilog=_EPILOG)
@click.argument("pattern_path", metavar="PATTERN", type=click.Path(path_type=Path))
@click.option(
    "-n",
    "--number",
    metavar="N",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many inputs; fewer if the pattern has no more.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The directory that the inputs go to, as 001.lua and so on; it must be new or empty.",
)
@click.option("--verify", "test", metavar="TEST", help="Run a test on every input.")
@click.option("--shell", metavar="COMMAND", help="The same with a shell command; $1 is the file.")
@unresolved_if_option
@click.option(
    "--pytest",
    "pytest_path",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a test module with the inputs that fail; needs --verify or --shell.",
)
@click.option(
    "--suffix",
    metavar="S",
    help="The suffix of the inputs' names (.lua); default: that of the grammar's language.",
)
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="Another seed, others."
)
@jobs_option("How many tests run at once.")
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    default="30s",
    show_default=True,
    help="How long one test may take (30s, 2m).",
)
@sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("-v", "--verbose", is_flag=True, help="Print the verdict on each input.")
def produce_command(**options: Any) -> None:
    """Produce new inputs from a PATTERN that marrow abstract found.

    Every part that varies is filled anew, what must be the same with the same. The inputs are all
    different, small ones come first, and the same seed gives the same ones. Without -o they are
    printed, unless they are only verified.
    """
    request = ProduceRequest(**options)
    request.check()
    with interruptible() as interruption:
        code = ProduceRun(request, interruption).run()
    if code is not Exit.DONE:
        sys.exit(code)
