"""The working tree of a command: the directory where it was typed, and what lies around it.

A command of a user means files by relative paths (`./target`, `-Iinclude`, `../lib`), and tools
look for their settings upwards from the file that they are given (tsconfig.json, Cargo.toml,
node_modules). So a candidate is tested in an overlay of the directory where the command was typed:
of every directory from the root down to it, and to the input (see `overlay`).

What an overlay shows is listed once, before the first test: all overlays of a run are alike,
whatever the run itself or its user writes there later.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final

# Files up to this size are copied into an overlay where a test is likely to write: what it does to
# them does no harm then, and tools that resolve links stay in the overlay. Sources are smaller,
# programs and data are often larger.
_LARGEST_COPY: Final = 1 << 20

# All copies of a directory together, and how many: each is looked at after every test.
_LARGEST_COPIES: Final = 1 << 24
_MOST_COPIES: Final = 256

_NAMES: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_LEFT_OUT: Final = frozenset(_NAMES["left_out"])
_ONLY_READ: Final = frozenset(_NAMES["only_read"])
_OUTPUTS: Final = frozenset(_NAMES["outputs"])
_PRODUCTS: Final = tuple(_NAMES["products"])
_SETTINGS: Final = re.compile(_NAMES["settings"])

# How many entries of the directories around a command are looked at to see where it writes: a tenth
# of a second.
_MOST_LOOKED_AT: Final = 20_000

# How many directories that changed while a command ran are taken for its outputs. Where more did,
# others are at work there (as in /tmp), and an overlay of them all would cost more than it saves.
_MOST_WRITTEN: Final = 32


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """The directories and files around a command.

    `directory` is where it runs; `inputs` are the files or directories that the candidate
    replaces; `beside` is another directory whose files are to be found there too. `written` are
    directories that the command writes to, `hidden` files that are not for it to see. All of them
    are absolute paths without links. `said` is the text of the command.
    """

    directory: str
    inputs: tuple[str, ...]
    beside: str = ""
    written: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    said: str = ""
    #: Of every directory of an overlay: the names in it that are linked, and those copied.
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    copied: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    #: Files that tests have written to, of those copied; overlays add them.
    rewritten: set[str] = field(default_factory=set, repr=False, compare=False)

    def products(self) -> list[str]:
        """Return files beside the command that an earlier run of it has left, as it seems."""
        near = {self.directory, *map(os.path.dirname, self.inputs), *self.written}
        found = {
            os.path.join(directory, name)
            for directory in near
            for name in (*self.copied.get(directory, ()), *self.linked.get(directory, ()))
            if name.endswith(_PRODUCTS)
        }
        return sorted(found | self.rewritten)

    def without(self, files: Iterable[str]) -> WorkingTree:
        """Return this tree without some files."""
        return replace(self, hidden=self.hidden.union(files)).listed()

    def listed(self) -> WorkingTree:
        """Return this tree with its present entries listed."""
        linked: dict[str, tuple[str, ...]] = {}
        copied: dict[str, tuple[str, ...]] = {}
        near = {self.directory, *map(os.path.dirname, self.inputs), *self.written}
        directories = self.directories()
        taken = {*self.inputs, *directories, *self.hidden}
        for directory in directories:
            names = self._names(directory, taken, copy=directory in near)
            copied[directory], linked[directory] = map(tuple, names)
        return replace(self, linked=linked, copied=copied)

    def directories(self) -> list[str]:
        """Return the directories that an overlay has, each after those above it."""
        found: dict[str, None] = {}
        for bottom in (self.directory, *map(os.path.dirname, self.inputs), *self.written):
            for one in (*map(str, reversed(PurePath(bottom).parents)), bottom):
                # What is in a directory that is the input comes with the candidate.
                if not any(is_below(one, top) for top in self.inputs):
                    found[one] = None
        return list(found)

    def _names(self, directory: str, taken: set[str], *, copy: bool) -> tuple[list[str], list[str]]:
        """Return the names in a directory that are to be copied, and those to be linked."""
        copies: list[str] = []
        links: list[str] = []
        size = 0
        try:
            with os.scandir(directory) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:  # it may be entered, but not be read
            return [], []
        mode = 0 if copy else os.stat(directory).st_mode
        # Everybody leaves files in a directory like /tmp.
        shared = bool(mode & stat.S_ISVTX and mode & stat.S_IWOTH)
        for entry in found:
            if os.path.join(directory, entry.name) in taken or entry.name in _LEFT_OUT:
                continue
            if shared and self._is_unrelated(entry):
                continue
            if copy and len(copies) < _MOST_COPIES and (length := _copied_size(entry)) is not None:
                size += length
                if size <= _LARGEST_COPIES:
                    copies.append(entry.name)
                    continue
            links.append(entry.name)
        return copies, links

    def _is_unrelated(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry of /tmp has nothing to do with the command, as far as one can tell.

        There may be thousands of them. Tools look upwards for settings and for hidden files.
        """
        name = entry.name
        if name.startswith(".") or name in _ONLY_READ or name in self.said:
            return False
        return entry.is_dir(follow_symlinks=False) or _SETTINGS.fullmatch(name) is None

    def watched(self) -> dict[str, int]:
        """Return when each file and directory that is only linked changed last, as far as seen."""
        seen: dict[str, int] = {}
        pending = [
            os.path.join(directory, name)
            for directory in {self.directory, *map(os.path.dirname, self.inputs)}
            for name in self.linked.get(directory, ())
            if name not in _ONLY_READ
        ]
        while pending and len(seen) < _MOST_LOOKED_AT:
            path = pending.pop()
            try:
                status = os.lstat(path)
                seen[path] = status.st_ctime_ns
                if stat.S_ISDIR(status.st_mode):
                    names = sorted(os.listdir(path))
                    pending += [os.path.join(path, one) for one in names if one not in _ONLY_READ]
            except OSError:
                continue
        return seen

    def changed_since(self, before: dict[str, int]) -> list[str]:
        """Return the files of the user that were changed, added or removed since.

        Only those that tests reach through links, as far as they were looked at before; what the
        run itself writes does not count.
        """
        if len(before) >= _MOST_LOOKED_AT:
            return []
        now = self.watched()
        found = {path for path in now if before.get(path) != now[path] and not os.path.isdir(path)}
        found |= {path for path in before if path not in now}
        return sorted(path for path in found if not path.startswith(tuple(self.hidden)))

    def written_since(self, before: dict[str, int]) -> WorkingTree:
        """Return this tree with the directories that a command has written to since.

        They become part of the overlay: tests that run at once must not see each other's outputs,
        nor may those of candidates land among the user's files. Where more changed than can be
        its own, nothing does.
        """
        changed = set()
        for path, when in self.watched().items():
            if before.get(path) != when:
                changed.add(path if os.path.isdir(path) else os.path.dirname(path))
        if not changed - set(self.written) or len(changed) > _MOST_WRITTEN:
            return self
        return replace(self, written=tuple(sorted({*self.written, *changed}))).listed()


def working_tree_of(
    typed_in: str,
    inputs: Iterable[str],
    base: str = "",
    hidden: Iterable[str] = (),
    said: str = "",
) -> WorkingTree:
    """Return the working tree of a command that was typed in a directory.

    Where no input lies below that, the command runs beside the input, or in the `base` of several,
    and what is in the directory is to be found there too.
    """
    where = os.path.realpath(typed_in)
    real = tuple(map(real_path, inputs))
    around = WorkingTree(where, real, hidden=frozenset(map(real_path, hidden)), said=said)
    if not any(is_below(one, where) or is_below(where, one) for one in real):
        around = replace(around, directory=base or os.path.dirname(real[0]), beside=where)
    return replace(around, written=tuple(_for_outputs(around))).listed()


def _for_outputs(around: WorkingTree) -> Iterator[str]:
    """Yield directories beside a command that are there to be written to, as it seems.

    In a small project these are all: whatever a command does there, no file of the user's is
    harmed, and tools that resolve links stay in the overlay.
    """
    near = sorted({around.directory, *map(os.path.dirname, around.inputs)})
    if small := _small_project(around, near):
        yield from small
        return
    for directory in near:
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            found = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            for path in sorted(found):
                if any(is_below(path, one) or is_below(one, path) for one in around.inputs):
                    continue
                names = os.listdir(path)
                is_output = os.path.basename(path) in _OUTPUTS and len(names) <= _MOST_COPIES
                if is_output or not names:
                    yield path


def _small_project(around: WorkingTree, near: list[str]) -> list[str]:
    """Return all directories below some others, if there are few of them, with few small files."""
    found: list[str] = []
    pending = list(near)
    files = size = 0
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.name in _ONLY_READ | _LEFT_OUT or entry.path in around.inputs:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        found.append(entry.path)
                        pending.append(entry.path)
                    elif (length := _copied_size(entry)) is not None:
                        files, size = files + 1, size + length
                    if len(found) > _MOST_WRITTEN or files > _MOST_COPIES or size > _LARGEST_COPIES:
                        return []
        except OSError:
            continue
    return sorted(set(found) - set(near))


def real_path(path: str) -> str:
    """Return an absolute path; a link at its end stays what it is."""
    path = os.path.abspath(path)
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def is_below(path: str, directory: str) -> bool:
    """Whether a path is a directory, or lies in it."""
    return path == directory or path.startswith(directory.rstrip("/") + "/")


def _copied_size(entry: os.DirEntry[str]) -> int | None:
    """Return the size of a file that is copied; None for what is linked."""
    try:
        if not entry.is_file(follow_symlinks=False):
            return None
        size = entry.stat(follow_symlinks=False).st_size
        return size if size <= _LARGEST_COPY and os.access(entry.path, os.R_OK) else None
    except OSError:
        return None
