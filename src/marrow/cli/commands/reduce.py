"""`marrow reduce`: cut a failing input down."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from marrow.cli.commands.completion import COMPLETERS
from marrow.cli.console import echo, note_unless
from marrow.cli.exits import CliError, Exit
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.messages import (
    explained_report,
    reduction_json,
    reduction_summary,
    unverified_message,
)
from marrow.cli.other_tools_syntax import is_program
from marrow.cli.run_arguments import CommandAfterDashes, failing_command, inputs_and_test
from marrow.cli.run_options import run_options, values_of
from marrow.cli.running import Terminal, again
from marrow.cli.shown_result import show_result, write_patch
from marrow.engine.verdict import Outcome, Verdict
from marrow.run.options.option import GROUPS
from marrow.run.options.options import ReduceOptions
from marrow.run.output.output_paths import default_output, journal_of
from marrow.run.output.result import Ending, Result
from marrow.run.plan.input import (
    STANDARD_INPUT,
    is_several,
    named_input,
    named_paths,
    resumed_input,
)
from marrow.run.plan.plan import Plan, plan_reduction
from marrow.run.run import Run

_EPILOG: Final = """\b
Examples:
  marrow reduce crash.c ./test.sh
  marrow reduce crash.js -- node {}
  marrow reduce crash.c --not 'syntax error' --write-test test.sh -- gcc -O3 -c {}
  marrow reduce f.smt2 --differ --not unknown -- z3 {} --- cvc5 {}
  marrow reduce big.js --shell 'node "$1" 2>&1 | grep -q "TypeError: x is not"'
  marrow reduce project/ ./test.sh --keep '*.mk'
  marrow reduce main.c util.h -- gcc -c main.c
  marrow reduce query.sql ./test.sh -o small.sql -j 4 --max-time 10m
  marrow reduce --diff good.c bad.c ./test.sh
  marrow reduce crash.c ./test.sh --resume
  marrow reduce race.go ./test.sh --flaky 2/5
  marrow reduce exploit.js --sandbox -- node {}
  marrow reduce crash.c ./test.sh --report crash.html

\b
marrow help tests says how a test is run, and what to give instead of one; see also
marrow help algorithms, passes, notations and exit-codes.
"""

_USAGE: Final = (
    "give one test: the path of an executable after the input, a shell command with --shell,\n"
    "or the failing command after --: marrow reduce INPUT -- COMMAND {}\n"
    "`marrow reduce --help` has examples; `marrow init` writes a test to start from."
)

#: The options that people need first.
_FIRST: Final = (
    *("output", "in_place", "jobs", "resume", "timeout", "max_time"),
    *("language", "grammar", "flaky", "sandbox"),
)


@click.command("reduce", epilog=_EPILOG, cls=CommandAfterDashes, groups=GROUPS, first=_FIRST)
@click.argument(
    "inputs",
    metavar="INPUT... [TEST | -- COMMAND]",
    nargs=-1,
    shell_complete=COMPLETERS["file"],
)
@run_options(ReduceOptions)
def reduce_command(inputs: tuple[str, ...], **given: Any) -> None:
    """Cut INPUT down to a much smaller file on which TEST still exits with 0.

    Without TEST: on which COMMAND still fails in the same way. INPUT may be several files and
    directories; the result is then a directory.

    INPUT is not changed unless you ask for it. The best result so far is always on disk;
    Ctrl-C stops and keeps it, and --resume continues later.
    """
    given["command"] = failing_command(differ=bool(given["differ"]))
    paths, test = inputs_and_test(inputs, given, usage=_USAGE, say=note_unless(given["quiet"]))
    if test is None and len(paths) > 1 and is_program(str(paths[-1])):
        # A script after the inputs is hardly one of them.
        raise CliError(Exit.USAGE, _USAGE)
    with interruptible() as interruption:
        code = _reduce(paths, test, given, interruption)
    if code is not Exit.DONE:
        sys.exit(code)


def _reduce(
    paths: tuple[Path, ...], test: str | None, given: dict[str, Any], interruption: Interruption
) -> Exit:
    values = values_of("reduce", given, paths[0])
    terminal = Terminal("reduce", values, interruption)
    printed = values["output"] == STANDARD_INPUT
    if printed:
        if values["as_json"] or is_several(paths):
            raise CliError(
                Exit.USAGE,
                "-o - prints the result of one file on standard output, and nothing else\n"
                "Leave out --json, or name a place for the result with -o.",
            )
        values["output"] = None  # it is on disk too, so that nothing is lost
    plan = _plan(paths, test, values)

    def work(run: Run) -> Exit:
        reduction = run.prepare_reduction()
        sizes = reduction.tokens_before, reduction.bytes_before
        if plan.live and terminal.quiet:  # a page that nobody knows of is of no use
            echo(f"live: {run.address}", err=True)
        with terminal.progress(plan.source.title, *sizes, keys=True, run=run):
            result = run.reduce()
        path, source = run.output_path, plan.source
        on = "" if plan.journal is None else again()  # what is not written down cannot be resumed

        def summary() -> str:
            shown = result.pretty_outcome or run.outcome
            return reduction_summary(result, path, source, run.command, on, shown, plan.limits)

        if printed:
            terminal.note(summary())
            sys.stdout.buffer.write(result.text)
            sys.stdout.flush()
        else:
            terminal.tell(summary, lambda: reduction_json(result, source.title, path))
            if plan.good is not None:
                terminal.note(f"patch: {write_patch(plan, result)}")
            if not (terminal.as_json or terminal.quiet) and result.text:
                show_result(result, path, several=source.several, good=plan.good)
        run.report(explained_report(result))
        return _conclude(result, run.outcome, plan, interruption)

    return terminal.go(plan, work)


def _plan(paths: tuple[Path, ...], test: str | None, values: dict[str, Any]) -> Plan:
    in_place, named = values["in_place"], named_paths(paths, values)
    output = paths[0] if in_place else values["output"] or default_output(named)
    journal = journal_of(output, values)
    source = resumed_input(paths[0], journal) if in_place and values["resume"] else None
    good = None
    if values["diff"] is not None:
        from marrow.run.plan.difference import two_inputs

        good, source = two_inputs(values["diff"], paths[0])
    source = source or named_input(paths, values)
    if values["layout"] is None and not values["keep_layout"]:
        values["layout"] = "pretty"
    plan = plan_reduction(source, test, values, good)
    return replace(plan, output=output, journal=journal, resume=values["resume"])


def _conclude(
    result: Result, outcome: Outcome | None, plan: Plan, interruption: Interruption
) -> Exit:
    """Return the exit code, or raise `CliError` where the result is in doubt."""
    if result.ending is Ending.INTERRUPTED:
        return interruption.code
    if result.error is not None:
        raise result.error
    if outcome is not None and outcome.verdict is Verdict.ERROR:
        raise CliError(Exit.TEST, outcome.message)
    if outcome is not None and not result.verified:
        assert plan.output is not None
        raise CliError(Exit.FLAKY, unverified_message(result, outcome, plan.output, plan.quorum))
    return Exit.DONE
