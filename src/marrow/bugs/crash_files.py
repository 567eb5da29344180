"""Reading crash files: folders as fuzzers leave them, single files, and archives of them.

Files that a fuzzer writes beside its inputs (READMEs, reports, statistics, its queue) are left out.
A file that cannot be read does not end the reading: it is listed with the reason. Crash folders
and archives come from strangers: reading is bounded in bytes, files and time, and links to
directories are not followed.
"""

from __future__ import annotations

import bz2
import fnmatch
import functools
import gzip
import io
import lzma
import operator
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Final, cast

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.deadline import OutOfTimeError, look
from marrow.base.errors import InputError
from marrow.engine.journal.journal import digest

#: The suffixes of archives; each but `.zip` with what decompresses it.
_TAR_FILES: Final[dict[str, Callable[[Path], Any]]] = {
    ".tar": io.FileIO,
    ".tar.gz": gzip.GzipFile,
    ".tgz": gzip.GzipFile,
    ".tar.bz2": bz2.BZ2File,
    ".tbz2": bz2.BZ2File,
    ".tar.xz": lzma.LZMAFile,
    ".txz": lzma.LZMAFile,
}
ARCHIVES: Final = (".zip", *_TAR_FILES)

# Files that fuzzers and systems put beside inputs, by name.
_NOT_INPUTS: Final = (
    *("README.txt", "README", "README.md", "HONGGFUZZ.REPORT.TXT", "fuzz-*.log", ".DS_Store"),
    *("fuzzer_stats", "plot_data", "cmdline", "fuzz_bitmap", "fuzzer_setup", ".cur_input*"),
)
#: Why such a file is left out.
BY_FUZZER: Final = "written by the fuzzer, not an input"

# The folders of an AFL++ output that hold failing inputs. An output is known by its statistics, or
# by having both crashes and a queue.
_AFL_FAILING: Final = ("crashes", "hangs")
_AFL_MARK: Final = "fuzzer_stats"
_AFL_FOLDERS: Final = frozenset({"crashes", "queue"})

# All files together. More is a bomb, or needs several runs: everything is held in memory.
_MOST_BYTES: Final = 1 << 30

# A file of an archive. Crash files are small; more is a bomb, which is not even held in memory.
_MOST_UNPACKED: Final = 64 << 20
_MOST_FILES: Final = 200_000

# How much of an archive is unpacked between two looks at the clock.
_PIECE: Final = 1 << 20

_BROKEN: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(NotImplementedError, RuntimeError, ValueError, UnicodeDecodeError),
)


@dataclass(frozen=True)
class CrashFile:
    """A file that is said to fail, under the name that it was found by.

    `mode` is who may read it: copies, and all that is written about it, are at most as readable.
    """

    name: str
    text: bytes = field(repr=False)
    mode: int = 0o666

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
    """The files that were found, in the order of their names, and those that were left out.

    `complete` is false if the time limit ended the reading.
    """

    files: tuple[CrashFile, ...]
    left_out: tuple[LeftOut, ...] = ()
    complete: bool = True

    @property
    def mode(self) -> int:
        """The rights that all files have."""
        return functools.reduce(operator.and_, (file.mode for file in self.files), 0o666)


class _TooMuchError(Exception):
    """All files together are larger than is read."""


@dataclass(slots=True)
class _Allowance:
    """How much may still be read."""

    size: int = _MOST_BYTES
    files: int = _MOST_FILES

    def take(self, size: int) -> None:
        """Count some bytes, and look at the clock."""
        look()
        self.size -= size
        if self.size < 0:
            raise _TooMuchError

    def take_file(self) -> None:
        """Count a file."""
        self.files -= 1
        if self.files < 0:
            raise _TooMuchError


def read_crash_files(
    paths: Iterable[Path], hidden: Path | None = None, *, may_be_none: bool = False
) -> CrashFiles:
    """Read files, folders and archives, but not the directory `hidden`, which holds results.

    Raises `InputError` if a path does not exist, or if nothing is found and nothing `may_be_none`.
    The deadline of the thread ends the reading early.
    """
    files: dict[str, CrashFile] = {}
    left_out: list[LeftOut] = []
    given = tuple(paths)
    allowance, complete = _Allowance(), True
    for path in given:
        if not path.exists():
            raise InputError(
                f"{path} does not exist\nName a folder of failing inputs, an archive, or single "
                "files."
            )
    reading = Path()
    try:
        for reading in given:
            for found in _found(reading, hidden, allowance):
                if isinstance(found, LeftOut):
                    left_out.append(found)
                else:
                    files.setdefault(found.name, found)
    except _TooMuchError:
        why = f"the rest of it: more than {_MOST_BYTES >> 20:,} MB or {_MOST_FILES:,} files in all"
        left_out.append(LeftOut(str(reading), why))
    except OutOfTimeError:
        complete = False
    if not files and complete and not may_be_none:
        listed = "".join(f"\n  {one.name}: {one.why}" for one in left_out[:8])
        raise InputError(
            f"there is no file to triage in {', '.join(map(str, given))}{listed}\n"
            "Name the folder that the fuzzer writes its crashes to "
            "(AFL++: out/default/crashes; libFuzzer: the folder with crash-*)."
        )
    ordered = tuple(sorted(files.values(), key=lambda one: one.name))
    return CrashFiles(ordered, tuple(left_out), complete)


def _found(path: Path, hidden: Path | None, allowance: _Allowance) -> Iterator[CrashFile | LeftOut]:
    if path.is_dir():
        for one in _listed(path, hidden, allowance):
            yield one if isinstance(one, LeftOut) else _read(one, allowance)
    elif path.name.lower().endswith(ARCHIVES):
        yield from _unpacked(path, allowance)
    else:
        yield _read(path, allowance)


def _listed(top: Path, hidden: Path | None, allowance: _Allowance) -> Iterator[Path | LeftOut]:
    """Yield the files of a folder; of an AFL++ output, those that failed."""
    pending, inside = [top], top.resolve()
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            yield LeftOut(str(folder), error.strerror or str(error))
            continue
        names = {entry.name for entry in found}
        by_afl = _AFL_MARK in names or names >= _AFL_FOLDERS
        for entry in found:
            allowance.take(0)
            path = folder / entry.name
            try:
                is_folder, linked = entry.is_dir(follow_symlinks=False), entry.is_symlink()
                if is_folder:
                    failing = entry.name in _AFL_FAILING if by_afl else entry.name[0] != "."
                    if failing and not (hidden is not None and _is_same(path, hidden)):
                        pending.append(path)
                elif linked and path.is_dir():
                    yield LeftOut(str(path), "a link to a directory, which is not followed")
                elif linked and not path.resolve().is_relative_to(inside):
                    yield LeftOut(str(path), "a link out of the folder, which is not followed")
                elif _is_by_fuzzer(entry.name):
                    yield LeftOut(str(path), BY_FUZZER)
                elif not by_afl:
                    allowance.take_file()
                    yield path
            except OSError as error:
                yield LeftOut(str(path), error.strerror or str(error))


def _is_by_fuzzer(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _NOT_INPUTS)


def _is_same(one: Path, other: Path) -> bool:
    return other.exists() and os.path.samefile(one, other)


def _read(path: Path, allowance: _Allowance) -> CrashFile | LeftOut:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return LeftOut(str(path), "not a regular file")
        if status.st_size > LARGEST_INPUT:
            return LeftOut(str(path), f"larger than {LARGEST_INPUT:,} bytes")
        allowance.take(status.st_size)
        text = read_bounded(path, max(status.st_size, _PIECE))
        return CrashFile(str(path), text, stat.S_IMODE(status.st_mode) & 0o666)
    except OSError as error:
        return LeftOut(str(path), error.strerror or str(error))


def _unpacked(path: Path, allowance: _Allowance) -> Iterator[CrashFile | LeftOut]:
    """Yield the files of an archive; a damaged one gives those before the damage."""
    try:
        mode = stat.S_IMODE(path.stat().st_mode) & 0o666
        for name, content in _members(path, allowance):
            allowance.take_file()
            shown = f"{path}/{name}"
            if _is_by_fuzzer(os.path.basename(name)) or "/queue/id:" in f"/{name}":
                yield LeftOut(shown, BY_FUZZER)
            elif content is None:
                yield LeftOut(shown, f"unpacks to more than {_MOST_UNPACKED:,} bytes")
            else:
                yield CrashFile(shown, content, mode)
    except _BROKEN as error:
        yield LeftOut(str(path), f"the archive cannot be read: {error or type(error).__name__}")


def _members(path: Path, allowance: _Allowance) -> Iterator[tuple[str, bytes | None]]:
    """Yield the names and contents of the files of an archive; None for one that is too large."""
    name = path.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    with archive.open(info) as file:
                        yield info.filename, _read_all(_Metered(file, allowance))
        return
    opened = next(opened for suffix, opened in _TAR_FILES.items() if name.endswith(suffix))
    # As a stream, so that headers that claim to be huge and what is skipped are counted too.
    with opened(path) as file:
        metered = cast(IO[bytes], _Metered(file, allowance))
        with tarfile.open(fileobj=metered, mode="r|") as tar:
            for member in tar:
                found = tar.extractfile(member) if member.isfile() else None
                if found is not None:
                    yield member.name, _read_all(found)


@dataclass(frozen=True, slots=True)
class _Metered:
    """A file that counts what is read of it."""

    file: IO[bytes]
    allowance: _Allowance

    def read(self, size: int) -> bytes:
        """Return at most some bytes."""
        content = self.file.read(min(size, _PIECE))
        self.allowance.take(len(content))
        return content


def _read_all(file: _Metered | IO[bytes]) -> bytes | None:
    content = bytearray()
    while piece := file.read(_PIECE):
        content += piece
        if len(content) > _MOST_UNPACKED:
            return None
    return bytes(content)
