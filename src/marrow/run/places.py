"""The places that a run writes to, checked before any test is run."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from marrow.engine.process.command import TestCommand
from marrow.errors import UsageError
from marrow.run.input import is_several
from marrow.run.output import OutputError
from marrow.run.plan import Plan


def default_output(paths: tuple[Path, ...]) -> Path:
    """Return where the command line puts a result: beside the input."""
    path = paths[0]
    if path.name in ("", ".."):
        path = Path(os.path.abspath(path))
    if os.path.isdir(path):
        return path.with_name(f"{path.name}.reduced")
    return path.with_name(f"{path.stem}.reduced{'' if is_several(paths) else path.suffix}")


def journal_of(output: Path, values: Mapping[str, Any]) -> Path | None:
    """Return where the command line puts the journal of a result."""
    if values["no_journal"]:
        if values["resume"] or values["journal"] is not None:
            raise UsageError(
                "⟦no_journal⟧ keeps no journal, which ⟦resume⟧ and ⟦journal⟧ are about\n"
                "Leave one of them out."
            )
        return None
    if values["journal"] is not None:
        return Path(values["journal"])
    # Not `with_name`: a path such as `.` has none, and is refused later with a better message.
    return Path(f"{output}.marrow")


def check_places(plan: Plan) -> None:
    """Raise `OutputError` or `UsageError` where a result cannot or must not be written."""
    if plan.in_place and len(plan.source.paths) != 1:
        raise UsageError(
            "⟦in_place⟧ is for one file or one directory\n"
            "Give the directory that the files are in, or let the result go elsewhere: "
            "⟦output DIR⟧"
        )
    if plan.output is not None:
        try:
            _check_output(plan, plan.output)
        except OSError as error:
            raise OutputError(
                f"cannot write the result to {plan.output}: {error.strerror or error}\n"
                "Choose another place with ⟦output⟧."
            ) from error
    check_file(plan.report, "a report", "report out.html")


def check_file(path: Path | None, what: str, example: str) -> None:
    """Raise `OutputError` where a file cannot be written."""
    if path is None:
        return
    parent = path.absolute().parent
    problem = (
        "it is a directory"
        if path.is_dir()
        else f"there is no directory {path.parent}"
        if not parent.is_dir()
        else f"no permission to write in {parent}"
        if not os.access(parent, os.W_OK | os.X_OK)
        else ""
    )
    if problem:
        raise OutputError(
            f"cannot write {what} to {path}: {problem}\n"
            f"Name a file in a directory that exists: ⟦{example}⟧"
        )


def _check_output(plan: Plan, path: Path) -> None:
    parent = path.absolute().parent
    if not parent.is_dir():
        raise OutputError(
            f"there is no directory {parent} for the result\n"
            "Make it, or choose another place with ⟦output⟧."
        )
    if plan.source.several:
        _check_directory(plan, path)
    elif path.is_dir():
        raise OutputError(
            f"cannot write the result to {path}: it is a directory\n"
            f"Name a file in it: ⟦output {path}/{plan.source.name}⟧"
        )
    elif path.exists():
        _check_existing(plan, path)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise OutputError(
            f"cannot write the result to {path}: no permission to write in {parent}\n"
            "Choose another place with ⟦output⟧."
        )


def _check_directory(plan: Plan, path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise OutputError(
            f"cannot write the result to {path}: it is not a directory\n"
            "The result of several files is a directory; choose another place with ⟦output⟧."
        )
    place = path.resolve()
    for one in () if plan.in_place else plan.source.paths:
        inside = one.resolve()
        if one.is_dir() and (place == inside or inside in place.parents):
            raise UsageError(
                f"the result would be written into the input {one}\n"
                "Say ⟦in_place⟧ if you want that (the original is kept), or choose another "
                "⟦output⟧."
            )
        if place in inside.parents:
            raise UsageError(
                f"the result would take the place of the directory that {one} is in\n"
                "Choose another ⟦output⟧."
            )


def _check_existing(plan: Plan, path: Path) -> None:
    if not path.is_file():
        raise OutputError(
            f"cannot write the result to {path}: it is not a regular file\n"
            "Choose another place with ⟦output⟧."
        )
    if plan.in_place:
        return
    for one in plan.source.paths:
        if one.exists() and path.samefile(one):
            raise UsageError(
                f"the result would be written over the input {one}\n"
                "Say ⟦in_place⟧ if you want that (the original is kept), or choose another "
                "⟦output⟧."
            )
    test = plan.test.script if isinstance(plan.test, TestCommand) else None
    if test is not None and test.exists() and path.samefile(test):
        raise UsageError(
            f"the result would be written over the test {test}\nChoose another ⟦output⟧."
        )
