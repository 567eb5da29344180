"""The record of a run in its journal, for a report, and the report as a file."""

from __future__ import annotations

import datetime
import json
import platform
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marrow.engine.executors.quorum import Quorum
from marrow.engine.journal.history import Record
from marrow.engine.journal.journal import Journal, JournalError
from marrow.engine.process.command import TestCommand
from marrow.run.output import OutputError, OutputFile

if TYPE_CHECKING:
    from marrow.run.reduction import Result

_PACKAGES: Final = ("marrow", "tree-sitter", "tree-sitter-language-pack")

# A test that is larger is a program rather than a script to read.
_MOST_SCRIPT: Final = 64 * 1024


def note_beginning(
    journal: Journal,
    *,
    title: str,
    language: str,
    text: bytes,
    tokens: int,
    length: int,
    command: TestCommand | None,
    name: str,
    seed: int,
    quorum: Quorum | None = None,
) -> None:
    """Record what a run is about."""
    import importlib.metadata

    versions = [f"{package} {importlib.metadata.version(package)}" for package in _PACKAGES]
    details = {
        "command": shlex.join(["marrow", *sys.argv[1:]]),
        "test": "a Python function" if command is None else command.by_hand(name),
        "language": language,
        "seed": str(seed),
        **({} if quorum is None else {"flaky": f"{quorum} runs must be interesting"}),
        "versions": ", ".join([*versions, f"Python {platform.python_version()}"]),
        "system": platform.platform(),
        "started": datetime.datetime.now().astimezone().isoformat(" ", "seconds"),
    }
    about = {"title": title, "tokens": tokens, "length": length, "details": details}
    journal.note("about", json.dumps(about))
    journal.put_text("input", text)
    script = None if command is None else command.script
    if script is not None and script.stat().st_size <= _MOST_SCRIPT:
        content = script.read_bytes()
        if b"\0" not in content:
            journal.put_text("test", content)


def note_end(journal: Journal, result: Result, asked: int) -> None:
    """Record how a run ended; `asked` are the tests as one worker runs them."""
    checked = "; the test was interesting on the result once more" if result.verified else ""
    if result.reliability is not None:
        checked = f"; the result is {result.reliability.words()}"
    stopped = f"Stopped: {result.stopped.partition(chr(10))[0]}. " if result.stopped else ""
    ended = {"state": f"{stopped}Guarantee: {result.guarantee}{checked}.", "tests": asked}
    journal.note("ended", json.dumps(ended))
    journal.put_text("result", result.text)


def write_report(path: Path, record: Record, pattern: dict[str, object] | None = None) -> None:
    """Write the report of a run."""
    from marrow.report.html import NoReportError, html_report

    try:
        content = html_report(record, pattern).encode("utf-8", "replace")
        OutputFile(path).write(content)
    except NoReportError as error:
        raise JournalError(
            f"no report can be made of this journal: {error}\n"
            "Give the journal of a `marrow reduce`, RESULT.marrow beside its result."
        ) from error
    except (OutputError, OSError) as error:
        raise OutputError(
            f"cannot write the report to {path}: {error}\n"
            "The result is there; `marrow report JOURNAL -o FILE` writes the report elsewhere."
        ) from error
