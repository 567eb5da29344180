"""The directory of a triage: a folder for each bug, the page, and the lists for programs.

What an earlier run wrote is replaced as a whole: folders are made aside, then renamed. Files that
marrow did not write are never touched.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from marrow.base.errors import MarrowError
from marrow.bugs.bug import Bug, TriageResult
from marrow.bugs.canonical import BYTE, lexemes
from marrow.bugs.exchange import junit, sarif
from marrow.bugs.index_page import index_page
from marrow.bugs.known_bugs import LIST, is_triage
from marrow.bugs.overrules import OVERRULES, TEMPLATE
from marrow.bugs.triage_journal import JOURNAL
from marrow.bugs.triage_json import as_json, bug_data, triage_data
from marrow.report.hexadecimal import hexadecimal
from marrow.run.output.output_file import OutputError, OutputFile, advice

_FOLDER: Final = re.compile(r"bug-\d+(?:\.old|\.new)?")

# File systems take names of 255 bytes; a number may come behind it.
_LONGEST_NAME: Final = 200


def check_directory(path: Path) -> None:
    """Raise `OutputError` if a triage cannot be written to a directory."""
    if not os.path.lexists(path):
        try:
            path.mkdir(parents=True)
        except OSError as error:
            raise _failed(path, error) from error
        return
    if not path.is_dir():
        raise OutputError(f"{path} is not a directory\nName another with ⟦output⟧.")
    try:
        names = os.listdir(path)
    except OSError as error:
        raise _failed(path, error) from error
    ours = is_triage(path) or JOURNAL in names or set(names) <= {OVERRULES}
    if names and not ours:
        raise OutputError(
            f"{path} holds other files than those of a triage\n"
            "Name a new directory with ⟦output⟧, or that of an earlier triage."
        )
    if not os.access(path, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written to\nName another with ⟦output⟧.")


def write_directory(path: Path, result: TriageResult, command: str, suffix: str) -> None:
    """Write everything; `suffix` is that of inputs."""
    try:
        ids = [bug.id for bug in result.bugs] + [one.id for one in result.fixed]
        names = {one: f"{one}/smallest{suffix}" for one in ids}
        for bug in result.bugs:
            _write_bug(path, bug, names[bug.id], suffix)
        for fixed in result.fixed:
            (path / fixed.id).mkdir(exist_ok=True)
            _write(path / names[fixed.id], fixed.text)
        for folder in sorted(path.iterdir()):
            if _FOLDER.fullmatch(folder.name) and folder.is_dir() and folder.name not in names:
                shutil.rmtree(folder)
        _write(path / "index.html", index_page(result, command, names).encode("utf-8", "replace"))
        _write(path / "triage.sarif", as_json(sarif(result, names)))
        _write(path / "junit.xml", junit(result, names).encode("utf-8", "replace"))
        if not (path / OVERRULES).exists():
            _write(path / OVERRULES, TEMPLATE.encode())
        # Last: who finds it finds all the rest.
        _write(path / LIST, as_json(triage_data(result, command, names)))
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write to {path}: {error.strerror or error}\n{advice(error)} What was found is in "
        "the journal: run again to have it written."
    )


def _write(path: Path, content: bytes) -> None:
    OutputFile(path).write(content)


def _write_bug(top: Path, bug: Bug, smallest: str, suffix: str) -> None:
    """Write the folder of a bug aside, then put it in the place of an earlier one."""
    aside, old = top / f"{bug.id}.new", top / f"{bug.id}.old"
    for left in (aside, old):
        shutil.rmtree(left, ignore_errors=True)
    aside.mkdir()
    _write(aside / Path(smallest).name, bug.case.text)
    if lexemes(bug.case.text)[:1] and lexemes(bug.case.text)[0].kind == BYTE:
        _write(aside / "smallest.dump.txt", "\n".join([*hexadecimal(bug.case.text), ""]).encode())
    if bug.formatted is not None:
        _write(aside / f"formatted{suffix}", bug.formatted)
    signature = bug.case.signature.to_toml()
    _write(aside / "signature.toml", signature.encode("utf-8", "surrogateescape"))
    _write(aside / "bug.json", as_json(bug_data(bug, smallest)))
    if bug.pattern is not None:
        from marrow.abstraction.compact_form import compact
        from marrow.abstraction.pattern_json import to_json

        _write(aside / "pattern.json", to_json(bug.pattern).encode("utf-8", "surrogateescape"))
        shown = compact(bug.pattern) + "\n"
        _write(aside / "pattern.txt", shown.encode("utf-8", "surrogateescape"))
    _write_report(aside, bug)
    members = aside / "files"
    members.mkdir()
    taken: set[str] = set()
    for one in bug.files:
        name = _free_name(one.names[0], taken)
        taken.add(name)
        _write(members / name, one.file.text)
    if (top / bug.id).exists():
        os.rename(top / bug.id, old)
    os.rename(aside, top / bug.id)
    shutil.rmtree(old, ignore_errors=True)


def _write_report(folder: Path, bug: Bug) -> None:
    if bug.case.record is None:
        return
    from marrow.report.html import html_report

    try:
        page = html_report(bug.case.record)
    except MarrowError:
        return
    _write(folder / "report.html", page.encode("utf-8", "replace"))


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name for a copy of a file: its own where that is possible, made safe."""
    base = os.path.basename(name.replace("\0", "")) or "file"
    content = re.sub(r"[\x00-\x1f\x7f/]", "_", base)
    short = os.fsdecode(os.fsencode(content)[:_LONGEST_NAME])
    found, number = short, 1
    while found in taken or found in (".", ".."):
        number += 1
        found = f"{short}.{number}"
    return found
