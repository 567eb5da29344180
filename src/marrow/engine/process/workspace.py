"""Temporary directories: one for a run, in it fresh ones for every test, none left behind.

Making and removing files is a good part of what a quick test costs: ext4 does not give out an inode
again that was deleted lately, and looks for another. So a directory that a test has left as it was
serves the next one, under a new name, if it is certain that no process of the test is left.

A run that was killed could not clean up. The next run on the machine does it (see `ownership`), and
ends the processes that tests of the dead run may have left.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from marrow.base.errors import MarrowError
from marrow.engine.process.leftover_processes import end_marked
from marrow.engine.process.ownership import MARKER_FILE, abandoned, claim, prefix


class WorkspaceError(MarrowError):
    """There is no place for temporary files; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class TestDirectory:
    """The directories of one test: one to run in, one for its temporary files."""

    path: str
    temporary: str

    @property
    def name(self) -> str:
        """The name of the test in its run."""
        return os.path.basename(self.path)


class Workspace:
    """The temporary directory of a run."""

    def __init__(self, parent: Path | None = None) -> None:
        try:
            self._parent: Final = Path(parent or _temporary()).absolute()
            for dead in abandoned(self._parent):
                end_marked(dead.name)
                remove(dead)
            self.path: Final = Path(tempfile.mkdtemp(prefix=prefix(), dir=self._parent))
            try:
                self._lock: Final = claim(self.path)
            except BaseException:
                remove(self.path)
                raise
        except OSError as error:
            raise WorkspaceError(
                f"there is no place for temporary files: {error}\n"
                "Free some space, or name another directory in the environment variable TMPDIR."
            ) from error
        self._numbers: Final = itertools.count()
        self._guard: Final = threading.Lock()
        self._closed = False
        self.left_behind = ""
        self._stubborn: list[str] = []
        self._spare: Final[list[TestDirectory]] = []
        # Most tests leave nothing in the directory for temporary files: it serves another one.
        self._spare_temporaries: Final[list[str]] = []

    @property
    def run(self) -> str:
        """The name of the run; no other run on this machine has it."""
        return self.path.name

    def directory(self, *, fresh: bool = False) -> TestDirectory:
        """Return directories for one test: new ones, or, unless `fresh`, some used ones."""
        if self._closed:
            raise WorkspaceError("the run has ended\nStart another one.")
        number = next(self._numbers)
        path = f"{self.path}/t{number}"
        with self._guard:
            spare = self._spare.pop() if self._spare and not fresh else None
            temporary = self._spare_temporaries.pop() if self._spare_temporaries else ""
        if spare is not None:
            with contextlib.suppress(OSError):
                os.rename(spare.path, path)
                return TestDirectory(path, spare.temporary)
        _make(path)
        if not temporary or not os.path.isdir(temporary):
            temporary = _make(f"{self.path}/tmp{number}")
        return TestDirectory(path, temporary)

    def discard(self, directory: TestDirectory, file_name: str, *, deserted: bool = False) -> None:
        """Remove a test's directories, or keep them for another test.

        `file_name` is the name of the candidate; without one there may be several files. A
        directory is `deserted` if no process of the test is left.
        """
        try:
            if deserted and file_name and _is_untouched(directory, file_name):
                with self._guard:
                    self._spare.append(directory)
                return
            os.unlink(f"{directory.path}/{file_name}")
            os.rmdir(directory.path)
            if os.listdir(directory.temporary):
                raise OSError("not empty")
            with self._guard:
                self._spare_temporaries.append(directory.temporary)
        except OSError:
            # A process that has detached itself may still write there: try again later, too.
            with self._guard:
                paths = [directory.path, directory.temporary, *self._stubborn]
                self._stubborn = [path for path in paths if not remove(path)]

    def close(self) -> None:
        """Remove everything; where that fails, `left_behind` names what is left."""
        self._closed = True
        self.left_behind = "" if remove(self.path) else str(self.path)
        os.close(self._lock)


def _is_untouched(directory: TestDirectory, file_name: str) -> bool:
    """Whether a test has left its directories as they were, with the candidate alone in them.

    A candidate that was linked to from elsewhere must not be written over.
    """
    place, file = os.lstat(directory.path), os.lstat(f"{directory.path}/{file_name}")
    rights = stat.S_IMODE(os.lstat(directory.temporary).st_mode)
    return (
        stat.S_IMODE(place.st_mode) == rights
        and file.st_mode == stat.S_IFREG | rights & 0o666
        and file.st_nlink == 1
        and place.st_uid == file.st_uid
        and os.listdir(directory.path) == [file_name]
        and not os.listdir(directory.temporary)
    )


def _temporary() -> str:
    """Return the directory for temporary files.

    `tempfile` would use another one, without a word, if the one that TMPDIR names cannot be used.
    """
    named = next(filter(None, map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))), None)
    if tempfile.tempdir is not None or named is None:
        return tempfile.gettempdir()
    os.listdir(named)  # raises where it is missing, or is not a directory
    return named


def _make(path: str) -> str:
    try:
        os.mkdir(path)
    except FileNotFoundError:  # a test has removed the directory of the whole run
        os.makedirs(path)
    return path


def remove(path: str | Path) -> bool:
    """Remove a directory, whatever a test did to it; return whether it is gone, never raise.

    Directories may be nested deeper than a path can name. So each is first moved up to the top, and
    nothing is ever more than two levels down.
    """
    top = os.fspath(path)
    queue = [top]
    names = itertools.count()
    try:
        if os.path.islink(top):
            os.unlink(top)
            return True
        while queue:
            current = queue[-1]
            _unlock(current)
            inner = _empty(current, top, names)
            if inner:
                queue.extend(inner)
                continue
            if current == top:
                # The last of all: what is left when this is interrupted must be known again.
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(f"{top}/{MARKER_FILE}")
            os.rmdir(current)
            queue.pop()
    except OSError:
        return not os.path.lexists(top)
    return True


def _empty(directory: str, top: str, names: itertools.count[int]) -> list[str]:
    """Delete the files of a directory; return its directories, after moving them up to the top."""
    found = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                if directory != top or entry.name != MARKER_FILE:
                    os.unlink(entry.path)
                continue
            moved = entry.path
            if directory != top:
                _unlock(moved)
                moved = _free_name(top, names)
                os.rename(entry.path, moved)
            found.append(moved)
    return found


def _free_name(top: str, names: itertools.count[int]) -> str:
    while os.path.lexists(name := f"{top}/marrow-gone-{next(names)}"):
        pass
    return name


def _unlock(directory: str) -> None:
    """Give back the rights that a test took from its own directory."""
    mode = os.lstat(directory).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(directory, stat.S_IRWXU)
