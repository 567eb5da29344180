"""`marrow abstract`: from one failing input to the pattern of all that fail."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from marrow.abstraction.ddset import CHECKS
from marrow.cli.abstract_run import AbstractRequest, AbstractRun
from marrow.cli.executors import cluster_options
from marrow.cli.exits import EXIT_CODES, CliError, Exit
from marrow.cli.inputs import Duration, grammar_options
from marrow.cli.interruption import interruptible
from marrow.cli.options import (
    jobs_option,
    keeping_options,
    memory_option,
    sandbox_option,
    unresolved_if_option,
)
from marrow.cli.question import Question
from marrow.reducers.algorithms import DEFAULT_ALGORITHM
from marrow.reducers.pipeline import Pipeline
from marrow.reducers.settings import Settings
from marrow.signature.infer import Wanted

_EPILOG = f"""\b
Examples:
  marrow abstract crash.lua ./test.sh
  marrow abstract calc.txt ./test.sh --grammar Calc.g4 -o calc.json
  marrow abstract bug.js --shell 'node "$1" 2>&1 | grep -q "Maximum call stack"' \\
      --unresolved-if '! node --check {{}}'
  marrow abstract exploit.js ./test.sh --sandbox
  marrow abstract bug.js ./test.sh --no-reduce --budget 2000 --resume

\b
A pattern such as ((<expr>)) stands for every input with any <expr> in that place.
<$Id1> is any <Id>, the same one wherever <$Id1> stands.

\b
The test exits with 0 if the candidate still shows the failure, with 125 if it is not
a valid input (it compiles no more, say), with anything else if it is valid and does
not fail. To tell the last two apart matters here: samples that are not valid say
nothing, one that passes shows what is needed for the failure.

{EXIT_CODES}"""


@click.command("abstract", epilog=_EPILOG)
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.argument("test", metavar="[TEST]", required=False)
@click.argument("more", metavar="", nargs=-1)
@click.option("--shell", metavar="COMMAND", help="Use a shell command as the test; $1 is the file.")
@unresolved_if_option
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where the pattern goes; default: NAME.pattern.json beside INPUT.",
)
@click.option("-l", "--language", metavar="L", help="The language, if the file name does not tell.")
@grammar_options
@click.option("--no-reduce", is_flag=True, help="Start from INPUT as it is.")
@click.option(
    "--algorithm",
    metavar="NAME",
    default=DEFAULT_ALGORITHM,
    show_default=True,
    help="Which algorithm reduces INPUT first; see marrow reduce.",
)
@click.option(
    "--checks",
    metavar="N",
    type=click.IntRange(min=1),
    default=CHECKS,
    show_default=True,
    help="How many valid samples of the whole pattern must fail. Of n, 1 - 3/n of all do at least.",
)
@click.option("--naive", is_flag=True, help="The published procedure as printed; many more tests.")
@click.option(
    "--seed", metavar="N", type=int, default=0, show_default=True, help="For the random samples."
)
@jobs_option(
    "How many tests run at once at most. The pattern does not depend on it.", open_default=True
)
@cluster_options
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    help="How long one test may take (30s, 2m); default: ten times the slowest of the first runs, "
    "five seconds at least. A test that takes longer is run once more, alone.",
)
@memory_option
@sandbox_option
@click.option(
    "--budget",
    "max_tests",
    metavar="TESTS",
    type=click.IntRange(min=1),
    help="Stop after so many tests, counted as -j 1 runs them; the pattern so far is kept.",
)
@keeping_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but the pattern and errors.")
@click.option("-v", "--verbose", count=True, help="Print why each node varies or does not.")
def abstract_command(**options: Any) -> None:
    """Look for the pattern of all inputs that fail as INPUT does (DDSET).

    INPUT is reduced first. Then its parts are replaced by others that the grammar allows: what can
    be replaced by anything without the failure going away is abstract, what must be the same in
    several places is a group. The pattern is printed, and written to a file that other inputs can
    be produced from. Without --grammar, the grammar that ships for the language is used.
    """
    if options.pop("more"):
        raise CliError(
            Exit.USAGE,
            "give one input and one test; `marrow abstract` takes no command behind --\n"
            "Let marrow write a test for the command: marrow reduce INPUT --write-test FILE -- "
            "COMMAND {}",
        )
    question = Question((), Wanted(), (), None)
    request = AbstractRequest(
        inputs=(options.pop("input_path"),),
        keep=(),
        question=question,
        settings=Settings(),
        pipeline=Pipeline(),
        in_place=False,
        **options,
    )
    request.check()
    with interruptible() as interruption:
        code = AbstractRun(request, interruption).run()
    if code is not Exit.DONE:
        sys.exit(code)
