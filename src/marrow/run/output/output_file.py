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
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

from marrow.base.errors import MarrowError


class OutputError(MarrowError):
    """The result cannot be written; the message says why and what to do."""


class OutputFile:
    """Where the best result is kept; `mode` says who may read it, as far as the umask permits."""

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        self.path: Final = path
        self._target: Final = target_of(path)
        self._temporary: Final = temporary_for(self._target)
        self._mode: Final = mode & 0o777

    def write(self, text: bytes) -> None:
        """Replace the file's content at once."""
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._temporary)
            with new_file(self._temporary, self._mode) as file:
                file.write(text)
            os.replace(self._temporary, self._target)
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(
                f"cannot write the result to {self.path}: {reason}\n{advice(error)}"
            ) from error
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self._temporary)

    def read(self) -> bytes | None:
        """Return what stands there now, if anything does."""
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def keep_old(self) -> Path | None:
        """Keep a copy of what stands there now as `NAME~`, or `NAME~2` and so on."""
        return self._keep("~") if self.path.exists() else None

    def keep_original(self) -> Path:
        """Keep a copy of what stands there now as `.orig`, or `.orig2` and so on."""
        return self._keep(".orig")

    def _keep(self, suffix: str) -> Path:
        """Copy what stands there to a name that nothing has, unless a copy is there already."""
        for backup in backup_names(self.path, suffix):
            if not os.path.lexists(backup):
                return self._copy(backup)
            if not backup.is_symlink() and backup.is_file():
                with keeping(self.path, backup):
                    if filecmp.cmp(self.path, backup, shallow=False):
                        return backup
        raise AssertionError("there is always another number")

    def _copy(self, backup: Path) -> Path:
        with keeping(self.path, backup):
            try:
                with self.path.open("rb") as old, new_file(backup, 0o600) as new:
                    shutil.copyfileobj(old, new)
                shutil.copystat(self.path, backup)
            except FileExistsError:
                raise
            except BaseException:
                with contextlib.suppress(OSError):
                    backup.unlink()
                raise
        return backup


def target_of(path: Path) -> Path:
    """Return where an output really goes: a link stays one, what it points to is replaced."""
    # Not `Path.resolve`, which raises RuntimeError for a link that leads to itself.
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def temporary_for(target: Path) -> Path:
    """Return the name under which something is written before it takes its place.

    Always the same, so that a killed run leaves nothing that the next does not take up, and one
    that nobody else uses.
    """
    return target.with_name(f".{target.name}.new~")


def new_file(path: Path, mode: int) -> BinaryIO:
    """Make a file where there is nothing, not even a link, and open it for writing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.fdopen(os.open(path, flags, mode & 0o777), "wb")


def backup_names(path: Path, suffix: str) -> Iterator[Path]:
    """Yield names for copies of what an output replaces: `NAME~`, `NAME~2`, `NAME~3` ..."""
    yield path.with_name(path.name + suffix)
    for number in itertools.count(2):
        yield path.with_name(f"{path.name}{suffix}{number}")


def is_planted(path: Path) -> bool:
    """Whether a path is a link that somebody else has put into a directory open to everybody.

    Linux does not follow such links either, unless it is told to (`fs.protected_symlinks`).
    """
    if not path.is_symlink():
        return False
    place, owner = path.absolute().parent.stat(), path.lstat().st_uid
    shared = place.st_mode & stat.S_ISVTX and place.st_mode & stat.S_IWOTH
    return bool(shared) and owner not in (os.geteuid(), place.st_uid)


def leads_to_itself(path: Path) -> bool:
    """Whether a path is a link that leads to itself, at once or by others."""
    try:
        os.stat(path)
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


@contextlib.contextmanager
def keeping(path: Path, backup: Path) -> Iterator[None]:
    """Say what it means if the old output cannot be kept."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot keep the old {path} as {backup}: {error.strerror or error}\n"
            "Nothing was changed. " + advice(error)
        ) from error


class ResultWriter:
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
        self._told = False
        self._thread: Final = threading.Thread(target=self._work, name="marrow-keeper", daemon=True)
        try:
            self._thread.start()
            self._alone = False
        except RuntimeError:  # there is no room for another thread
            self._alone = True

    def keep(self, text: bytes) -> None:
        """Have a new best written; returns at once."""
        with self._condition:
            self._next = text
            if self._alone:
                self._write_next()
            failed, self._failed = self._failed, ""
            self._condition.notify()
        if failed:
            self._warn(failed)

    def close(self) -> None:
        """Write what is left."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        if not self._alone:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._condition:
                while self._next is None and not self._closed:
                    self._condition.wait()
                if self._next is None:
                    return
            self._write_next()

    def _write_next(self) -> None:
        with self._condition:
            text, self._next = self._next, None
        if text is None:
            return
        try:
            self._write(text)
        except OutputError as error:
            with self._condition:
                if not self._told:
                    self._told = True
                    self._failed = str(error).partition("\n")[0]


def advice(error: OSError) -> str:
    """Say what to do about a result that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Free some space⟦; --resume then goes on where it stopped||⟧."
    return "Choose another place with ⟦output⟧."
