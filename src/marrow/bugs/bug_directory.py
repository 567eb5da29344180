"""The directory of a triage: a folder for each bug, the page, and the lists for programs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from marrow.base.errors import MarrowError
from marrow.bugs.bug import Bug, TriageResult
from marrow.bugs.canonical import is_bytes
from marrow.bugs.exports import as_json, bug_data, junit, sarif, triage_data
from marrow.bugs.index_page import index_page
from marrow.bugs.known_bugs import LIST, is_triage
from marrow.bugs.manual_decisions import OVERRULES, TEMPLATE
from marrow.bugs.owned_files import MANIFEST, NewFile, OwnedFiles
from marrow.bugs.triage_journal import JOURNAL
from marrow.report.plain import hexadecimal
from marrow.run.output.output_file import OutputError, advice

_FOLDER: Final = re.compile(r"bug-\d+")

# File systems take names of 255 bytes; a number may be added.
_LONGEST_NAME: Final = 200

# A dump is for people: of a larger input, its beginning.
_DUMPED: Final = 64 << 10


def check_directory(path: Path, rights: int = 0o666) -> None:
    """Raise `OutputError` if a triage cannot be written to a directory; create one that is missing.

    Whoever may not read the crash files, as their `rights` say, may not look into it either.
    """
    if not os.path.lexists(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(0o700 | rights & 0o066 | (rights & 0o044) >> 2)
        except OSError as error:
            raise _failed(path, error) from error
        return
    if not path.is_dir():
        raise OutputError(f"{path} is not a directory\nName another with ⟦output⟧.")
    try:
        names = os.listdir(path)
    except OSError as error:
        raise _failed(path, error) from error
    ours = is_triage(path) or {JOURNAL, MANIFEST} & set(names) or set(names) <= {OVERRULES}
    if names and not ours:
        raise OutputError(
            f"{path} holds other files than those of a triage\n"
            "Name a new directory with ⟦output⟧, or that of an earlier triage."
        )
    if not os.access(path, os.W_OK | os.X_OK):
        raise OutputError(f"{path} cannot be written to\nName another with ⟦output⟧.")


def foreign_bug_names(path: Path) -> set[str]:
    """Return the names of bugs that directories of the user have."""
    if not path.is_dir():
        return set()
    return {one for one in os.listdir(path) if _FOLDER.fullmatch(one)} - OwnedFiles(
        path
    ).directories


def write_directory(
    path: Path, result: TriageResult, command: str, suffix: str, rights: int = 0o666
) -> list[str]:
    """Write everything; return what the user should know about files that were kept.

    `suffix` is that of inputs. Lists are as readable as `rights` say, which all crash files have.
    """
    ids = [bug.id for bug in result.bugs] + [one.id for one in result.fixed]
    names = {one: f"{one}/smallest{suffix}" for one in ids}
    files: dict[str, NewFile] = {}
    for bug in result.bugs:
        files |= _bug_files(bug, names[bug.id], suffix, rights)
    for fixed in result.fixed:
        files[names[fixed.id]] = NewFile(fixed.text, rights)
    page = index_page(result, command, names).encode("utf-8", "replace")
    files["index.html"] = NewFile(page, rights)
    files["triage.sarif"] = NewFile(as_json(sarif(result, names)), rights)
    files["junit.xml"] = NewFile(junit(result, names).encode("utf-8", "replace"), rights)
    # It is written last: who finds it finds the rest.
    files[LIST] = NewFile(as_json(triage_data(result, command, names)), rights)
    owned = OwnedFiles(path)
    try:
        owned.replace_all(files, last=LIST)
        if not os.path.lexists(path / OVERRULES):
            (path / OVERRULES).write_text(TEMPLATE)
    except OSError as error:
        raise _failed(path, error) from error
    return owned.notes


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write to {path}: {error.strerror or error}\n{advice(error)} What was found is in "
        "the journal: run again to have it written."
    )


def _bug_files(bug: Bug, smallest: str, suffix: str, rights: int) -> dict[str, NewFile]:
    """Return the files of a bug's folder; none is more readable than the bug's inputs."""
    for member in bug.files:
        rights &= member.file.mode
    text = bug.case.text
    found: dict[str, bytes] = {Path(smallest).name: text}
    if is_bytes(text):
        rows = list(hexadecimal(text[:_DUMPED]))
        if len(text) > _DUMPED:
            rows.append(f"... {len(text) - _DUMPED:,} more bytes")
        found["smallest.dump.txt"] = "\n".join([*rows, ""]).encode()
    if bug.formatted is not None:
        found[f"formatted{suffix}"] = bug.formatted
    found["signature.toml"] = bug.case.signature.to_toml().encode("utf-8", "surrogateescape")
    found["bug.json"] = as_json(bug_data(bug, smallest))
    if bug.pattern is not None:
        from marrow.abstraction.pattern import compact
        from marrow.abstraction.pattern_json import to_json

        found["pattern.json"] = to_json(bug.pattern).encode("utf-8", "surrogateescape")
        found["pattern.txt"] = f"{compact(bug.pattern)}\n".encode("utf-8", "surrogateescape")
    if (page := _report(bug)) is not None:
        found["report.html"] = page
    files = {f"{bug.id}/{name}": NewFile(content, rights) for name, content in found.items()}
    names = _copy_names(one.names[0] for one in bug.files)
    for name, one in zip(names, bug.files, strict=True):
        files[f"{bug.id}/files/{name}"] = NewFile(one.file.text, one.file.mode)
    return files


def _report(bug: Bug) -> bytes | None:
    if not bug.has_report or bug.case.record is None:
        return None
    from marrow.report.html import html_report

    try:
        return html_report(bug.case.record).encode("utf-8", "replace")
    except MarrowError:
        return None


def _copy_names(names: Iterable[str]) -> list[str]:
    """Return names for copies of files: their own where that is possible, made safe."""
    taken = {".": 1, "..": 1}  # how often each was wanted
    result = []
    for name in names:
        base = os.path.basename(name.replace("\0", "")) or "file"
        content = re.sub(r"[\x00-\x1f\x7f/]", "_", base)
        found = short = os.fsdecode(os.fsencode(content)[:_LONGEST_NAME])
        while found in taken:
            taken[short] += 1
            found = f"{short}.{taken[short]}"
        taken[found] = 1
        result.append(found)
    return result
