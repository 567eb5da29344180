"""Reading crash files: folders as fuzzers leave them, single files, and archives of them.

What a fuzzer writes beside its inputs (READMEs, reports, statistics, its queue) is told from them.
Nothing that cannot be read ends the reading: it is listed with the reason.
"""

from __future__ import annotations

import fnmatch
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError
from marrow.engine.journal.journal import digest

#: The ends of names that archives are known by.
ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")

# What fuzzers and systems put beside inputs, by name.
_NO_INPUTS: Final = (
    *("README.txt", "README", "README.md", "HONGGFUZZ.REPORT.TXT", "fuzz-*.log", ".DS_Store"),
    *("fuzzer_stats", "plot_data", "cmdline", "fuzz_bitmap", "fuzzer_setup", ".cur_input*"),
)

# The folders of an AFL++ output that hold failing inputs; the others hold what does not fail. It is
# known by its statistics, or by having both crashes and a queue.
_AFL_FAILING: Final = ("crashes", "hangs")
_AFL_MARK: Final = "fuzzer_stats"
_AFL_FOLDERS: Final = frozenset({"crashes", "queue"})

# All files of an archive together: more is a bomb, or belongs into several archives.
_LARGEST_ARCHIVE: Final = 1 << 30

_BROKEN: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, UnicodeDecodeError),
)


@dataclass(frozen=True)
class CrashFile:
    """A file that is said to fail, under the name that it was found by."""

    name: str
    text: bytes = field(repr=False)

    @cached_property
    def key(self) -> str:
        """The digest of its content: files of the same content are one input."""
        return digest(self.text).hex()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not triaged, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class CrashFiles:
    """What was found: the files in the order of their names, and what was left out."""

    files: tuple[CrashFile, ...]
    left_out: tuple[LeftOut, ...] = ()


def read_crash_files(
    paths: Iterable[Path], hidden: Path | None = None, *, may_be_none: bool = False
) -> CrashFiles:
    """Read files, folders and archives; `hidden` is the directory of results, which is none.

    Raises `InputError` if a path is not there, or if there is no file at all and must be one.
    """
    files: dict[str, CrashFile] = {}
    left_out: list[LeftOut] = []
    given = tuple(paths)
    for path in given:
        if not path.exists():
            raise InputError(
                f"there is no {path}\nName a folder of failing inputs, an archive, or single files."
            )
        for found in _found(path, hidden):
            if isinstance(found, LeftOut):
                left_out.append(found)
            else:
                files.setdefault(found.name, found)
    if not files and not may_be_none:
        listed = "".join(f"\n  {one.name}: {one.why}" for one in left_out[:8])
        raise InputError(
            f"there is no file to triage in {', '.join(map(str, given))}{listed}\n"
            "Name the folder that the fuzzer writes its crashes to "
            "(AFL++: out/default/crashes; libFuzzer: where crash-* lie)."
        )
    return CrashFiles(tuple(sorted(files.values(), key=lambda one: one.name)), tuple(left_out))


def _found(path: Path, hidden: Path | None) -> Iterator[CrashFile | LeftOut]:
    if path.is_dir():
        yield from _in_folder(path, hidden)
    elif path.name.lower().endswith(ARCHIVES):
        yield from _in_archive(path)
    else:
        yield _read(path)


def _in_folder(top: Path, hidden: Path | None) -> Iterator[CrashFile | LeftOut]:
    """Yield what a folder holds; of an AFL++ output, what failed alone."""
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            yield LeftOut(str(folder), error.strerror or str(error))
            continue
        by_afl = _AFL_MARK in names or set(names) >= _AFL_FOLDERS
        for name in names:
            path = folder / name
            if path.is_dir():
                failing = name in _AFL_FAILING if by_afl else not name.startswith(".")
                if failing and not (hidden is not None and _is_same(path, hidden)):
                    pending.append(path)
            elif _is_no_input(name):
                yield LeftOut(str(path), "written by the fuzzer, no input")
            elif not by_afl:
                yield _read(path)


def _is_no_input(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _NO_INPUTS)


def _is_same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _read(path: Path) -> CrashFile | LeftOut:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return LeftOut(str(path), "not a regular file")
        return CrashFile(str(path), read_bounded(path, LARGEST_INPUT))
    except OSError as error:
        return LeftOut(str(path), error.strerror or str(error))


def _in_archive(path: Path) -> Iterator[CrashFile | LeftOut]:
    """Yield the files of an archive; a damaged one gives what is in front of the damage."""
    total = 0
    try:
        for name, content in _members(path):
            shown = f"{path}/{name}"
            if _is_no_input(os.path.basename(name)) or "/queue/id:" in f"/{name}":
                yield LeftOut(shown, "written by the fuzzer, no input")
            elif content is None:
                yield LeftOut(shown, f"larger than {LARGEST_INPUT:,} bytes")
            else:
                total += len(content)
                if total > _LARGEST_ARCHIVE:
                    yield LeftOut(str(path), f"the rest of it is above {_LARGEST_ARCHIVE:,} bytes")
                    return
                yield CrashFile(shown, content)
    except _BROKEN as error:
        yield LeftOut(str(path), f"the archive cannot be read: {error or type(error).__name__}")


def _members(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield the names and contents of an archive's files; None for what is too large."""
    if path.name.lower().endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as file:
                        yield info.filename, _bounded(file.read(LARGEST_INPUT + 1))
        return
    with tarfile.open(path) as archive:
        for member in archive:
            opened = archive.extractfile(member) if member.isfile() else None
            if opened is not None:
                yield member.name, _bounded(opened.read(LARGEST_INPUT + 1))


def _bounded(content: bytes) -> bytes | None:
    return content if len(content) <= LARGEST_INPUT else None
