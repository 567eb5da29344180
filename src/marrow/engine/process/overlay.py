"""Mirrors: directories that look like the one where a command was typed, to test candidates in.

Each directory from the root to where the command was typed, and to the input, is a directory here.
What else is in them are links to the user's own files; small files beside the input are copied,
since a test may write to them. The candidate stands in the place of the input. So relative paths
and look-ups upwards find what they would find, and what a test writes stays in the mirror.

A mirror serves one test after the other. Behind each, what it has written is removed, and what it
has changed is put back. Changes are seen by the times of change, which no program can set.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
from dataclasses import dataclass, field
from typing import Final

from marrow.engine.process.placement import OneFile, Placement, SetOfFiles, write_whole
from marrow.engine.process.working_tree import WorkingTree
from marrow.engine.process.workspace import remove

# The clock that stamps files may tick as seldom as a hundred times a second: of a change within a
# tick nothing is to be seen.
_TICK: Final = 20_000_000


@dataclass(slots=True)
class _Kept:
    """A directory of a mirror as it must be: the inode of each entry, and when it changed last."""

    entries: dict[str, int] = field(default_factory=dict)
    #: 0 where it changed so lately that a later change might not show.
    changed: int = 0


@dataclass(frozen=True, slots=True)
class OverlayPlacement:
    """Candidates stand in mirrors of the surroundings of a command.

    `files` are the files of a candidate: one, of this `mode`, or a set of them in the directory
    `base`.
    """

    around: WorkingTree
    files: Placement
    mode: int = 0o644
    base: str = ""

    @property
    def alone(self) -> str:
        """The name of the only file."""
        return self.files.alone

    def put(self, directory: str, candidate: bytes) -> tuple[str, int]:
        """Write a candidate without its surroundings, where nothing of them can be had."""
        return self.files.put(directory, candidate)

    @property
    def candidate(self) -> str:
        """The candidate, as a command names it: from the directory that it runs in."""
        around = self.around
        name = os.path.relpath(self.base or around.inputs[0], around.directory)
        return f"./{name}" if name.startswith("-") else name


class Overlay:
    """One mirror below a directory."""

    def __init__(self, root: str, place: OverlayPlacement) -> None:
        """Build it; raises OSError."""
        self.root: Final = root
        self._place: Final = place
        self._around: Final = place.around
        self._kept: Final[dict[str, _Kept]] = {}
        self._copies: Final[dict[str, tuple[int, int]]] = {}
        for directory in self._around.mirrored():
            here = self._here(directory)
            os.makedirs(here, exist_ok=True)
            self._kept[directory] = _Kept()
        for directory in self._kept:
            for name in self._around.copied[directory]:
                self._copy(directory, name)
            for name in self._around.linked[directory]:
                self._link(directory, name)
        if self._around.beside:
            self._link_beside()
        if self._around.directory not in self._kept:  # it is in the input
            os.makedirs(self.directory, exist_ok=True)
        for directory, kept in self._kept.items():
            with os.scandir(self._here(directory)) as entries:
                kept.entries = {entry.name: entry.inode() for entry in entries}

    def _here(self, path: str) -> str:
        return self.root if path == "/" else self.root + path

    @property
    def directory(self) -> str:
        """The directory to run the command in."""
        return self._here(self._around.directory)

    def _copy(self, directory: str, name: str) -> None:
        """Copy a file; one that is gone by now is left out."""
        there, here = os.path.join(directory, name), os.path.join(self._here(directory), name)
        with contextlib.suppress(FileNotFoundError):
            shutil.copy2(there, here, follow_symlinks=False)
            status = os.lstat(here)
            os.chmod(here, stat.S_IMODE(status.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
            self._copies[here] = (0, status.st_ino)

    def _link(self, directory: str, name: str) -> None:
        """Link to an entry; a relative link is copied, as what it leads to is mirrored too."""
        there, here = os.path.join(directory, name), os.path.join(self._here(directory), name)
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            target = there
            if os.path.islink(there):
                found = os.readlink(there)
                target = there if os.path.isabs(found) else found
            os.symlink(target, here)

    def _link_beside(self) -> None:
        """Link to what is where the command was typed, unless something here has that name."""
        around = self._around
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(around.beside)):
                here = os.path.join(self.directory, name)
                there = os.path.join(around.beside, name)
                if there not in around.hidden and not os.path.lexists(here):
                    os.symlink(there, here)

    # -- candidates ----------------------------------------------------------------------------

    def put(self, candidate: bytes) -> tuple[str, int]:
        """Write a candidate; return the command's argument, and its open standard input."""
        place, around = self._place, self._around
        if isinstance(place.files, OneFile):
            here = self._here(around.inputs[0])
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.open(here, flags, 0o600)
            try:
                os.fchmod(file, place.mode)
                write_whole(file, candidate)
            finally:
                os.close(file)
            # Not the same file: a program that is open for writing cannot be started.
            return place.candidate, os.open(here, os.O_RDONLY | os.O_CLOEXEC)
        assert isinstance(place.files, SetOfFiles)
        os.makedirs(self._here(place.base), exist_ok=True)
        return place.candidate, place.files.put(self._here(place.base), candidate)[1]

    def restore(self) -> None:
        """Remove what a test has left, and put back what it has changed; raises OSError."""
        for path in self._around.inputs:
            here = self._here(path)
            if isinstance(self._place.files, OneFile):
                self._restore_candidate(here)
            elif os.path.isdir(here) and not os.path.islink(here):
                if not remove(here):
                    raise OSError(f"{here} cannot be removed")
            else:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(here)
        for directory, kept in self._kept.items():
            self._restore_directory(directory, kept)
        self._restore_copies()
        if not os.path.isdir(self.directory):
            os.makedirs(self.directory)

    def _restore_candidate(self, here: str) -> None:
        """Remove the file of a candidate, unless the next one can be written over it."""
        try:
            status = os.lstat(here)
        except FileNotFoundError:
            return
        mode = self._place.mode
        if stat.S_ISDIR(status.st_mode):
            remove(here)
        elif status.st_mode != stat.S_IFREG | mode or status.st_nlink > 1:
            os.unlink(here)

    def _restore_directory(self, directory: str, kept: _Kept) -> None:
        here = self._here(directory)
        if not stat.S_ISDIR((status := os.lstat(here)).st_mode):
            raise OSError(f"{here} is no directory any more")
        if status.st_ctime_ns == kept.changed:
            return
        if stat.S_IMODE(status.st_mode) & 0o700 != 0o700:
            os.chmod(here, 0o700)
        own = {
            os.path.basename(one)
            for one in self._around.inputs
            if os.path.dirname(one) == directory
        }
        found: dict[str, int] = {}
        with os.scandir(here) as entries:
            for entry in entries:
                found[entry.name] = entry.inode()
        for name, inode in found.items():
            if name not in own and kept.entries.get(name) != inode:
                path = os.path.join(here, name)
                if os.path.isdir(path) and not os.path.islink(path):
                    if not remove(path):
                        raise OSError(f"{path} cannot be removed")
                else:
                    os.unlink(path)
        for name, inode in kept.entries.items():
            if found.get(name) != inode and name not in own:
                self._put_back(directory, name, kept)
        status = os.lstat(here)
        settled = time.time_ns() - status.st_ctime_ns > _TICK
        kept.changed = status.st_ctime_ns if settled else 0

    def _put_back(self, directory: str, name: str, kept: _Kept) -> None:
        here = os.path.join(self._here(directory), name)
        if os.path.join(directory, name) in self._kept:
            raise OSError(f"{here} was removed")  # with all that was in it
        if here in self._copies:
            self._copy(directory, name)
        elif name in self._around.linked[directory]:
            self._link(directory, name)
        else:
            os.symlink(os.path.join(self._around.beside, name), here)
        if os.path.lexists(here):
            kept.entries[name] = os.lstat(here).st_ino

    def _restore_copies(self) -> None:
        for here, (changed, inode) in self._copies.items():
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(here)
                if changed and status.st_ctime_ns == changed:
                    continue
                there = here.removeprefix(self.root)
                if not _same(there, here, status):
                    os.unlink(here)
                    directory, name = os.path.split(there)
                    self._copy(directory, name)
                    status = os.lstat(here)
                    self._kept[directory].entries[name] = inode = status.st_ino
                    self._kept[directory].changed = 0
                settled = time.time_ns() - status.st_ctime_ns > _TICK
                self._copies[here] = (status.st_ctime_ns if settled else 0, inode)


def _same(one: str, other: str, status: os.stat_result) -> bool:
    """Whether a copy is still like its original; of an original that is gone it is."""
    try:
        original = os.lstat(one)
    except OSError:
        return True
    mode = stat.S_IMODE(original.st_mode) | stat.S_IRUSR | stat.S_IWUSR
    if (stat.S_IMODE(status.st_mode), status.st_size) != (mode, original.st_size):
        return False
    with open(one, "rb") as left, open(other, "rb") as right:
        return left.read() == right.read()
