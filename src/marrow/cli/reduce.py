"""`marrow reduce`: cut a failing input down."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from marrow.cli.executors import cluster_options
from marrow.cli.exits import EXIT_CODES, CliError, Exit
from marrow.cli.inputs import Duration, grammar_options
from marrow.cli.interruption import interruptible
from marrow.cli.options import (
    jobs_option,
    keeping_options,
    memory_option,
    sandbox_option,
)
from marrow.cli.passes import pass_options, take_pipeline
from marrow.cli.question import (
    CommandBehindDashes,
    Question,
    question_options,
    take_question,
)
from marrow.cli.reduce_run import ReduceRun
from marrow.cli.request import Request
from marrow.cli.settings import settings_options, take_settings

_EPILOG = f"""\b
Examples:
  marrow reduce crash.c ./test.sh
  marrow reduce crash.js -- node {{}}
  marrow reduce crash.c --not 'syntax error' --write-test test.sh -- gcc -O3 -c {{}}
  marrow reduce f.smt2 --differ --not unknown -- z3 {{}} --- cvc5 {{}}
  marrow reduce big.js --shell 'node "$1" 2>&1 | grep -q "TypeError: x is not"'
  marrow reduce project/ ./test.sh --keep '*.mk'
  marrow reduce main.c util.h -- gcc -c main.c
  marrow reduce query.sql ./test.sh -o small.sql -j 4 --max-time 10m
  marrow reduce crash.c ./test.sh --algorithm batched
  marrow reduce crash.c ./test.sh --resume
  marrow reduce race.go ./test.sh --flaky 2/5
  marrow reduce exploit.js --sandbox -- node {{}}
  marrow reduce crash.c ./test.sh --report crash.html
  marrow reduce big.c ./test.sh --scheduler tcp://head:8786 --ship reference.txt
  marrow reduce crash.c ./test.sh --algorithm hddr --hoist interlaced --preset published

\b
Without a test, say the command that fails behind --, with {{}} for the file. marrow runs
it on INPUT three times, works out what the failure is (a signal, an assertion, an
exception, an error line that is always the same), says what it will keep, and keeps it.
--keep-exit, --keep-stderr and --keep-stdout keep that instead; --not and --guard come
on top. The command runs in a directory that holds only the candidate, which is its
standard input too; programs and files named by relative paths are found all the same.

\b
The test is started in an empty directory of its own with the candidate in it, under
the name of the input; its path is also the first argument. It exits with 0 if the
candidate still shows the failure, with 125 if it is not a valid input, with anything
else if not. Where INPUT is a directory or several files, they lie in the test's
directory under their names, and the directory is the first argument.
Scripts for C-Reduce, C-Vise, Perses, Picireny and Shrink Ray work.

{EXIT_CODES}"""


@click.command("reduce", epilog=_EPILOG, cls=CommandBehindDashes)
@click.argument("inputs", metavar="INPUT... [TEST | -- COMMAND]", nargs=-1)
@click.option("--shell", metavar="COMMAND", help="Use a shell command as the test; $1 is the file.")
@question_options
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    type=click.Path(path_type=Path),
    help="Where the result goes; default: NAME.reduced.EXT beside INPUT.",
)
@click.option(
    "--in-place", is_flag=True, help="Write over INPUT; the original stays as INPUT.orig."
)
@jobs_option(
    "How many tests run at once at most. The result does not depend on it.", open_default=True
)
@cluster_options
@click.option(
    "--keep",
    metavar="GLOB",
    multiple=True,
    help="Of several files, leave those as they are whose name or directory matches.",
)
@click.option("-l", "--language", metavar="L", help="The language, if the file name does not tell.")
@grammar_options
@click.option(
    "--algorithm",
    metavar="NAME",
    help="One algorithm instead of the pipeline (perses*, then the passes): perses*, pardis*, "
    "batched, joint, hdd*, hddr*, coarse-hdd*, coarse-hddr*, ddmin* (on lines), batched-pardis, "
    "batched-probdd, batched-random, batched-invariant, or one of the 16 variants of HDD by its "
    "name, such as 'hoistr*+hddhr*'. All run to a fixpoint, with or without the star in their "
    "name; --once makes one pass.",
)
@pass_options
@settings_options
@click.option(
    "--timeout",
    metavar="TIME",
    type=Duration(),
    help="How long one test may take (30s, 2m); default: ten times the slowest of the first runs, "
    "five seconds at least.",
)
@memory_option
@sandbox_option
@click.option(
    "--max-tests",
    metavar="N",
    type=click.IntRange(min=1),
    help="Stop after N tests of candidates, counted as -j 1 runs them; the first runs, tests ahead "
    "of their turn and the last check come on top.",
)
@keeping_options
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option(
    "-v", "--verbose", count=True, help="Print every success with its change, every test."
)
def reduce_command(**options: Any) -> None:
    """Cut INPUT down to a much smaller file on which TEST still exits with 0.

    Without TEST: on which COMMAND still fails in the same way. INPUT may be several files and
    directories; the result is then a directory.

    INPUT is never changed, unless you ask for it. The best result so far is on disk at any time;
    Ctrl-C stops and keeps it, and --resume goes on later.
    """
    settings = take_settings(options)
    pipeline = take_pipeline(options, settings)
    question = take_question(options, click.get_current_context())
    inputs, test = _inputs_and_test(options, question)
    request = Request(
        inputs, test, settings=settings, pipeline=pipeline, question=question, **options
    )
    request.check()
    with interruptible() as interruption:
        code = ReduceRun(request, interruption).run()
    if code is not Exit.DONE:
        sys.exit(code)


def _inputs_and_test(
    options: dict[str, Any], question: Question
) -> tuple[tuple[Path, ...], str | None]:
    """Tell the inputs from the test, which stands last unless it is given in another way."""
    names: list[str] = list(options.pop("inputs"))
    if not names:
        raise CliError(
            Exit.USAGE, "there is no input to reduce\nSay it like this: marrow reduce INPUT TEST"
        )
    elsewhere = options["shell"] is not None or bool(question.commands)
    # A script behind the inputs is hardly one of them: then there are two tests, which is said.
    script = os.path.isfile(names[-1]) and os.access(names[-1], os.X_OK)
    test = names.pop() if len(names) > 1 and (script or not elsewhere) else None
    return tuple(map(Path, names)), test
