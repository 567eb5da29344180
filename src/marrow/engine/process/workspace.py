"""Temporary directories: one for a run, in it fresh ones for every test, all removed in the end.

Making and removing files is a good part of what a quick test costs: ext4 does not give out an inode
again that was deleted lately, and looks for another. So a directory that a test has left as it was
serves the next one, under a new name, if no process of the test is left.

Tests write into their own directories and may do anything to them. The directory of the run, which
holds them, is out of reach of a test in a sandbox. It stays open, and everything below is written
and removed through its descriptor (see `base.open_directory`).

A run that was killed could not clean up. The next run on the machine does, and ends the processes
that tests of the dead run may have left. Only what marrow made may be removed, whatever else is
called so: every directory of a run has a marker, a file that names the directory and the machine,
and its owner holds a lock on it while it lives. Where nothing can be locked, it stays.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import itertools
import json
import os
import platform
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from marrow.base.errors import MarrowError, error_text
from marrow.base.open_directory import (
    REMOVED,
    OpenDirectory,
    current_path,
    mounts_below,
    remove_directory,
)
from marrow.engine.process.leftover_processes import end_marked

#: The file by which a directory of marrow's is known.
MARKER_FILE: Final = ".marrow-run"

# How often to try for the lock of a run that has ended, 10 ms apart: a test that was just being
# started when its run was killed has it for a moment.
_TRIES: Final = 10

_NAME: Final = re.compile(r"marrow-[0-9]+(-\w+)+")

# Options of umount2: let go of it even if it is in use, and do not follow a link.
_MNT_DETACH: Final = 2
_UMOUNT_NOFOLLOW: Final = 8


class WorkspaceError(MarrowError):
    """Temporary files cannot be written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class TestDirectory:
    """The directories of one test: one to run in, which is `opened`, one for temporary files.

    `top` is the directory of the run, which holds both.
    """

    __test__ = False

    path: str
    temporary: str
    opened: OpenDirectory
    top: OpenDirectory

    @property
    def name(self) -> str:
        """The name of the test in its run."""
        return os.path.basename(self.path)

    def open_temporary(self) -> OpenDirectory:
        """Open the directory for temporary files."""
        return self.top.enter(os.path.basename(self.temporary))

    def serves_again(self, file_name: str) -> bool:
        """Whether another test can have these directories, with the candidate alone in them.

        Files that a test has left beside it are deleted, which takes less than a new directory. A
        candidate that has another name elsewhere (a hard link) must not be written over. Raises
        OSError.
        """
        place, file = self.top.status(self.name), self.opened.status(file_name)
        with self.open_temporary() as temporary:
            rights = stat.S_IMODE(os.fstat(temporary.descriptor).st_mode)
            return (
                (place.st_dev, place.st_ino) == self.opened.identity
                and stat.S_IMODE(place.st_mode) == rights
                and file.st_mode == stat.S_IFREG | rights & 0o666
                and file.st_nlink == 1
                and place.st_uid == file.st_uid
                and self.opened.keep_alone(file_name)
                and not temporary.names()
            )


class Workspace:
    """The temporary directory of a run."""

    def __init__(self, parent: Path | None = None) -> None:
        try:
            self._parent: Final = Path(parent or _temporary()).absolute()
            for dead in _abandoned(self._parent):
                end_marked(dead.name)
                remove(dead)
            self.path: Final = Path(
                tempfile.mkdtemp(prefix=f"marrow-{os.getpid()}-", dir=self._parent)
            )
            #: The name of the run; no other run on this machine has it.
            self.run: Final = self.path.name
            try:
                self._top = _claimed(self.path)
            except BaseException:
                remove(self.path)
                raise
        except OSError as error:
            raise WorkspaceError(error_text("no_temporary_files", error=error)) from error
        self._numbers: Final = itertools.count()
        self._guard: Final = threading.Lock()
        self._closed = False
        #: What could not be removed in the end, and what to do about it; empty if nothing is left.
        self.left_behind = ""
        # Directories that tests took away from under this run.
        self._lost: Final[list[OpenDirectory]] = []
        # The directories of tests that are open: in use, or spare.
        self._open: Final[set[OpenDirectory]] = set()
        self._spare: Final[list[TestDirectory]] = []

    def directory(self, *, fresh: bool = False) -> TestDirectory:
        """Return directories for one test: new ones, or, unless `fresh`, some used ones."""
        if self._closed:
            raise WorkspaceError("the run has ended\nStart another one.")
        number = next(self._numbers)
        name, temporary = f"t{number}", f"tmp{number}"
        with self._guard:
            top = self._present_top()
        if not fresh:
            with contextlib.suppress(IndexError, OSError):
                spare = self._spare.pop()
                top.rename(spare.name, name)
                return replace(spare, path=f"{self.path}/{name}", top=top)
        top.make(name)
        top.make(temporary)
        opened = top.enter(name)
        self._open.add(opened)
        return TestDirectory(f"{self.path}/{name}", f"{self.path}/{temporary}", opened, top)

    def _present_top(self) -> OpenDirectory:
        """Return the directory of the run; make it again if a test has removed or renamed it.

        Whatever else has its name by now is not used.
        """
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            os.makedirs(self.path, 0o700)
            self._lost.append(self._top)
            self._top = _claimed(self.path)
            self._spare.clear()
        else:
            if (status.st_dev, status.st_ino) != self._top.identity:
                raise WorkspaceError(error_text("directory_replaced", path=self.path))
        return self._top

    def discard(self, directory: TestDirectory, file_name: str, *, deserted: bool = False) -> None:
        """Remove a test's directories, or keep them for another test.

        `file_name` is the name of the candidate; without one there may be several files. A
        directory is `deserted` if no process of the test is left.
        """
        try:
            if deserted and file_name and directory.serves_again(file_name):
                self._spare.append(directory)
                return
        except OSError:
            pass
        self._open.discard(directory.opened)
        directory.opened.close()
        # A process that has detached itself may still write there: what stays goes in the end.
        for name in (directory.name, os.path.basename(directory.temporary)):
            self._remove(name)

    def clear_temporary(self, directory: TestDirectory) -> None:
        """Make the directory for temporary files empty again; raises OSError."""
        with directory.open_temporary() as temporary:
            if not temporary.names():
                return
        name = os.path.basename(directory.temporary)
        if not self._remove(name):
            raise OSError(errno.ENOTEMPTY, "it cannot be removed", directory.temporary)
        directory.top.make(name)

    def _remove(self, name: str) -> bool:
        """Remove a directory of the run; return whether that worked."""
        try:
            try:
                self._top.remove(name)
            except OSError as error:
                if error.errno != errno.EBUSY or not self._unmount(name):
                    raise
                self._top.remove(name)
        except OSError:
            return False
        return True

    def _unmount(self, name: str = "") -> bool:
        """Unmount what tests have left in a directory of the run, or in all; say if it worked.

        Directories that could only be removed in part count, too.
        """
        for _ in range(256):  # they may be mounted in one another's place
            left = [
                place
                for place in mounts_below(self.path)
                if not name
                or os.path.relpath(place, os.path.realpath(self.path)).split("/")[0] == name
                or f"/{REMOVED}" in place
            ]
            if not left:
                return True
            if not _unmounted(left[0]):  # the outermost, with all that is in it
                return False
        return False

    def close(self) -> None:
        """Remove everything; where that fails, `left_behind` says what is left."""
        self._closed = True
        while self._open:
            self._open.pop().close()
        for lost in self._lost:
            remove_directory(current_path(lost) or self.path, last=MARKER_FILE, opened=lost)
            lost.close()
        path = current_path(self._top) or str(self.path)
        removed = remove_directory(path, last=MARKER_FILE, opened=self._top)
        if not removed and self._unmount():
            removed = remove_directory(path, last=MARKER_FILE, opened=self._top)
        self.left_behind = "" if removed else _why_left(path)
        self._top.close()


def _claimed(path: Path) -> OpenDirectory:
    """Mark a new directory as one of this process; return it, open and locked while it lives."""
    opened = OpenDirectory.at(path)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(opened.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        marker = {"directory": path.name, "host": _machine()}
        opened.write(MARKER_FILE, json.dumps(marker).encode(), 0o600)
    except BaseException:
        opened.close()
        raise
    return opened


def _abandoned(parent: Path) -> Iterator[Path]:
    """Yield the directories of this user's dead runs on this machine."""
    for name in filter(_NAME.fullmatch, os.listdir(parent)):
        with contextlib.suppress(OSError, ValueError, TypeError, LookupError, RecursionError):
            status = (parent / name).lstat()
            if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
                continue
            with OpenDirectory.at(parent / name) as opened:
                if opened.status(MARKER_FILE).st_uid != os.getuid():
                    continue
                marker = json.loads(opened.read(MARKER_FILE, 4096))
                ours = marker["directory"] == name and marker["host"] == _machine()
                if ours and _lock_is_free(opened):
                    yield parent / name


def _machine() -> str:
    """Return what tells this machine from others that have the same directory."""
    identity = ""
    with contextlib.suppress(OSError):
        identity = Path("/etc/machine-id").read_text().strip()
    return f"{platform.node()} {identity}"


def _lock_is_free(opened: OpenDirectory) -> bool:
    """Whether nobody holds the lock on a directory, for certain."""
    with contextlib.suppress(OSError):
        for _ in range(_TRIES):
            try:
                fcntl.flock(opened.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                time.sleep(0.01)
    return False


def _why_left(path: str) -> str:
    mounts = mounts_below(path)
    if mounts:
        return error_text("mount_left", path=path, mount=mounts[0])
    return error_text("file_left", path=path)


def _unmounted(place: str) -> bool:
    """Unmount something; return whether that worked."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.umount2(os.fsencode(place), _MNT_DETACH | _UMOUNT_NOFOLLOW) == 0:
            return True
    for program in ("fusermount3", "fusermount"):
        if shutil.which(program) is not None:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                words = [program, "-u", "-z", "--", place]
                done = subprocess.run(words, capture_output=True, check=False, timeout=60.0)
                return done.returncode == 0
    return False


def _temporary() -> str:
    """Return the directory for temporary files.

    `tempfile` would use another one, without a word, if the one that TMPDIR names cannot be used.
    """
    named = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), None)
    if tempfile.tempdir is not None or named is None:
        return tempfile.gettempdir()
    os.listdir(named)  # raises where it is missing, or is not a directory
    return named


def open_null_device() -> int:
    """Open /dev/null for writing; raise `WorkspaceError` where it is missing or does not work."""
    try:
        file = os.open(os.devnull, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if stat.S_ISCHR(os.fstat(file).st_mode):
            return file
        os.close(file)
        why = "it is not a device"
    except OSError as error:
        why = error.strerror or str(error)
    raise WorkspaceError(error_text("no_null_device", devnull=os.devnull, why=why))


def remove(path: str | Path) -> bool:
    """Remove a directory, whatever a test did to it; return whether that worked, never raise.

    The marker goes last: what is left when this is interrupted must be recognised.
    """
    return remove_directory(path, last=MARKER_FILE)
