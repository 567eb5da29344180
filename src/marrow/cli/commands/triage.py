"""`marrow triage`: from a folder of crash files to a list of bugs."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from marrow import __version__
from marrow.base.errors import error_text, spelled
from marrow.bugs.bug import BugStatus
from marrow.bugs.crash_files import BY_FUZZER, LeftOut
from marrow.bugs.triage_plan import DEFAULT_OUTPUT, TriageReport, triage_files
from marrow.bugs.triage_run import TriageProgress
from marrow.cli.console import StandardError, echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.interruption import Interruption, interruptible
from marrow.cli.records import print_error, print_record
from marrow.cli.run_arguments import CommandAfterDashes, inputs_and_test
from marrow.cli.run_options import run_options, values_of
from marrow.cli.running import events_of, failures_explained, told
from marrow.engine.events import Noted, PhaseBegan, ignore
from marrow.report.event_lines import EventLines
from marrow.report.plain import counted, plain, printable
from marrow.run.options.options import TriageOptions
from marrow.schemas import tag

_USAGE: Final = (
    "name the crash files, and the command that fails on them\n"
    "Example: marrow triage CRASHES -- ./target {}"
)

# How often a line says how far it is, in seconds.
_SAID: Final = 10.0

# How much of a bug's smallest input the summary shows.
_SHOWN: Final = 60
_READ: Final = 1_000


@click.command(
    "triage",
    cls=CommandAfterDashes,
    first=("output", "known", "jobs", "timeout", "reduce", "max_time", "language", "grammar"),
)
@click.argument("inputs", metavar="CRASHES... [TEST | -- TARGET]", nargs=-1, type=click.Path())
@run_options(TriageOptions)
def triage_command(inputs: tuple[str, ...], **given: Any) -> None:
    """Sort the failing inputs in CRASHES into bugs, with a small input for each.

    CRASHES are folders as fuzzers leave them, archives (.zip, .tar.gz) or single files. TARGET is
    the command that fails on them, with {} or @@ for the file, or on its standard input. marrow
    runs all files and puts those that fail alike into one bucket. It reduces the smallest files of
    each, and joins or splits buckets by what they reduce to. Every decision is explained.
    """
    word = "CRASHES, the folder of failing inputs,"
    paths, test = inputs_and_test(inputs, given, usage=_USAGE, input_word=word)
    with interruptible() as interruption:
        _triage(paths, test, given, interruption)


def _triage(
    paths: tuple[Path, ...], test: str | None, given: dict[str, Any], interruption: Interruption
) -> None:
    values = values_of("triage", given, paths[0])
    output, against = Path(values["output"] or DEFAULT_OUTPUT), bool(values["known"])
    events = events_of(values)
    if events is not None:
        values = {**values, "on_event": events}
    title = ", ".join(map(str, paths))
    screen = _Screen(quiet=values["quiet"] or values["as_json"], events=events)
    with told(events, "marrow triage", title, {"output": str(output)}):
        try:
            with failures_explained(output, "the same command", values["verbose"]):
                report = triage_files(
                    *(paths, test, values),
                    output=output,
                    progress=screen.show,
                    say=screen.line,
                    own_process=True,
                )
        except KeyboardInterrupt:
            stopped = (
                f"stopped; the results so far are in {output}: run the same command to continue"
            )
            screen.line(stopped)
            print_error(CliError(interruption.code, stopped.replace("; ", "\n", 1)))
            sys.exit(interruption.code)
        finally:
            interruption.shield()
        result = report.result
        if not (values["as_json"] or values["quiet"]):
            echo(summary(report, against=against))
        if not (against or result.bugs or result.fixed or result.stopped):
            what = "the only file does not fail"
            if result.files != 1:
                what = f"none of the {result.files:,} files fails"
            raise CliError(Exit.NOT_INTERESTING, error_text("nothing_to_triage", what=what))
        if values["as_json"]:
            print_record(_data(report))
        if against and result.with_status(BugStatus.NEW):
            sys.exit(Exit.NEW_BUGS)


def summary(report: TriageReport, *, against: bool) -> str:
    """Return what was found, for people."""
    result = report.result
    failing = sum(len(bug.files) for bug in result.bugs)
    twins = result.files - result.distinct
    same = f" ({twins:,} of the same content as others)" if twins else ""
    lines = [
        f"{counted(result.files, 'file')}{same}, {failing:,} fail: "
        f"{counted(len(result.bugs), 'bug')}",
    ]
    width = max((len(bug.id) for bug in result.bugs), default=0)
    for bug in result.bugs:
        state = f"{bug.status.value}: " if against or bug.status is not BugStatus.NEW else ""
        flaky = sum(one.flaky for one in bug.files)
        files = counted(len(bug.files), "file") + (f", {flaky} flaky" if flaky else "")
        text = " ".join(printable(bug.case.text[:_READ]).split())
        cut = "…" if len(text) > _SHOWN or len(bug.case.text) > _READ else ""
        lines += [
            f"  {bug.id:<{width}}  {state}{plain(bug.title)} ({files})",
            f"  {'':<{width}}    {counted(len(bug.case.text), 'byte')}: {text[:_SHOWN]}{cut}",
        ]
    for fixed in result.fixed:
        lines.append(f"  {fixed.id}  no longer fails: {plain(fixed.title)}")
    lines += _grouped("not in the list", result.passing)
    lines += _grouped("not read", [one for one in result.left_out if one.why != BY_FUZZER])
    lines += [f"note: {note}" for note in result.notes]
    if result.stopped:
        lines.append(f"stopped early: {result.stopped}; run the same command to continue")
    effort = result.effort
    lines.append(f"{effort.starts:,} runs of the target, {effort.seconds:.1f} s")
    if report.directory is not None:
        lines.append(f"{report.directory / 'index.html'} is the list")
    return "\n".join(lines)


def _grouped(what: str, files: Sequence[LeftOut]) -> list[str]:
    """Return a line for each reason why files are left out."""
    lines = []
    for why in sorted({one.why for one in files}):
        names = [plain(one.name) for one in files if one.why == why]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        lines.append(f"{what}: {', '.join(names[:3])}{more}: {why}")
    return lines


def _data(report: TriageReport) -> dict[str, Any]:
    result = report.result
    return {
        "schema": tag("triage"),
        "marrow": __version__,
        "output": str(report.directory),
        "files": result.files,
        "failing": sum(len(bug.files) for bug in result.bugs),
        "bugs": [
            {
                "id": bug.id,
                "status": bug.status.value,
                "title": bug.title,
                "files": len(bug.files),
                "sentence": bug.case.signature.sentence,
                "bytes": len(bug.case.text),
                "smallest": printable(bug.case.text[:_READ]),
            }
            for bug in result.bugs
        ],
        "fixed": [one.id for one in result.fixed],
        "stopped": result.stopped,
        "runs": result.effort.starts,
        "tests": result.effort.tests,
        "seconds": round(result.effort.seconds, 3),
    }


class _Screen:
    """The progress of a triage on the terminal: a line now and then."""

    def __init__(self, *, quiet: bool, events: EventLines | None) -> None:
        self._listen: Final = events or ignore
        self._error: Final = StandardError(quiet=quiet)
        self._next = 0.0
        self._phase = ""

    def line(self, words: str) -> None:
        """Print a line of its own."""
        said = spelled(words, command_line=True)
        self._listen(Noted(said))
        self._error.line(said)

    def show(self, now: TriageProgress) -> None:
        """Show how far it has come: where a phase begins, and after some seconds."""
        changed, self._phase = now.phase != self._phase, now.phase
        if changed:
            self._listen(PhaseBegan(now.phase))
        if now.phase != "done" and (changed or time.monotonic() >= self._next):
            self._next = time.monotonic() + _SAID
            self._error.line(progress_line(now))


def progress_line(now: TriageProgress) -> str:
    """Return a line that says how far a triage has come."""
    words = [f"{now.phase}: {now.ran:,} of {counted(now.files, 'file')} run"]
    if now.failing:
        words.append(f"{now.failing:,} fail")
        words.append(f"{now.done:,} of {counted(now.buckets, 'bucket')} decided")
    if now.bugs:
        words.append(counted(now.bugs, "bug"))
    words.append(counted(now.tests, "test"))
    words.append(f"{now.seconds:.0f} s")
    if now.left is not None and now.phase == "reducing":
        words.append(f"about {now.left:.0f} s left")
    return ", ".join(words)
