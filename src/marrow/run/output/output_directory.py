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

from marrow.engine.process.placement import read_entries, write_entries
from marrow.engine.process.workspace import remove
from marrow.run.output.output_file import (
    OutputError,
    OutputFile,
    advice,
    backup_names,
    keeping,
    target_of,
    temporary_for,
)
from marrow.run.plan.input import Input
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle

# Arguments of Linux's renameat2: paths are relative to the working directory; exchange them.
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2


class OutputDirectory:
    """The directory of the best result; `kept` are files that it always has."""

    def __init__(self, path: Path, kept: Iterable[BundleEntry] = (), mode: int = 0o777) -> None:
        self.path: Final = path
        self._kept: Final = tuple(kept)
        self._mode: Final = mode & 0o777 | stat.S_IRWXU
        self._target: Final = target_of(path)
        self._temporary: Final = temporary_for(self._target)

    def write(self, text: bytes) -> None:
        """Replace the directory by another one at once."""
        try:
            remove(self._temporary)
            os.mkdir(self._temporary, self._mode)
            write_entries(self._temporary, (*read_bundle(text), *self._kept))
            _put_in_place(self._temporary, self._target)
        except OSError as error:
            raise OutputError(
                f"cannot write the result to {self.path}: {error.strerror or error}\n"
                f"{advice(error)}"
            ) from error
        finally:
            remove(self._temporary)

    def read(self) -> bytes | None:
        """Return the bundle of what stands there now, if anything does."""
        kept = {entry.name for entry in self._kept}
        try:
            return make_bundle(one for one in read_entries(self.path) if one.name not in kept)
        except OSError:
            return None

    def keep_old(self) -> Path | None:
        """Move what stands there now to `NAME~`, or `NAME~2` and so on."""
        if not self.path.exists():
            return None
        for backup in backup_names(self.path, "~"):
            if not os.path.lexists(backup):
                with keeping(self.path, backup):
                    os.rename(self._target, backup)
                return backup
        raise AssertionError("there is always another number")

    def keep_original(self) -> Path:
        """Keep a copy of what stands there now as `.orig`, or `.orig2` and so on."""
        here = make_bundle(read_entries(self.path))
        for backup in backup_names(self.path, ".orig"):
            if not os.path.lexists(backup):
                with keeping(self.path, backup):
                    os.mkdir(backup, self._mode)
                    write_entries(backup, read_bundle(here))
                return backup
            if backup.is_dir() and make_bundle(read_entries(backup)) == here:
                return backup
        raise AssertionError("there is always another number")


def output_for(source: Input, path: Path) -> OutputFile | OutputDirectory:
    """Return what writes results of an input to a path, as readable as the input."""
    if source.several:
        return OutputDirectory(path, source.kept, source.directory_mode)
    return OutputFile(path, source.mode)


def _put_in_place(new: Path, target: Path) -> None:
    """Give a directory its name; what had the name before is then called as the new one was."""
    if not target.exists():
        os.rename(new, target)
    elif not _exchange(new, target):
        # Without an exchange there is a moment in which the old one has another name.
        old = new.with_name(f"{new.name}.old")
        remove(old)
        os.rename(target, old)
        os.rename(new, target)
        remove(old)


def _exchange(one: Path, two: Path) -> bool:
    """Exchange two names in one step, where the system can."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(two)
        return bool(libc.renameat2(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) == 0)
    return False
