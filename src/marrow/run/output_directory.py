"""The result on disk where it is a set of files: a directory, always whole, always the best so far.

A new best is written as a directory beside the old one; the two are then exchanged in one step.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from marrow.engine.process.placement import read_entries, write_entries
from marrow.engine.process.workspace import remove
from marrow.run.output import OutputError, advice
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle

# Arguments of Linux's renameat2: paths are relative to the working directory; exchange them.
_AT_FDCWD: Final = -100
_RENAME_EXCHANGE: Final = 2


class OutputDirectory:
    """The directory of the best result; `kept` are files that it always has."""

    def __init__(self, path: Path, kept: Iterable[BundleEntry] = ()) -> None:
        self.path: Final = path
        self._kept: Final = tuple(kept)
        self._target: Final = path.resolve() if path.is_symlink() else path
        # Always the same name, so that a killed run leaves nothing that the next does not take up.
        self._temporary: Final = self._target.with_name(f".{path.name}.tmp")

    def write(self, text: bytes) -> None:
        """Replace the directory by another one at once."""
        try:
            remove(self._temporary)
            os.mkdir(self._temporary)
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

    def keep_old(self, suffix: str = "~") -> Path | None:
        """Move what stands there now aside, in place of what was moved there earlier."""
        if not self.path.exists():
            return None
        backup = self.path.with_name(self.path.name + suffix)
        with self._keeping(backup):
            remove(backup)
            os.rename(self._target, backup)
        return backup

    def keep_original(self) -> Path:
        """Keep a copy of what stands there now as `.orig`, or `.orig2` and so on."""
        here = make_bundle(read_entries(self.path))
        for number in itertools.count(1):
            backup = self.path.with_name(f"{self.path.name}.orig{number if number > 1 else ''}")
            if not backup.exists():
                with self._keeping(backup):
                    os.mkdir(backup)
                    write_entries(backup, read_bundle(here))
                return backup
            if backup.is_dir() and make_bundle(read_entries(backup)) == here:
                return backup
        raise AssertionError("there is always another number")

    @contextlib.contextmanager
    def _keeping(self, backup: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OutputError(
                f"cannot keep the old {self.path} as {backup}: {error.strerror or error}\n"
                "Nothing was changed. " + advice(error)
            ) from error


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
