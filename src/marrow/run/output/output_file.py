"""The result on disk: always whole, always the best so far.

A new best is written beside the old one and then renamed over it, so that a reader, a kill or a
full disk never sees half a file. Where it goes is decided before any test runs, and everything
happens in that directory by its descriptor: a test that replaces the result, or a directory above
it, by a link, a pipe or a directory leads marrow nowhere else.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import itertools
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from marrow.base.bounded_file import LARGEST_INPUT
from marrow.base.errors import MarrowError
from marrow.base.open_directory import OpenDirectory
from marrow.engine.process.placement import read_entries, write_below
from marrow.run.plan.input import Input
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle


class OutputError(MarrowError):
    """The result cannot be written; the message says why and what to do."""


class OutputFile:
    """The file of a result, in a directory that may be held open.

    A link at the path stays one: what it points to now is replaced. `mode` says who may read it, as
    far as the umask permits.
    """

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        self.path: Final = path
        # Not `Path.resolve`, which raises RuntimeError for a link that leads to itself.
        self._target: Final = Path(os.path.realpath(path)) if path.is_symlink() else path
        self._name: Final = self._target.name
        self._parent: Final = os.path.realpath(self._target.absolute().parent)
        self._temporary: Final = temporary_for(self._target).name
        self._held: OpenDirectory | None = None
        self._mode = mode & 0o777

    def hold(self) -> None:
        """Keep the directory open: tests may run now that replace it."""
        with contextlib.suppress(OSError):  # writing says what is wrong
            self._held = self._held or OpenDirectory.at(self._parent)

    def close(self) -> None:
        """Close the directory."""
        if self._held is not None:
            self._held.close()
            self._held = None

    def write(self, text: bytes) -> None:
        """Replace the result at once."""
        with self._explained(f"cannot write the result to {self.path}"), self._folder() as folder:
            try:
                folder.remove(self._temporary)
                self._write_temporary(folder, text)
                self._put_in_place(folder)
            finally:
                with contextlib.suppress(OSError):
                    folder.remove(self._temporary)

    def settle(self, text: bytes) -> str:
        """Look at the result on disk, and write it again where it is something else by now.

        Return what was wrong, in words; empty if nothing was. Raises `OutputError` if it cannot be
        written, or its directory has another path by now.
        """
        wrong = ""
        if self.read() != text:
            wrong = "changed"
            with contextlib.suppress(OSError), self._folder() as folder:
                wrong = "changed" if folder.exists(self._name) else "removed"
            self.write(text)
        self._check_place()
        return wrong

    def read(self) -> bytes | None:
        """Return the result as it is on disk; None if there is none, or something else."""
        with contextlib.suppress(OSError), self._folder() as folder:
            return self._content(folder, self._name)
        return None

    def keep_old(self, suffix: str = "~") -> Path | None:
        """Keep a copy of what is there now as `NAME~`, or `NAME~2` and so on.

        Return its path, also if there was such a copy already; None if nothing is there.
        """
        with self.keeping(suffix), self._folder() as folder:
            if not self._is_result(folder, self._name):
                return None
            for backup in backup_names(self._target, suffix):
                if not folder.exists(backup.name):
                    self._copy(folder, backup.name)
                    return backup
                same = self._is_result(folder, backup.name)
                if same and self._content(folder, backup.name) == self._content(folder, self._name):
                    return backup
        raise AssertionError("there is always another number")

    def make_room(self, say: Callable[[str], None]) -> None:
        """Keep what is there now, and say so."""
        if (old := self.keep_old()) is not None:
            say(f"note: {self.path} existed already; it is kept as {old}")

    def keeping(self, suffix: str) -> contextlib.AbstractContextManager[None]:
        """Say what it means if the old result cannot be kept."""
        problem = f"cannot keep the old {self.path} as {self.path}{suffix}"
        return self._explained(problem, "Nothing was changed. ")

    @contextlib.contextmanager
    def _explained(self, problem: str, so: str = "") -> Iterator[None]:
        try:
            yield
        except OSError as error:
            reason = error.strerror or error
            raise OutputError(f"{problem}: {reason}\n{so}{advice(error)}") from error

    def _set_aside(self, folder: OpenDirectory) -> Path:
        """Rename what is there to a name that nothing has."""
        backups = backup_names(self._target, "~")
        backup = next(one for one in backups if not folder.exists(one.name))
        folder.rename(self._name, backup.name)
        return backup

    @contextlib.contextmanager
    def _folder(self) -> Iterator[OpenDirectory]:
        """Open the directory of the result, unless it is held open; make one that was removed."""
        held = self._held
        if held is not None:
            if os.fstat(held.descriptor).st_nlink == 0 and not os.path.lexists(self._parent):
                os.makedirs(self._parent, exist_ok=True)
                # A test may remove it again before it is open: the old one stays until then.
                fresh = OpenDirectory.at(self._parent)
                held.close()
                held = self._held = fresh
            yield held
            return
        with OpenDirectory.at(self._parent) as folder:
            yield folder

    def _check_place(self) -> None:
        """Raise `OutputError` where the path leads to another directory than it did."""
        if self._held is None:
            return
        with contextlib.suppress(OSError):
            found = os.stat(self._parent)
            if (found.st_dev, found.st_ino) == self._held.identity:
                return
        here = ""
        with contextlib.suppress(OSError):
            here = os.readlink(f"/proc/self/fd/{self._held.descriptor}")
        raise OutputError(
            f"the directory {self._parent} was moved or replaced while the test ran\n"
            + (f"The result is {os.path.join(here, self._name)}. " if here else "")
            + "Find out what the test does there; ⟦sandbox⟧ keeps it from doing so."
        )

    def remove(self) -> None:
        """Remove the file, if it is one."""
        with self._folder() as folder:
            if self._is_result(folder, self._name):
                folder.unlink(self._name)

    def _write_temporary(self, folder: OpenDirectory, text: bytes) -> None:
        folder.write(self._temporary, text, self._mode)

    def _put_in_place(self, folder: OpenDirectory) -> None:
        try:
            folder.rename(self._temporary, self._name)
        except IsADirectoryError:
            self._set_aside(folder)
            folder.rename(self._temporary, self._name)

    def _content(self, folder: OpenDirectory, name: str) -> bytes:
        return folder.read(name, LARGEST_INPUT)

    def _is_result(self, folder: OpenDirectory, name: str) -> bool:
        """Whether there is something of the kind of the result, which may be worth keeping."""
        return folder.exists(name) and stat.S_ISREG(folder.status(name).st_mode)

    def _copy(self, folder: OpenDirectory, backup: str) -> None:
        """Copy the file; where the system can, as a second name of it, with all it has."""
        place = folder.descriptor
        with contextlib.suppress(OSError, NotImplementedError):
            os.link(self._name, backup, src_dir_fd=place, dst_dir_fd=place, follow_symlinks=False)
            return
        status = folder.status(self._name)
        try:
            folder.write(backup, self._content(folder, self._name), 0o600)
            folder.chmod(backup, stat.S_IMODE(status.st_mode))
            times = (status.st_atime_ns, status.st_mtime_ns)
            os.utime(backup, ns=times, dir_fd=place, follow_symlinks=False)
        except FileExistsError:
            raise
        except BaseException:
            with contextlib.suppress(OSError):
                folder.unlink(backup)
            raise


def temporary_for(target: Path) -> Path:
    """Return the name under which something is written before it takes its place.

    Always the same, so that a killed run leaves nothing that the next does not take up, and one
    that nobody else uses.
    """
    return target.with_name(f".{target.name}.new~")


def backup_names(path: Path, suffix: str) -> Iterator[Path]:
    """Yield names for copies of what an output replaces: `NAME~`, `NAME~2`, `NAME~3` ..."""
    yield path.with_name(path.name + suffix)
    for number in itertools.count(2):
        yield path.with_name(f"{path.name}{suffix}{number}")


def is_planted(path: Path) -> bool:
    """Whether a path is a link that somebody else has put into a directory open to everybody.

    Linux does not follow such links either (`fs.protected_symlinks`).
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


class ResultWriter:
    """Writes every new best in the background, so that no test waits for the disk.

    If another best comes in while one is written, only the newest is written next. A failure to
    write (a full disk) is reported once and does not end the run: the next best may fit, and the
    end of the run tries again.
    """

    def __init__(self, write: Callable[[bytes], None], warn: Callable[[str], None]) -> None:
        self._write: Final = write
        self._warn: Final = warn
        self._lock: Final = threading.Lock()
        self._next: bytes | None = None
        self._failures: Final[list[str]] = []
        self._told = False
        self._pool: Final = ThreadPoolExecutor(1, thread_name_prefix="marrow-keeper")

    def keep(self, text: bytes) -> None:
        """Have a new best written; returns at once."""
        with self._lock:
            waits, self._next = self._next is not None, text
        if not waits:
            try:
                self._pool.submit(self._write_next)
            except RuntimeError:  # no room for another thread
                self._write_next()
        if self._failures and not self._told:
            self._told = True
            self._warn(self._failures[0])

    def close(self) -> None:
        """Write what is left."""
        self._pool.shutdown()

    def _write_next(self) -> None:
        with self._lock:
            text, self._next = self._next, None
        if text is not None:
            try:
                self._write(text)
            except OutputError as error:
                self._failures.append(str(error).partition("\n")[0])


def advice(error: OSError) -> str:
    """Say what to do about a result that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Free some space⟦; --resume then continues where it stopped||⟧."
    return "Choose another place with ⟦output⟧."


class OutputDirectory(OutputFile):
    """The directory of the best result; `kept` are files that it always has."""

    def __init__(self, path: Path, kept: Iterable[BundleEntry] = (), mode: int = 0o777) -> None:
        super().__init__(path, mode)
        self._kept: Final = tuple(kept)
        self._mode |= stat.S_IRWXU

    def keep_old(self, suffix: str = "~") -> Path | None:
        """Move what is there now to `NAME~`, or `NAME~2` and so on; of the input keep a copy."""
        if suffix != "~":
            return super().keep_old(suffix)
        with self.keeping(suffix), self._folder() as folder:
            return self._set_aside(folder) if self._is_result(folder, self._name) else None

    def _write_temporary(self, folder: OpenDirectory, text: bytes) -> None:
        folder.make(self._temporary, self._mode)
        with folder.enter(self._temporary) as new:
            write_below(new, (*read_bundle(text), *self._kept))

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

    def _content(self, folder: OpenDirectory, name: str) -> bytes:
        if not self._is_result(folder, name):
            raise NotADirectoryError(self.path)
        kept = {entry.name for entry in self._kept}
        entries = read_entries(Path(self._parent, name))
        return make_bundle(one for one in entries if one.name not in kept)

    def _is_result(self, folder: OpenDirectory, name: str) -> bool:
        return folder.exists(name) and stat.S_ISDIR(folder.status(name).st_mode)

    def _copy(self, folder: OpenDirectory, backup: str) -> None:
        folder.make(backup, self._mode)
        with folder.enter(backup) as new:
            write_below(new, read_entries(Path(self._parent, self._name)))


def output_for(source: Input, path: Path) -> OutputFile:
    """Return what writes results of an input to a path, as readable as the input."""
    if source.several:
        return OutputDirectory(path, source.kept, source.directory_mode)
    return OutputFile(path, source.mode)


def _exchange(folder: OpenDirectory, one: str, two: str) -> bool:
    """Exchange two names in one step, where the system can."""
    if sys.platform != "linux":
        return False
    with contextlib.suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None, use_errno=True)
        names = os.fsencode(one), os.fsencode(two)
        place = folder.descriptor
        exchange = 2  # Linux's RENAME_EXCHANGE
        return bool(libc.renameat2(place, names[0], place, names[1], exchange) == 0)
    return False
