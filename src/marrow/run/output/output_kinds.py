"""Kinds of files that marrow writes besides results, and how an earlier one is known.

Nothing of the user's is written over: a file that exists must be an earlier output of the same
kind, unless `--force` permits anything.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from marrow.run.output.output_file import OutputError, is_planted, leads_to_itself

# Marks stand at the beginning; the command in a saved test and the policy of a page come before.
_HEAD: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class OutputKind:
    """A kind of output: what it is called, and what stands at the beginning of every one."""

    words: str
    mark: bytes

    def is_at(self, path: Path) -> bool:
        """Whether a file is an earlier output of this kind; an empty file is as good as none."""
        with path.open("rb") as file:
            head = file.read(_HEAD)
        return not head or self.mark in head


REPORT: Final = OutputKind("a report", b'<meta name="generator" content="marrow report">')
BUG_REPORT: Final = OutputKind("a bug report", b"<!-- Written by marrow reduce --bug-report. -->")
SAVED_TEST: Final = OutputKind("a test", b"\n# Written by marrow for:\n")
TEST_MODULE: Final = OutputKind("a test module", b"\nWritten by `marrow produce`.")
MODEL: Final = OutputKind("a model", b'"provenance": {\n  "corpus"')
REMOVALS: Final = OutputKind("a log of removals", b"file,type,ratio,removed\n")


def check_file(path: Path | None, kind: OutputKind, option: str, *, force: bool = False) -> None:
    """Raise `OutputError` where a file cannot or must not be written."""
    if path is None:
        return
    try:
        problem = _problem(path)
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        raise OutputError(
            f"cannot write {kind.words} to {path}: {problem}\n"
            f"Name a file in a directory that exists: ⟦{option}⟧"
        )
    try:
        wrong = os.path.exists(path) and not force and not kind.is_at(path)
    except OSError as error:
        raise OutputError(
            f"cannot write {kind.words} to {path}: it exists and cannot be read "
            f"({error.strerror or error})\nChoose another name."
        ) from error
    if wrong:
        raise OutputError(
            f"{path} exists and is not {kind.words} that marrow wrote\n"
            "Choose another name, or say ⟦force⟧ to write over it."
        )


def _problem(path: Path) -> str:
    """Say why a file cannot be written, whatever is in it; empty if it can."""
    parent = path.absolute().parent
    if leads_to_itself(path):
        return "it is a link that leads to itself"
    if path.is_dir():
        return "it is a directory"
    if not parent.is_dir():
        return f"there is no directory {path.parent}"
    if os.path.exists(path) and not stat.S_ISREG(path.stat().st_mode):
        # As root, a file would take the place of /dev/null.
        return "it is not a regular file"
    if is_planted(path):
        return "it is a link that somebody else has put there"
    if not os.access(parent, os.W_OK | os.X_OK):
        return f"no permission to write in {parent}"
    return ""
