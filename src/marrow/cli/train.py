"""`marrow train`: learn from normal code how likely nodes of each type are to go."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from marrow.cli.exits import EXIT_CODES, Exit
from marrow.cli.inputs import Duration, Size
from marrow.cli.interruption import interruptible
from marrow.cli.options import jobs_option, max_time_option

_EPILOG = f"""\b
Examples:
  marrow train -l c --corpus programs/ --check 'gcc -fsyntax-only -w {{}}' -o c.json
  marrow train -l lua --corpus /usr/share/lua --check 'luac -p {{}}' -o lua.json --max-time 10m

\b
The task: a token of a file is drawn by lot, and the file is reduced, one node at a time,
while it passes the check and holds that token. Every removal that is tried is logged: the
type of the node, how much of the file was left, and whether it succeeded. Then one logistic
curve is fitted for each type. No failing inputs are needed: what depends on what is the
same. A check that knows names and types (a compiler) teaches more than a parser.

\b
The check is started in an empty directory with the candidate in it, under the name of the
file; {{}} stands for its path (no quotes needed). It passes if the exit code is 0.

{EXIT_CODES}"""


@click.command("train", epilog=_EPILOG)
@click.option("-l", "--language", metavar="L", required=True, help="The language of the files.")
@click.option(
    "--corpus",
    metavar="PATH",
    type=click.Path(path_type=Path),
    multiple=True,
    required=True,
    help="A directory with files of the language, or a file; may be given several times.",
)
@click.option(
    "--check", metavar="COMMAND", required=True, help="A shell command with {} for the file."
)
@click.option(
    "-o",
    "--output",
    metavar="MODEL",
    type=click.Path(path_type=Path),
    required=True,
    help="Where the model goes (JSON).",
)
@jobs_option("How many checks run at once. The model does not depend on it.")
@click.option(
    "--tokens",
    metavar="N",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How many tokens of each file are kept, one after the other.",
)
@click.option(
    "--max-tests",
    metavar="N",
    type=click.IntRange(min=1),
    default=20_000,
    show_default=True,
    help="Stop after N checks, counted as -j 1 runs them; those that the journal answers count.",
)
@click.option(
    "--task-tests",
    metavar="N",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Turn to the next file after N checks for one token.",
)
@max_time_option
@click.option(
    "--max-file-size",
    metavar="SIZE",
    type=Size(),
    default="64K",
    show_default=True,
    help="Leave out larger files.",
)
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    default="10s",
    show_default=True,
    help="A check that takes longer has failed.",
)
@click.option("--memory", metavar="SIZE", type=Size(), help="Limit a check's memory (512M, 2G).")
@click.option(
    "--seed",
    metavar="N",
    type=int,
    default=0,
    show_default=True,
    help="For the order of the files and the tokens to keep.",
)
@click.option(
    "--note", metavar="TEXT", default="", help="Recorded in the model: what the corpus is."
)
@click.option(
    "--log",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Also write every removal that was tried (CSV).",
)
@click.option("--resume", is_flag=True, help="Go on with an earlier run; no check is run twice.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
def train_command(**options: Any) -> None:
    """Learn from a corpus of normal code how likely nodes of each type are to be removable.

    The model is for `marrow reduce --algorithm batched`. Needs scikit-learn: pip install
    'marrow[train]'. Ctrl-C stops, and fits the model to what there is; --resume goes on later.
    """
    # Loaded here, as no other command needs it.
    from marrow.cli.train_run import TrainRequest, TrainRun

    with interruptible() as interruption:
        code = TrainRun(TrainRequest(**options), interruption).run()
    if code is not Exit.DONE:
        sys.exit(code)
