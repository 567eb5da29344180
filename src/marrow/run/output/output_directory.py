"""The result on disk where it is a set of files: a directory, always whole, always the best so far.

A new best is written as a directory beside the old one; the two are then exchanged in one step.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from marrow.base.open_directory import OpenDirectory
from marrow.engine.process.placement import read_entries
from marrow.run.output.output_file import Output, OutputFile
from marrow.run.plan.input import Input
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle

# The argument of Linux's renameat2 that exchanges two names.
_RENAME_EXCHANGE: Final = 2


class OutputDirectory(Output):
    """The directory of the best result; `kept` are files that it always has."""

    def __init__(self, path: Path, kept: Iterable[BundleEntry] = (), mode: int = 0o777) -> None:
        super().__init__(path)
        self._kept: Final = tuple(kept)
        self._mode: Final = mode & 0o777 | stat.S_IRWXU

    def keep_old(self) -> Path | None:
        """Move what is there now to `NAME~`, or `NAME~2` and so on."""
        with self.keeping(Path(f"{self.path}~")), self._folder() as folder:
            return self._set_aside(folder) if self._is_result(folder, self._name) else None

    def _write_temporary(self, folder: OpenDirectory, text: bytes) -> None:
        folder.make(self._temporary, self._mode)
        with folder.enter(self._temporary) as new:
            _write_entries(new, (*read_bundle(text), *self._kept))

    def _put_in_place(self, folder: OpenDirectory) -> None:
        """Give the new directory its name; what had the name before is called as it was then."""
        if folder.exists(self._name) and not self._is_result(folder, self._name):
            self._set_aside(folder)
        if not folder.exists(self._name):
            folder.rename(self._temporary, self._name)
        elif not _exchange(folder, self._temporary, self._name):
            # Without an exchange there is a moment in which the old one has another name.
            old = f"{self._temporary}.old"
            folder.remove(old)
            folder.rename(self._name, old)
            folder.rename(self._temporary, self._name)
            folder.remove(old)

    def _read(self, folder: OpenDirectory) -> bytes:
        if not self._is_result(folder, self._name):
            raise NotADirectoryError(self.path)
        kept = {entry.name for entry in self._kept}
        entries = read_entries(Path(self._parent, self._name))
        return make_bundle(one for one in entries if one.name not in kept)

    def _is_result(self, folder: OpenDirectory, name: str) -> bool:
        return folder.exists(name) and stat.S_ISDIR(folder.status(name).st_mode)

    def _is_same(self, folder: OpenDirectory, backup: str) -> bool:
        if not self._is_result(folder, backup):
            return False
        one, other = (read_entries(Path(self._parent, name)) for name in (self._name, backup))
        return make_bundle(one) == make_bundle(other)

    def _copy(self, folder: OpenDirectory, backup: str) -> None:
        folder.make(backup, self._mode)
        with folder.enter(backup) as new:
            _write_entries(new, read_entries(Path(self._parent, self._name)))


def output_for(source: Input, path: Path) -> OutputFile | OutputDirectory:
    """Return what writes results of an input to a path, as readable as the input."""
    if source.several:
        return OutputDirectory(path, source.kept, source.directory_mode)
    return OutputFile(path, source.mode)


def _write_entries(directory: OpenDirectory, entries: Iterable[BundleEntry]) -> None:
    """Write files, links and empty directories below a directory."""
    for entry in entries:
        parent, _, name = entry.name.rpartition("/")
        with directory.enter(parent, make=True) as folder:
            if stat.S_ISLNK(entry.mode):
                folder.link(name, entry.content)
            elif stat.S_ISDIR(entry.mode):
                with contextlib.suppress(FileExistsError):
                    folder.make(name)
            else:
                folder.write(name, entry.content, entry.mode & 0o777)
                folder.chmod(name, entry.mode & 0o777)


def _exchange(folder: OpenDirectory, one: str, two: str) -> bool:
    """Exchange two names in one step, where the system can."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(two)
        place = folder.descriptor
        return bool(libc.renameat2(place, names[0], place, names[1], _RENAME_EXCHANGE) == 0)
    return False
