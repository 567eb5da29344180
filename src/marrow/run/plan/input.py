"""The input of a run: one file or text, or several files and directories."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any, Final

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError, UsageError, error_text, os_errors
from marrow.engine.journal.journal import digest
from marrow.engine.journal.journal import input_of as input_digest
from marrow.engine.process.placement import OneFile, SetOfFiles, read_entries, read_entry
from marrow.languages.recognition import canonical_name, suffixes_of
from marrow.signature.failing_command import CANDIDATE
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle

#: The path that means standard input.
STANDARD_INPUT: Final = Path("-")

#: The name of a text that has none.
NAMELESS: Final = "input"


@dataclass(frozen=True, slots=True)
class Input:
    """The input as it was read.

    `text` is reduced: the file, or the bundle of all files that are not kept as they are. `name` is
    the candidate's file name in the directory of a test; empty for a set of files. `base` is the
    directory that the names of a set are relative to. A text of a program has no `paths`.
    """

    text: bytes
    name: str
    base: Path = Path()
    paths: tuple[Path, ...] = ()
    kept: tuple[BundleEntry, ...] = ()
    #: Who may read it, as in `st_mode`: everything that is written about it is at most so readable.
    mode: int = 0o666
    #: Of a set: the same for the directory of the result.
    directory_mode: int = 0o777

    @property
    def several(self) -> bool:
        """Whether the input is a set of files."""
        return not self.name

    @property
    def identity(self) -> bytes:
        """The content of the input, with what is kept as it is."""
        return self.text + make_bundle(self.kept)

    @property
    def placement(self) -> OneFile | SetOfFiles:
        """The placement of candidates in the directories of tests."""
        return OneFile(self.name) if self.name else SetOfFiles(self.kept)

    @property
    def top_names(self) -> tuple[str, ...]:
        """The names that the input has in its directory, without what is below them."""
        if self.name:
            return (self.name,)
        entries = (*read_bundle(self.text), *self.kept)
        return tuple(dict.fromkeys(entry.name.partition("/")[0] for entry in entries))

    @property
    def title(self) -> str:
        """The input in a few words."""
        if not self.paths:
            return self.name or "a set of files"
        more = len(self.paths) - 1
        return f"{self.paths[0]} and {more} more" if more else str(self.paths[0])

    def copied(self, path: Path | None = None) -> str:
        """Return what a person types to put a result, or the input, into the current directory."""
        if self.name:
            file = shlex.quote(str((path or (self.paths or (Path(self.name),))[0]).absolute()))
            return f"cp {file} {shlex.quote(no_option(self.name))}"
        if path is not None or self.paths == (self.base,):
            return f"cp -R {shlex.quote(str((path or self.base).absolute()))}/. ."
        names = shlex.join(no_option(os.path.relpath(one, self.base)) for one in self.paths)
        there = shlex.quote(str(self.base.absolute()))
        return f"(cd {there} && tar -cf - {names}) | tar -xf -"

    def candidate(self, path: Path) -> str | None:
        """Return how a command names a file of the input; None for any other file."""
        if not self.paths:
            return None
        if self.name:
            same = self.paths[0].exists() and path.samefile(self.paths[0])
            return CANDIDATE if same else None
        place, base = path.resolve(), self.base.resolve()
        if place == base:
            return CANDIDATE if self.paths == (self.base,) else None
        roots = [one.resolve() for one in self.paths]
        if any(place == root or root in place.parents for root in roots):
            return f"{CANDIDATE}/{place.relative_to(base)}"
        return None


def read_input(path: Path) -> tuple[bytes, int]:
    """Read an input file, and its mode; raise `InputError` with what is wrong with it."""
    with os_errors(InputError, f"cannot read {path}", "Check its name and permissions."):
        if not path.exists():
            raise InputError(f"there is no file {path}\nCheck the name of the input.")
        if path.is_dir():
            raise InputError(f"{path} is a directory\nGive a single file.")
        if not path.is_file():
            raise InputError(error_text("special_file", path=path))
        text, mode = read_bounded(path, LARGEST_INPUT), path.stat().st_mode
    return not_empty(text, str(path)), mode


def not_empty(text: bytes, name: str) -> bytes:
    """Return a text; raise `InputError` if it is empty."""
    if not text:
        raise InputError(error_text("empty_input", name=name))
    return text


def text_input(source: bytes | str, name: str | None = None) -> Input:
    """Return the input that a text is."""
    text = source.encode("utf-8", "surrogateescape") if isinstance(source, str) else source
    return Input(text, Path(name or NAMELESS).name or NAMELESS)


def mapping_input(files: Mapping[str, bytes | str], keep: tuple[str, ...] = ()) -> Input:
    """Return the input that a mapping of names to contents is."""
    entries = {}
    for name, content in files.items():
        path = os.path.normpath(name)
        if os.path.isabs(path) or path.split(os.sep)[0] in ("..", "."):
            raise InputError(f"{name!r} is not a name below the directory of a test")
        text = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        entries[path] = BundleEntry(path, text, stat.S_IFREG | 0o644)
    return _set_of(entries, keep, Input(b"", ""))


def is_several(paths: tuple[Path, ...]) -> bool:
    """Whether paths name a set of files."""
    # Not `Path.is_dir`, which raises for a name that is too long.
    return len(paths) > 1 or os.path.isdir(paths[0])


def path_input(
    paths: tuple[Path, ...], name: str | None = None, keep: tuple[str, ...] = ()
) -> Input:
    """Read files and directories; raise `InputError` with what is wrong with them."""
    if not is_several(paths):
        text, mode = read_input(paths[0])
        return Input(text, name or paths[0].name, paths[0].parent, paths, mode=mode)
    base = _base(paths)
    entries: dict[str, BundleEntry] = {}
    advice = "Check its name and permissions, and those of the files in it."
    for path in paths:
        with os_errors(InputError, f"cannot read {path}", advice):
            entries.update((entry.name, entry) for entry in _entries(path, base))
    # Who may enter all directories of the input, and so read its files, and those of the result.
    directories = 0o777
    for directory in (found[0] for path in paths if path.is_dir() for found in os.walk(path)):
        try:
            directories &= stat.S_IMODE(os.stat(directory).st_mode)
        except OSError:  # removed since it was read
            directories &= 0o600
    mode = sum(0o6 << place for place in (0, 3, 6) if directories & 0o1 << place)
    for entry in entries.values():
        if entry.regular:
            mode &= entry.mode
    source = Input(b"", "", base, paths, mode=mode, directory_mode=directories)
    return _set_of(entries, keep, source)


def resumed_input(path: Path, journal: Path | None) -> Input | None:
    """Return the input of a run in place that is resumed: the original that was kept."""
    if journal is None or not journal.exists():
        return None
    for kept in sorted(path.parent.iterdir()):
        if kept.name.startswith(f"{path.name}.orig"):
            with contextlib.suppress(OSError, InputError):
                source = path_input((kept,), path.name)
                if digest(source.identity).hex() == input_digest(journal):
                    return source
    return None


def named_input(paths: tuple[Path, ...], values: Mapping[str, Any]) -> Input:
    """Return the input that a command line names; `-` is standard input, and needs a name."""
    name, language = values["name"], values["language"]
    if STANDARD_INPUT not in paths:
        return path_input(paths, name, values.get("keep", ()))
    if len(paths) > 1 or values.get("in_place"):
        raise UsageError("standard input (-) is one text, and cannot be written over")
    if name is None and language is None:
        raise UsageError(error_text("nameless_input"))
    text = not_empty(sys.stdin.buffer.read(), "standard input")
    mode = 0o666  # of a pipe
    with contextlib.suppress(OSError, ValueError):
        status = os.fstat(sys.stdin.fileno())
        mode = stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else mode
    return Input(text, named_paths(paths, values)[0].name, mode=mode)


def named_paths(paths: tuple[Path, ...], values: Mapping[str, Any]) -> tuple[Path, ...]:
    """Return the paths beside which results go; standard input has a name in this directory."""
    if STANDARD_INPUT not in paths:
        return paths
    suffix = next(iter(suffixes_of(canonical_name(values["language"] or ""))), "")
    return (Path(Path(values["name"] or f"{NAMELESS}{suffix}").name),)


def _set_of(entries: dict[str, BundleEntry], keep: tuple[str, ...], source: Input) -> Input:
    globs = [glob.rstrip("/") for glob in keep]

    def is_kept(name: str) -> bool:
        """Whether a file, its bare name, or a directory above it was named to be kept."""
        names = (name, *map(str, PurePosixPath(name).parents[:-1]), os.path.basename(name))
        return any(fnmatchcase(one, glob) for glob in globs for one in names)

    kept = {name: one for name, one in entries.items() if is_kept(name)}
    reduced = [one for name, one in entries.items() if name not in kept]
    if not any(one.regular and one.content for one in reduced):
        raise InputError(error_text("nothing_to_reduce", title=source.title))
    return replace(source, text=make_bundle(reduced), kept=tuple(kept.values()))


def _base(paths: tuple[Path, ...]) -> Path:
    """Return the only input, the current directory, or what all inputs have in common."""
    if len(paths) == 1:
        return paths[0]
    if all(not one.is_absolute() and ".." not in one.parts for one in paths):
        return Path()
    # Without `..`, so that no name leads out of the directory of a test.
    return Path(os.path.commonpath([os.path.dirname(os.path.abspath(one)) for one in paths]))


def _entries(path: Path, base: Path) -> Iterator[BundleEntry]:
    name = "" if path == base else os.path.relpath(path, base)
    if path.is_dir():
        for entry in read_entries(path):
            yield BundleEntry(os.path.join(name, entry.name), entry.content, entry.mode)
        return
    found = read_entry(path.resolve(), name)
    if found is None or not stat.S_ISREG(found.mode):
        raise InputError(f"{path} is not a regular file\nGive files and directories to reduce.")
    yield found


def no_option(name: str) -> str:
    """Return a name that is not taken for an option."""
    return f"./{name}" if name.startswith("-") else name
