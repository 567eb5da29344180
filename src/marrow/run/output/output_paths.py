"""The places that a run writes to, checked before any test is run."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marrow.base.errors import UsageError, error_text, os_errors
from marrow.engine.journal.journal import JournalError
from marrow.engine.process.command import TestCommand
from marrow.run.output.output_file import OutputError, is_planted, leads_to_itself
from marrow.run.plan.input import is_several
from marrow.run.plan.plan import Plan
from marrow.signature.failing_command import FailingCommand


@dataclass(frozen=True, slots=True)
class OutputKind:
    """A kind of output: its name, and a mark near the beginning of every file of it."""

    words: str
    mark: bytes


REPORT: Final = OutputKind("a report", b'<meta name="generator" content="marrow report">')
BUG_REPORT: Final = OutputKind("a bug report", b"<!-- Written by marrow reduce --bug-report. -->")
SAVED_TEST: Final = OutputKind("a test", b"\n# Written by marrow for:\n")
EVENTS: Final = OutputKind("events", b'{"event": "started",')
MODEL: Final = OutputKind("a model", b'"provenance": {\n  "corpus"')
REMOVALS: Final = OutputKind("a log of removals", b"file,type,ratio,removed\n")


def check_file(path: Path | None, kind: OutputKind, option: str, *, force: bool = False) -> None:
    """Raise `OutputError` where a file cannot or must not be written."""
    if path is None:
        return
    if problem := _problem(path):
        raise OutputError(
            f"cannot write {kind.words} to {path}: {problem}\n"
            f"Name a file in a directory that exists: ⟦{option}⟧"
        )
    problem = f"cannot write {kind.words} to {path}: it exists and cannot be read"
    with os_errors(OutputError, problem, "Choose another name."):
        if force or not os.path.exists(path):
            return
        with path.open("rb") as file:
            head = file.read(1 << 16)  # a saved test has its command before the mark
    if head and kind.mark not in head:  # an empty file is as good as none
        raise OutputError(error_text("file_of_somebody_else", path=path, kind=kind.words))


def _problem(path: Path, *, directory: bool = False) -> str:
    """Say why a file, or a directory, cannot be written, whatever is in it; empty if it can."""
    try:
        parent = path.absolute().parent
        if not parent.is_dir():
            return f"there is no directory {path.parent}"
        if leads_to_itself(path):
            return "it is a link that leads to itself"
        if path.exists() and path.is_dir() is not directory:
            many = "it is not a directory, as the result of several files is"
            return many if directory else "it is a directory"
        # As root, a file would take the place of /dev/null.
        if path.exists() and not directory and not path.is_file():
            return "it is not a regular file"
        if is_planted(path):
            return "it is a link that somebody else has put there"
        if not os.access(parent, os.W_OK | os.X_OK):
            return f"no permission to write in {parent}"
    except OSError as error:
        return error.strerror or str(error)
    return ""


# The longest names beside a result are `.NAME.new~.old` and `NAME.orig99`, and beside a journal
# `NAME-journal`; some bytes to spare.
_BESIDE_RESULT: Final = 12
_BESIDE_JOURNAL: Final = 12


def default_output(paths: tuple[Path, ...]) -> Path:
    """Return where the command line puts a result: beside the input."""
    path = paths[0]
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    if os.path.isdir(path):
        return path.with_name(f"{path.name}.reduced")
    return path.with_name(f"{path.stem}.reduced{'' if is_several(paths) else path.suffix}")


def pretty_path(output: Path) -> Path:
    """Return where the readable copy of a result goes: NAME.pretty.EXT beside it."""
    return output.with_name(f"{output.stem}.pretty{output.suffix}")


def journal_of(output: Path, values: Mapping[str, Any]) -> Path | None:
    """Return where the command line puts the journal of a result."""
    if values["no_journal"]:
        if values["resume"] or values["journal"] is not None:
            raise UsageError(error_text("no_journal_to_resume"))
        return None
    if values["journal"] is not None:
        return Path(values["journal"])
    # Not `with_name`: a path such as `.` has none, and is refused later with a better message.
    return Path(f"{output}.marrow")


def check_places(plan: Plan) -> None:
    """Raise `OutputError` or `UsageError` where a result cannot or must not be written."""
    if plan.in_place and len(plan.source.paths) != 1:
        raise UsageError(error_text("in_place_of_several"))
    if plan.output is not None:
        _check_output(plan, plan.output)
        _check_name(plan.output, _BESIDE_RESULT)
    # An old journal is moved away or removed: never a device, for everybody on the machine.
    journal = plan.journal
    if journal is not None and os.path.exists(journal) and not os.path.isfile(journal):
        raise JournalError(error_text("journal_not_a_file", journal=journal))
    _check_apart(plan)
    check_file(plan.report, REPORT, "report out.html", force=plan.force)
    check_file(plan.bug_report, BUG_REPORT, "bug_report out.md", force=plan.force)
    if isinstance(plan.test, FailingCommand):
        check_file(plan.test.write_test, SAVED_TEST, "write_test test.sh", force=plan.force)
    if journal is not None:
        _check_name(journal, _BESIDE_JOURNAL)


def _check_name(path: Path, added: int) -> None:
    """Raise `OutputError` where the names of what a run writes beside a file would be too long."""
    try:
        most = os.pathconf(path.absolute().parent, "PC_NAME_MAX")
    except (OSError, ValueError):
        return  # the directory is missing, which is said elsewhere
    length = len(os.fsencode(path.name)) + added
    if length > most:
        raise OutputError(
            f"the name {path.name} is too long: with what marrow adds to it, it has {length} bytes "
            f"of {most}\nChoose a shorter one with ⟦output⟧."
        )


def _check_apart(plan: Plan) -> None:
    """Raise `UsageError` where a run would write two things, or one of them and what it reads."""
    inquiry = plan.test if isinstance(plan.test, FailingCommand) else None
    script = plan.test.script if isinstance(plan.test, TestCommand) else None
    places = {
        "the test": script,
        "the journal": plan.journal,
        "the report": plan.report,
        "the bug report": plan.bug_report,
        "the saved test": None if inquiry is None else inquiry.write_test,
        "the result": plan.output,
    }
    named = [("the input", path) for path in plan.source.paths]
    named += [(what, path) for what, path in places.items() if path is not None]
    for (what, path), (other, second) in itertools.combinations(named, 2):
        both = what.removeprefix("the "), other.removeprefix("the ")
        in_place = plan.in_place and both == ("input", "result")
        if both == ("input", "input") or in_place or not is_same(path, second):
            continue
        if both == ("input", "result"):
            raise UsageError(error_text("result_over_input", path=path))
        if both == ("input", "test"):
            raise UsageError(error_text("input_is_the_test", path=path))
        raise UsageError(error_text("two_in_one_place", other=other, what=what, path=path))
    if not plan.source.several or plan.journal is None or plan.output is None:
        return
    if Path(os.path.realpath(plan.output)) in Path(os.path.realpath(plan.journal)).parents:
        raise UsageError(error_text("journal_in_result", result=plan.output))


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, or would."""
    with contextlib.suppress(OSError):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _check_output(plan: Plan, path: Path) -> None:
    if problem := _problem(path, directory=plan.source.several):
        file = f" {path / plan.source.name}" if os.path.isdir(path) else ""
        raise OutputError(
            f"cannot write the result to {path}: {problem}\n"
            f"Choose another place with ⟦output{file}⟧."
        )
    if not plan.source.several or plan.in_place:
        return
    place = path.resolve()
    for one in plan.source.paths:
        inside = one.resolve()
        if one.is_dir() and (place == inside or inside in place.parents):
            raise UsageError(error_text("result_in_input", path=one))
        if place in inside.parents:
            raise UsageError(error_text("result_around_input", path=one))
