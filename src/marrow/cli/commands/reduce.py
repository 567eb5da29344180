"""`marrow reduce`: cut a failing input down."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from marrow.base.errors import MarrowError, UsageError, error_text
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit, cli_error
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.messages import by_hand, reduction_summary, unverified_message
from marrow.cli.records import print_record, result_record
from marrow.cli.run_arguments import CommandAfterDashes, inputs_and_test, is_program
from marrow.cli.run_options import run_options, values_of
from marrow.cli.running import Terminal, again
from marrow.engine.verdict import Verdict
from marrow.languages.recognition import is_binary
from marrow.report.plain import hexadecimal, printable
from marrow.run.options.options import ReduceOptions
from marrow.run.output.output_file import OutputFile
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
from marrow.syntax.bundle import read_bundle
from marrow.syntax.view_wrappers import as_narrow

_USAGE: Final = (
    "give one test: the path of an executable after the input, a shell command with --shell,\n"
    "or the failing command after --: marrow reduce INPUT -- COMMAND {}\n"
    "`marrow reduce --help` has examples; `marrow help tests` says what a test is."
)

#: The options that people need first.
_FIRST: Final = (
    *("output", "in_place", "jobs", "resume", "timeout", "max_time"),
    *("language", "grammar", "flaky", "sandbox", "explain"),
)


@click.command("reduce", cls=CommandAfterDashes, first=_FIRST)
@click.argument("inputs", metavar="INPUT... [TEST | -- COMMAND]", nargs=-1, type=click.Path())
@run_options(ReduceOptions)
def reduce_command(inputs: tuple[str, ...], **given: Any) -> None:
    """Cut INPUT down to a much smaller file on which TEST still exits with 0.

    Without TEST: on which COMMAND still fails in the same way. INPUT may be several files and
    directories; the result is then a directory.

    INPUT is not changed unless you ask for it. The best result so far is always on disk;
    Ctrl-C stops and keeps it, and --resume continues later.
    """
    paths, test = inputs_and_test(inputs, given, usage=_USAGE)
    if test is None and len(paths) > 1 and is_program(str(paths[-1])):
        # A script after the inputs is hardly one of them.
        raise UsageError(_USAGE)
    with interruptible() as interruption:
        _reduce(paths, test, given, interruption)


def _reduce(
    paths: tuple[Path, ...], test: str | None, given: dict[str, Any], interruption: Interruption
) -> None:
    values = values_of("reduce", given, paths[0])
    terminal = Terminal("reduce", values, interruption)
    printed = values["output"] == STANDARD_INPUT
    if printed:
        if values["as_json"] or is_several(paths):
            raise UsageError(error_text("one_file_on_output"))
        values["output"] = None  # it is on disk too, so that nothing is lost
    plan = _plan(paths, test, values)
    with terminal.running(plan) as run:
        reduction = run.prepare_reduction()
        sizes = reduction.tokens_before, reduction.bytes_before
        if plan.live and terminal.quiet:  # a page that nobody knows of is of no use
            echo(f"live: {run.address}", err=True)
        with terminal.progress(plan.source.title, *sizes, run):
            result = run.reduce()
        terminal.ending.update(
            ending=result.ending.value,
            tests=result.asked,
            tokens=result.tokens_after,
            bytes=result.bytes_after,
            output=str(run.output_path),
        )
        # What is not written down cannot be resumed.
        resumes = plan.journal is not None and result.stopped and result.ending is not Ending.GOAL
        on = again() if resumes else ""
        summary = ""
        if not (terminal.quiet or terminal.as_json):
            summary = reduction_summary(run, result, on, verbose=terminal.verbose > 0)
        if plan.good is not None:
            terminal.note(f"patch: {write_patch(plan, result)}")
        if printed:
            terminal.note(summary)
            sys.stdout.buffer.write(result.text)
            sys.stdout.flush()
        elif terminal.as_json:
            _record(run, result, on, interruption)
        elif summary:
            if result.text:
                show_result(run, result)
            echo(summary)
        run.report()
        code = _conclude(run, result, interruption)
        if code is not Exit.DONE:
            sys.exit(code)


def _record(run: Run, result: Result, again: str, interruption: Interruption) -> None:
    """Print the result for programs; an error that ends the command is part of it."""
    code, error = Exit.DONE, None
    try:
        code = _conclude(run, result, interruption)
    except (CliError, MarrowError) as raised:
        error = cli_error(raised)
    assert run.command is not None
    print_record(
        result_record(
            run,
            result,
            exit_code=int(code if error is None else error.code),
            reproduce=by_hand(run.output_path, run.plan.source, run.command),
            resume=again,
            error=error,
        )
    )
    if error is not None:
        error.recorded = True
        raise error


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


def _conclude(run: Run, result: Result, interruption: Interruption) -> Exit:
    """Return the exit code, or raise an error where the result is in doubt."""
    outcome = run.outcome
    if result.ending is Ending.INTERRUPTED:
        return interruption.code
    if result.error is not None:
        raise result.error
    if outcome is not None and outcome.verdict is Verdict.ERROR:
        raise CliError(Exit.TEST, outcome.message)
    if outcome is not None and not result.verified:
        raise CliError(Exit.FLAKY, unverified_message(run, result, outcome))
    return Exit.DONE


# As much as a screen shows; the rest is in the file.
MOST_LINES: Final = 40

# A line is cut here: one line of a megabyte would bury everything else.
_WIDEST: Final = 400

# How many rows of sixteen bytes are shown of a binary result.
_MOST_ROWS: Final = 16

_MARGIN: Final = "    "


def shown_result(result: Result, path: Path, *, several: bool) -> list[tuple[str, list[str]]]:
    """Return the files of a result, each with its name and the lines that are shown of it."""
    text = result.text if result.pretty is None else result.pretty
    if not several:
        return [(path.name, _lines(text, MOST_LINES))]
    found: list[tuple[str, list[str]]] = []
    left = MOST_LINES
    files = [one for one in read_bundle(text) if one.regular and one.content]
    for number, file in enumerate(files):
        lines = _lines(file.content, max(left, 1))
        found.append((file.name, lines))
        left -= len(lines) + 1
        if left <= 0 and number + 1 < len(files):
            found.append(("", [f"... and {len(files) - number - 1:,} more files"]))
            break
    return found


def _lines(text: bytes, most: int) -> list[str]:
    """Return the first lines of a text, or of its bytes in hexadecimal digits."""
    text = as_narrow(text)
    if is_binary(text):
        most = min(most, _MOST_ROWS)
        lines = list(hexadecimal(text[: 16 * most]))
        count = (len(text) + 15) // 16
    else:
        whole = text.replace(b"\r\n", b"\n")
        count = whole.count(b"\n") + (not whole.endswith(b"\n") and bool(whole))
        # Nothing but what is shown is looked at: a line of 50 MB takes its time. A character has
        # four bytes at most.
        starts = (line[: 4 * (_WIDEST + 1)] for line in whole.split(b"\n", most)[:most])
        lines = [printable(line) for line in starts][:count]
    shown = [line if len(line) <= _WIDEST else f"{line[:_WIDEST]}..." for line in lines]
    more = count - len(shown)
    return [*shown, f"... and {more:,} more lines"] if more else shown


def write_patch(plan: Plan, result: Result) -> Path:
    """Write what is left of a difference beside the result, as a patch."""
    assert result.patch is not None
    assert plan.output is not None
    path = plan.output.with_name(f"{plan.output.name}.patch")
    output = OutputFile(path, plan.source.mode & 0o666)
    patch = result.patch.encode("utf-8", "replace")
    if output.read() not in (None, patch):
        output.keep_old()
    output.write(patch)
    return path


def show_result(run: Run, result: Result) -> None:
    """Print the result; of a difference from a good input, the patch."""
    path, several = run.output_path, run.plan.source.several
    if run.plan.good is not None:
        shown, what = path.with_name(f"{path.name}.patch"), "the changes that make it fail"
        files = [("", _lines((result.patch or "").encode("utf-8", "replace"), MOST_LINES))]
    else:
        shown = result.pretty_path or path
        what = "the result" + (", laid out for reading" if result.pretty is not None else "")
        files = shown_result(result, path, several=several)
    echo(f"{what} ({shown}):")
    for name, lines in files:
        if several and name:
            echo(f"  {printable(name.encode('utf-8', 'surrogateescape'))}")
        echo("\n".join(f"{_MARGIN}{line}" for line in lines))
