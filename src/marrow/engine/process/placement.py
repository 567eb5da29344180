"""Placing a candidate in the directory of its test: as one file, or as a set of files.

Reading and writing sets of files is here too; the result on disk uses it as well.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.open_directory import OpenDirectory
from marrow.syntax.bundle import BundleEntry, read_bundle

# The bits of a mode that say who may do what.
_MODE: Final = 0o777


class Placement(Protocol):
    """Puts candidates into the directories of tests."""

    @property
    def alone(self) -> str:
        """The name of the only file; empty if there may be several."""

    def put(self, directory: OpenDirectory, candidate: bytes) -> tuple[str, int]:
        """Write a candidate; return its name in the directory, and the open standard input."""


class OneFile:
    """A candidate is a file with the input's own name, and the standard input too."""

    def __init__(self, name: str) -> None:
        self.alone: Final = name

    def put(self, directory: OpenDirectory, candidate: bytes) -> tuple[str, int]:
        """Write the file; in a reused directory, over the candidate before."""
        return self.alone, directory.overwrite(self.alone, candidate)


class SetOfFiles:
    """A candidate is a set of files in the test's directory, under their own names.

    The argument is the directory. `kept` are files that every candidate has.
    """

    alone: Final = ""

    def __init__(self, kept: Iterable[BundleEntry] = ()) -> None:
        self._kept: Final = tuple(kept)

    def put(self, directory: OpenDirectory, candidate: bytes) -> tuple[str, int]:
        """Write the files."""
        write_below(directory, (*read_bundle(candidate), *self._kept))
        return "", os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)


def write_entries(directory: str | Path, entries: Iterable[BundleEntry]) -> None:
    """Write files, links and empty directories below a directory."""
    with OpenDirectory.at(os.path.realpath(directory)) as opened:
        write_below(opened, entries)


def write_below(directory: OpenDirectory, entries: Iterable[BundleEntry]) -> None:
    """Write files, links and empty directories below an open directory."""
    for entry in entries:
        parent, name = os.path.split(entry.name)
        with directory.enter(parent, make=True) as here:
            if stat.S_ISLNK(entry.mode):
                here.link(name, entry.content)
            elif stat.S_ISDIR(entry.mode):
                here.enter(name, make=True).close()
            else:
                here.write(name, entry.content, entry.mode & _MODE, exact=True)


def read_entries(directory: Path) -> Iterator[BundleEntry]:
    """Yield the files, links and empty directories below a directory; others are left out.

    Raises OSError where something cannot be read.
    """
    pending = [""]
    while pending:
        inside = pending.pop()
        with os.scandir(directory / inside) as found:
            names = sorted(entry.name for entry in found)
        if not names and inside:
            yield BundleEntry(
                inside, mode=stat.S_IFDIR | _MODE & (directory / inside).stat().st_mode
            )
        for name in names:
            path = f"{inside}/{name}" if inside else name
            entry = read_entry(directory / path, path)
            if entry is None:
                continue
            if stat.S_ISDIR(entry.mode):
                pending.append(path)
            else:
                yield entry


def read_entry(path: Path, name: str) -> BundleEntry | None:
    """Return a file, link or directory as an entry; None for anything else, such as a socket."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return BundleEntry(name, os.fsencode(os.readlink(path)), stat.S_IFLNK | _MODE)
    if stat.S_ISREG(mode):
        return BundleEntry(name, read_bounded(path, LARGEST_INPUT), stat.S_IFREG | (mode & _MODE))
    if stat.S_ISDIR(mode):
        return BundleEntry(name, mode=stat.S_IFDIR | (mode & _MODE))
    return None
