"""Placing a candidate in the directory of its test: as one file, as a set of files, in an overlay.

Reading and writing sets of files is here too; the result on disk uses it as well.

Overlays are directories that look like the one where a command was typed, to test candidates in.
An overlay has a directory for each one from the root to where the command was typed, and to the
input. Their other entries are links to the user's own files; small files beside the input are
copied, since a test may write to them. The candidate takes the place of the input. So relative
paths and look-ups upwards find what they would find, and what a test writes stays in the overlay.

An overlay serves one test after the other. After each, what it has written is removed, and what it
has changed is put back. Changes show in the times of change, which no program can set.

A test may replace any directory of its overlay by a link to the user's files. So each is opened by
name from its parent, following no link, and must be the one that was made, by device and inode.
Where it is not, `restore` raises, and the whole overlay is removed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.open_directory import OpenDirectory
from marrow.engine.process.working_tree import WorkingTree, is_below
from marrow.syntax.bundle import BundleEntry, read_bundle

# The bits of a mode that say who may do what.
_MODE: Final = 0o777


class OneFile:
    """A candidate is a file with the input's own name, and the standard input too."""

    def __init__(self, name: str) -> None:
        self.alone: Final = name

    def put(self, directory: OpenDirectory, candidate: bytes) -> tuple[str, int]:
        """Write the file; in a reused directory, over the candidate before."""
        return self.alone, directory.overwrite(self.alone, candidate)


class SetOfFiles:
    """A candidate is the directory of a test, with files under their names; all have the `kept`."""

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
    """Yield the files, links and empty directories below a directory; raises OSError."""
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


# The clock that stamps files may tick as seldom as a hundred times a second: a change within a tick
# of the last look does not show.
_TICK: Final = 20_000_000


@dataclass(slots=True)
class _Layer:
    """A directory of an overlay as it must be."""

    identity: tuple[int, int]
    #: The inode of each entry.
    entries: dict[str, int] = field(default_factory=dict)
    #: When each copied file changed last.
    copies: dict[str, int] = field(default_factory=dict)
    #: When it changed last itself; 0 where that was so lately that a later change might not show.
    changed: int = 0


@dataclass(frozen=True, slots=True)
class OverlayPlacement:
    """Puts candidates into overlays of a command's working tree.

    `files` are the files of a candidate: one, of this `mode`, or a set of them in the directory
    `base`.
    """

    around: WorkingTree
    files: OneFile | SetOfFiles
    mode: int = 0o644
    base: str = ""

    @property
    def candidate(self) -> str:
        """The candidate, as a command names it: from the directory that it runs in."""
        around = self.around
        name = os.path.relpath(self.base or around.inputs[0], around.directory)
        return f"./{name}" if name.startswith("-") else name


class Overlay:
    """One overlay below an open directory, whose path is `root`."""

    def __init__(self, opened: OpenDirectory, root: str, place: OverlayPlacement) -> None:
        """Build it; raises OSError."""
        self.root: Final = root
        self._opened: Final = opened
        self._place: Final = place
        self._around: Final = place.around
        self._one: Final = isinstance(place.files, OneFile)
        #: In the order of a walk: each directory before those below it.
        self._layers: Final[dict[str, _Layer]] = {}
        for directory in sorted(self._around.directories(), key=lambda path: path.split("/")):
            with opened.enter(directory, make=True) as here:
                self._layers[directory] = _Layer(here.identity)
        with contextlib.closing(self._walk()) as walk:
            for directory, layer, here in walk:
                for name in self._around.copied[directory]:
                    self._copy(directory, name, layer, here)
                for name in self._around.linked[directory]:
                    self._link(directory, name, here)
                if directory == self._around.directory and self._around.beside:
                    self._link_beside(here)
                layer.entries = here.inodes()
        if self._around.directory not in self._layers:  # it is in the input
            opened.enter(self._around.directory, make=True).close()

    @property
    def directory(self) -> str:
        """The directory to run the command in."""
        return self.root + self._around.directory.rstrip("/")

    def _walk(self) -> Generator[tuple[str, _Layer, OpenDirectory], None, None]:
        """Yield every directory, open; raise OSError if one is not what was made."""
        above: list[tuple[str, OpenDirectory]] = []
        try:
            for directory, layer in self._layers.items():
                while above and not is_below(directory, above[-1][0]):
                    above.pop()[1].close()
                if above:
                    here = above[-1][1].unlock(os.path.basename(directory))
                else:
                    here = self._opened.enter(directory)
                above.append((directory, here))
                if here.identity != layer.identity:
                    raise OSError(f"a test has replaced {directory} in its overlay")
                yield directory, layer, here
        finally:
            for _, here in above:
                here.close()

    def _copy(self, directory: str, name: str, layer: _Layer, here: OpenDirectory) -> None:
        """Copy a file of the user's, unless it has been removed meanwhile."""
        there = os.path.join(directory, name)
        with contextlib.suppress(FileNotFoundError):
            status = os.lstat(there)
            mode = stat.S_IMODE(status.st_mode) | stat.S_IRUSR | stat.S_IWUSR
            here.write(name, read_bounded(there), mode, exact=True)
            times = status.st_atime_ns, status.st_mtime_ns
            os.utime(name, ns=times, dir_fd=here.descriptor, follow_symlinks=False)
            layer.copies[name] = 0
            layer.entries[name] = here.status(name).st_ino

    def _link(self, directory: str, name: str, here: OpenDirectory) -> None:
        """Link to an entry; copy a relative link, as the overlay has what it leads to."""
        there = os.path.join(directory, name)
        with contextlib.suppress(FileNotFoundError, FileExistsError):
            target = there
            if os.path.islink(there):
                found = os.readlink(there)
                target = there if os.path.isabs(found) else found
            here.link(name, target)

    def _link_beside(self, here: OpenDirectory) -> None:
        """Link to what is where the command was typed, unless something here has that name."""
        beside = self._around.beside
        with contextlib.suppress(OSError):
            for name in sorted(os.listdir(beside)):
                there = os.path.join(beside, name)
                if there not in self._around.hidden and not here.exists(name):
                    here.link(name, there)

    # -- candidates ----------------------------------------------------------------------------

    def put(self, candidate: bytes) -> tuple[str, int]:
        """Write a candidate; return the command's argument, and its open standard input."""
        place = self._place
        if self._one:
            directory, name = os.path.split(self._around.inputs[0])
            with self._opened.enter(directory) as here:
                file = here.overwrite(name, candidate, 0o600)
                os.fchmod(file, place.mode)
                os.close(file)
                # Not the same file: a program that is open for writing cannot be started.
                return place.candidate, here.open_file(name)
        with self._opened.enter(place.base, make=True) as here:
            return place.candidate, place.files.put(here, candidate)[1]

    def restore(self) -> None:
        """Remove what a test has left, and put back what it has changed; raises OSError."""
        with contextlib.closing(self._walk()) as walk:
            for directory, layer, here in walk:
                places = map(os.path.split, self._around.inputs)
                inputs = [name for above, name in places if above == directory]
                for name in inputs:
                    self._restore_input(name, here)
                self._restore_entries(directory, layer, here, inputs)
                self._restore_copies(directory, layer, here)
        if self._around.directory not in self._layers:
            self._opened.enter(self._around.directory, make=True).close()

    def _restore_input(self, name: str, here: OpenDirectory) -> None:
        """Remove a candidate, unless it is one file that the next can be written over."""
        with contextlib.suppress(FileNotFoundError):
            status = here.status(name)
            expected = stat.S_IFREG | self._place.mode
            if not self._one or status.st_mode != expected or status.st_nlink > 1:
                here.remove(name)

    def _restore_entries(
        self, directory: str, layer: _Layer, here: OpenDirectory, inputs: list[str]
    ) -> None:
        """Remove entries that are new, and make those again that are missing or replaced."""
        if os.fstat(here.descriptor).st_ctime_ns == layer.changed:
            return
        found = here.inodes()
        for name, inode in found.items():
            if name not in inputs and layer.entries.get(name) != inode:
                here.remove(name)
        for name, inode in list(layer.entries.items()):
            if found.get(name) != inode and name not in inputs:
                self._make_again(directory, name, layer, here)
        layer.changed = _settled(os.fstat(here.descriptor))

    def _make_again(self, directory: str, name: str, layer: _Layer, here: OpenDirectory) -> None:
        if os.path.join(directory, name) in self._layers:
            raise OSError(f"a test has removed {directory}/{name} from its overlay")
        if name in layer.copies:
            self._around.rewritten.add(os.path.join(directory, name))
            self._copy(directory, name, layer, here)
        elif name in self._around.linked[directory]:
            self._link(directory, name, here)
        else:
            here.link(name, os.path.join(self._around.beside, name))
        with contextlib.suppress(FileNotFoundError):
            layer.entries[name] = here.status(name).st_ino

    def _restore_copies(self, directory: str, layer: _Layer, here: OpenDirectory) -> None:
        """Copy files again that a test has written to."""
        for name, changed in list(layer.copies.items()):
            with contextlib.suppress(FileNotFoundError):
                status = here.status(name)
                if changed and status.st_ctime_ns == changed:
                    continue
                if not _is_same(os.path.join(directory, name), here, name, status):
                    self._around.rewritten.add(os.path.join(directory, name))
                    here.unlink(name)
                    self._copy(directory, name, layer, here)
                    layer.changed = 0
                    status = here.status(name)
                layer.copies[name] = _settled(status)


def _settled(status: os.stat_result) -> int:
    """Return when something changed last; 0 if that was so lately that more would not show."""
    return status.st_ctime_ns if time.time_ns() - status.st_ctime_ns > _TICK else 0


def _is_same(original: str, here: OpenDirectory, name: str, status: os.stat_result) -> bool:
    """Whether a copy is like its original; True if that has been removed."""
    try:
        wanted = os.lstat(original)
    except OSError:
        return True
    mode = stat.S_IMODE(wanted.st_mode) | stat.S_IRUSR | stat.S_IWUSR
    if (stat.S_IMODE(status.st_mode), status.st_size) != (mode, wanted.st_size):
        return False
    return here.read(name, status.st_size + 1) == read_bounded(original)


Placement: TypeAlias = OneFile | SetOfFiles | OverlayPlacement
