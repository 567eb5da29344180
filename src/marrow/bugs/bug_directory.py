"""The directory of a triage: a folder for each bug, the page, and the lists for programs.

marrow shares it with its user. A manifest lists each file with the digest of its content. Only a
file that still has that digest is replaced or removed; one that somebody has changed or added since
is the user's. If a new file needs its name, the user's file is renamed to `NAME~`; nothing is ever
lost.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import operator
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from marrow.base.errors import MarrowError
from marrow.base.open_directory import OpenDirectory
from marrow.bugs.bug import Bug, TriageResult
from marrow.bugs.canonical import is_bytes
from marrow.bugs.exports import as_json, bug_data, index_page, junit, sarif, triage_data
from marrow.bugs.known_bugs import LIST, OVERRULES, is_triage
from marrow.bugs.triage_journal import JOURNAL
from marrow.report.plain import hexadecimal
from marrow.run.output.output_file import OutputError, advice

#: The name of the manifest in its directory.
MANIFEST: Final = ".triage-files.json"

# The form of a manifest: another one is not read.
_FORM: Final = 1

# A manifest has some hundred bytes for each file.
_LARGEST_MANIFEST: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class NewFile:
    """What a file is to hold, and who may read it."""

    content: bytes
    mode: int = 0o666

    @property
    def digest(self) -> str:
        """The digest of its content."""
        return hashlib.blake2b(self.content, digest_size=16).hexdigest()


class OwnedFiles:
    """The files that marrow owns in one directory. Paths are relative, with slashes."""

    def __init__(self, top: Path) -> None:
        self._top: Final = top
        #: The digests that each file may have: that of the last run, and of one that was killed.
        self._known: dict[str, list[str]] = _read_manifest(top)
        #: What the user should know: which files were kept.
        self.notes: Final[list[str]] = []

    @property
    def directories(self) -> set[str]:
        """The directories at the top that hold files of marrow."""
        return {path.partition("/")[0] for path in self._known if "/" in path}

    def replace_all(self, files: Mapping[str, NewFile], last: str) -> None:
        """Write files, and remove those of earlier runs that are not among them.

        The one called `last` is written after all others. Raises `OSError`.
        """
        before = self._known
        after = {path: [file.digest] for path, file in files.items()}
        rights = functools.reduce(operator.and_, (file.mode for file in files.values()), 0o666)
        with OpenDirectory.at(os.path.realpath(self._top)) as top:
            both = {
                path: [*before.get(path, ()), *after.get(path, ())] for path in {**before, **after}
            }
            _write_manifest(top, both, rights)
            for path, file in files.items():
                if path != last:
                    self._write(top, path, file)
            for path in before:
                if path not in after:
                    self._remove(top, path)
            if last in files:
                self._write(top, last, files[last])
            _write_manifest(top, after, rights)
        self._known = after

    def _write(self, top: OpenDirectory, path: str, file: NewFile) -> None:
        parent, name = os.path.split(path)
        with self._entered(top, parent, file.mode) as directory:
            found = _digest_of(directory, name)
            if found == file.digest:
                rights = stat.S_IMODE(directory.status(name).st_mode)
                if rights & ~file.mode & 0o066:
                    directory.chmod(name, rights & (file.mode | 0o700))
                return
            if found is not None and found not in self._known.get(path, ()):
                self._set_aside(directory, name, path)
            _put(directory, name, file)

    @contextlib.contextmanager
    def _entered(self, top: OpenDirectory, path: str, mode: int) -> Iterator[OpenDirectory]:
        """Open a directory; create it for those who may read a file of some mode."""
        with contextlib.ExitStack() as opened:
            directory = top
            for name in PurePosixPath(path).parts:
                with contextlib.suppress(FileNotFoundError):
                    if not stat.S_ISDIR(directory.status(name).st_mode):
                        self._set_aside(directory, name, path)
                with contextlib.suppress(FileExistsError):
                    directory.make(name, 0o700 | mode & 0o066 | (mode & 0o044) >> 2)
                directory = opened.enter_context(directory.enter(name))
            yield directory

    def _set_aside(self, directory: OpenDirectory, name: str, path: str) -> None:
        """Rename what the user has put where marrow writes."""
        endings = itertools.chain(("~",), (f"~{number}" for number in itertools.count(2)))
        kept = next(name + end for end in endings if not directory.exists(name + end))
        directory.rename(name, kept)
        shown = os.path.join(os.path.dirname(path), kept) if "/" in path else kept
        self.notes.append(
            f"{self._top / path} is not as marrow wrote it: your version is now {self._top / shown}"
        )

    def _remove(self, top: OpenDirectory, path: str) -> None:
        """Remove a file of an earlier run, and directories that are empty then."""
        parent, name = os.path.split(path)
        try:
            with top.enter(parent) as directory:
                found = _digest_of(directory, name)
                if found and found in self._known[path]:
                    directory.unlink(name)
                elif found is not None:
                    self.notes.append(
                        f"{self._top / path} is kept: it is not as marrow wrote it, and no longer "
                        "part of the triage"
                    )
        except OSError:
            return  # the user has put something else there
        while parent:
            above, name = os.path.split(parent)
            try:
                with top.enter(above) as directory:
                    os.rmdir(name, dir_fd=directory.descriptor)
            except OSError:
                return  # something is left in it
            parent = above


def _put(directory: OpenDirectory, name: str, file: NewFile) -> None:
    """Write a file aside, then rename it."""
    aside = f".{name}.new~"
    with contextlib.suppress(FileNotFoundError):
        directory.unlink(aside)  # of a run that was killed
    try:
        directory.write(aside, file.content, file.mode & 0o666)
        directory.rename(aside, name)
    except OSError:
        with contextlib.suppress(OSError):
            directory.unlink(aside)
        raise


def _digest_of(directory: OpenDirectory, name: str) -> str | None:
    """Return the digest of a file; None if there is none, nothing for what is not a file."""
    try:
        with open(directory.open_file(name), "rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()
    except FileNotFoundError:
        return None
    except OSError:
        return ""


def _read_manifest(top: Path) -> dict[str, list[str]]:
    """Read a manifest; one that is missing or broken lists nothing, so everything is the user's."""
    try:
        with OpenDirectory.at(os.path.realpath(top)) as directory:
            data = json.loads(directory.read(MANIFEST, _LARGEST_MANIFEST))
        files = data["files"] if data["form"] == _FORM else {}
        return {str(path): [str(one) for one in digests] for path, digests in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_manifest(top: OpenDirectory, files: Mapping[str, list[str]], mode: int) -> None:
    data = json.dumps({"form": _FORM, "files": files}, indent=1) + "\n"
    _put(top, MANIFEST, NewFile(data.encode(), mode))


_FOLDER: Final = re.compile(r"bug-\d+")

# File systems take names of 255 bytes; a number may be added.
_LONGEST_NAME: Final = 200

_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f/]")

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
    named = {one for one in os.listdir(path) if _FOLDER.fullmatch(one)}
    return named - OwnedFiles(path).directories


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
        files |= _bug_files(bug, names[bug.id], rights)
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
            (path / OVERRULES).write_bytes(Path(__file__).with_name(OVERRULES).read_bytes())
    except OSError as error:
        raise _failed(path, error) from error
    return owned.notes


def _failed(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"cannot write to {path}: {error.strerror or error}\n{advice(error)} What was found is in "
        "the journal: run again to have it written."
    )


def _bug_files(bug: Bug, smallest: str, rights: int) -> dict[str, NewFile]:
    """Return the files of a bug's folder; none is more readable than the bug's inputs."""
    rights = functools.reduce(operator.and_, (one.file.mode for one in bug.files), rights)
    text = bug.case.text
    found: dict[str, bytes] = {Path(smallest).name: text}
    if is_bytes(text):
        rows = list(hexadecimal(text[:_DUMPED]))
        if len(text) > _DUMPED:
            rows.append(f"... {len(text) - _DUMPED:,} more bytes")
        found["smallest.dump.txt"] = "\n".join([*rows, ""]).encode()
    found["signature.toml"] = bug.case.signature.to_toml().encode("utf-8", "surrogateescape")
    found["bug.json"] = as_json(bug_data(bug, smallest))
    if bug.has_report and bug.case.record is not None:
        from marrow.report.html import html_report

        with contextlib.suppress(MarrowError):
            found["report.html"] = html_report(bug.case.record).encode("utf-8", "replace")
    files = {f"{bug.id}/{name}": NewFile(content, rights) for name, content in found.items()}
    names = _copy_names(one.names[0] for one in bug.files)
    for name, one in zip(names, bug.files, strict=True):
        files[f"{bug.id}/files/{name}"] = NewFile(one.file.text, one.file.mode)
    return files


def _copy_names(names: Iterable[str]) -> list[str]:
    """Return names for copies of files: their own where that is possible, made safe."""
    taken = dict.fromkeys((".", ".."))
    for name in names:
        base = os.path.basename(name.replace("\0", "")) or "file"
        short = os.fsdecode(os.fsencode(_UNSAFE.sub("_", base))[:_LONGEST_NAME])
        numbered = (f"{short}.{number}" for number in itertools.count(2))
        taken[next(one for one in itertools.chain((short,), numbered) if one not in taken)] = None
    return list(taken)[2:]
