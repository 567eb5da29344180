"""The result on disk: always whole, always the best so far.

A new best is written beside the old one and then renamed over it, so that a reader, a kill or a
full disk never sees half a file.
"""

from __future__ import annotations

import contextlib
import errno
import filecmp
import itertools
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from marrow.errors import MarrowError


class OutputError(MarrowError):
    """The result cannot be written; the message says why and what to do."""


class OutputFile:
    """The file of the best result."""

    def __init__(self, path: Path, mode: int = 0o644) -> None:
        self.path: Final = path
        # A link stays one: what it points to is replaced.
        self._target: Final = path.resolve() if path.is_symlink() else path
        # Always the same name, so that a killed run leaves nothing that the next does not take up.
        self._temporary: Final = self._target.with_name(f".{path.name}.tmp")
        self._mode: Final = mode & 0o777

    def write(self, text: bytes) -> None:
        """Replace the file's content at once."""
        try:
            self._temporary.write_bytes(text)
            os.chmod(self._temporary, self._mode)
            os.replace(self._temporary, self._target)
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(
                f"cannot write the result to {self.path}: {reason}\n{advice(error)}"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                self._temporary.unlink()

    def read(self) -> bytes | None:
        """Return what stands there now, if anything does."""
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def keep_old(self, suffix: str = "~") -> Path | None:
        """Keep a copy of what stands there now, in place of an earlier copy."""
        if not self.path.exists():
            return None
        return self._copy(self.path.with_name(self.path.name + suffix))

    def keep_original(self) -> Path:
        """Keep a copy of what stands there now as `.orig`, or `.orig2` and so on."""
        for number in itertools.count(1):
            backup = self.path.with_name(f"{self.path.name}.orig{number if number > 1 else ''}")
            if not backup.exists():
                return self._copy(backup)
            if backup.is_file() and filecmp.cmp(self.path, backup, shallow=False):
                return backup
        raise AssertionError("there is always another number")

    def _copy(self, backup: Path) -> Path:
        try:
            shutil.copy2(self.path, backup)
        except OSError as error:
            with contextlib.suppress(OSError):
                backup.unlink()
            raise OutputError(
                f"cannot keep the old {self.path} as {backup}: {error.strerror or error}\n"
                "Nothing was changed. " + advice(error)
            ) from error
        return backup


class Keeper:
    """Writes every new best in the background, so that no test waits for the disk.

    If another best comes in while one is written, only the newest is written next. A failure to
    write (a full disk) is told once and does not end the run: the next best may fit, and the end
    of the run tries again.
    """

    def __init__(self, write: Callable[[bytes], None], warn: Callable[[str], None]) -> None:
        self._write: Final = write
        self._warn: Final = warn
        self._condition: Final = threading.Condition()
        self._next: bytes | None = None
        self._closed = False
        self._failed = ""
        self._thread: Final = threading.Thread(target=self._work, name="marrow-keeper", daemon=True)
        self._thread.start()

    def keep(self, text: bytes) -> None:
        """Have a new best written; returns at once."""
        with self._condition:
            self._next = text
            failed, self._failed = self._failed, ""
            self._condition.notify()
        if failed:
            self._warn(failed)

    def close(self) -> None:
        """Write what is left."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        self._thread.join()

    def _work(self) -> None:
        told = False
        while True:
            with self._condition:
                while self._next is None and not self._closed:
                    self._condition.wait()
                text, self._next = self._next, None
            if text is None:
                return
            try:
                self._write(text)
            except OutputError as error:
                if not told:
                    told = True
                    with self._condition:
                        self._failed = str(error).partition("\n")[0]


def advice(error: OSError) -> str:
    """Say what to do about a result that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Free some space⟦; --resume then goes on where it stopped||⟧."
    return "Choose another place with ⟦output⟧."
