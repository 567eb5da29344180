"""What `marrow reduce` reduces: one file, or several files and directories."""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from marrow.cli.exits import CliError, Exit
from marrow.cli.inputs import choose_view, read_input
from marrow.cli.request import Request
from marrow.engine.journal.journal import digest, input_of
from marrow.engine.process.placement import OneFile, Placement, SetOfFiles, read_entries, read_entry
from marrow.run.output import OutputFile
from marrow.run.output_directory import OutputDirectory
from marrow.signature.script import CANDIDATE
from marrow.syntax.bundle import BundleEntry, make_bundle
from marrow.syntax.file_set import FileSetView
from marrow.syntax.views import View


@dataclass(frozen=True, slots=True)
class Source:
    """The input as it was read.

    `text` is what is reduced: the file, or the bundle of all files that are not kept as they are.
    `name` is the candidate's file name in a test's directory; empty for a set of files. `base` is
    what the names of a set are relative to.
    """

    text: bytes
    name: str
    base: Path
    inputs: tuple[Path, ...]
    kept: tuple[BundleEntry, ...] = ()

    @property
    def identity(self) -> bytes:
        """The content of the input, with what is kept as it is."""
        return self.text + make_bundle(self.kept)

    @property
    def placement(self) -> Placement:
        """How candidates lie in the directories of tests."""
        return OneFile(self.name) if self.name else SetOfFiles(self.kept)

    def output(self, path: Path) -> OutputFile | OutputDirectory:
        """Return where the result is kept."""
        if self.name:
            return OutputFile(path, self.inputs[0].stat().st_mode)
        return OutputDirectory(path, self.kept)

    def copied(self, path: Path | None = None) -> str:
        """Return what a person types to put a result, or the input, into the current directory."""
        if self.name:
            file = shlex.quote(str((path or self.inputs[0]).absolute()))
            return f"cp {file} {shlex.quote(_no_option(self.name))}"
        if path is not None or self.inputs == (self.base,):
            return f"cp -R {shlex.quote(str((path or self.base).absolute()))}/. ."
        names = shlex.join(_no_option(os.path.relpath(one, self.base)) for one in self.inputs)
        there = shlex.quote(str(self.base.absolute()))
        return f"(cd {there} && tar -cf - {names}) | tar -xf -"

    def copied_empty(self) -> str:
        """Return what a person types to put an empty input into the current directory."""
        return f"cp /dev/null {shlex.quote(_no_option(self.name))}" if self.name else ":"

    def candidate(self, path: Path) -> str | None:
        """Return what stands for a file of the input in a command; None for any other file."""
        if self.name:
            return CANDIDATE if path.samefile(self.inputs[0]) else None
        place, base = path.resolve(), self.base.resolve()
        if place == base:
            return CANDIDATE if self.inputs == (self.base,) else None
        roots = [one.resolve() for one in self.inputs]
        if any(place == root or root in place.parents for root in roots):
            return f"{CANDIDATE}/{place.relative_to(base)}"
        return None


def read_source(request: Request) -> Source:
    """Read the input, or end with a message that says what is wrong with it.

    To resume in place, the original that was kept is the input.
    """
    for path in _originals(request):
        with contextlib.suppress(OSError, CliError):
            source = _read(request, (path,), name=request.input_path.name)
            if digest(source.identity).hex() == input_of(request.journal_path):
                return source
    return _read(request, request.inputs, name=request.input_path.name)


def view_of_source(request: Request, source: Source) -> View:
    """Choose how to see the input, or end with advice on the language or grammar."""
    if not source.name:
        return FileSetView(source.text)
    return choose_view(
        Path(source.name), source.text, request.language, request.grammar, request.start
    )


def _originals(request: Request) -> Iterator[Path]:
    """Yield where originals may be that were written over in place."""
    if not (request.in_place and request.resume and request.journal_path.exists()):
        return
    for path in sorted(request.input_path.parent.iterdir()):
        if path.name.startswith(f"{request.input_path.name}.orig"):
            yield path


def _read(request: Request, inputs: tuple[Path, ...], name: str) -> Source:
    if request.several:
        return _read_set(request, inputs)
    return Source(read_input(inputs[0]), name, inputs[0].parent, inputs)


def _read_set(request: Request, inputs: tuple[Path, ...]) -> Source:
    base = _base(inputs)
    entries: dict[str, BundleEntry] = {}
    for path in inputs:
        try:
            entries.update((entry.name, entry) for entry in _entries(path, base))
        except OSError as error:
            raise CliError(
                Exit.INPUT,
                f"cannot read {path}: {error.strerror or error}\n"
                "Check its name and rights, and those of what is in it.",
            ) from error
    kept = {name: one for name, one in entries.items() if _is_kept(name, request.keep)}
    text = make_bundle(one for name, one in entries.items() if name not in kept)
    if not any(one.regular and one.content for one in entries.values() if one.name not in kept):
        raise CliError(
            Exit.INPUT,
            f"there is nothing to reduce in {request.title}: no file with content, or all are "
            "kept\nGive the files that show the failure; --keep names those that must stay.",
        )
    return Source(text, "", base, inputs, tuple(kept.values()))


def _base(inputs: tuple[Path, ...]) -> Path:
    """Return what names are relative to: the one directory, else where the user stands.

    Files elsewhere are named from the directory that all inputs have in common.
    """
    if len(inputs) == 1:
        return inputs[0]
    if all(not one.is_absolute() and ".." not in one.parts for one in inputs):
        return Path()
    # Without `..`, so that no name leads out of the directory of a test.
    return Path(os.path.commonpath([os.path.dirname(os.path.abspath(one)) for one in inputs]))


def _entries(path: Path, base: Path) -> Iterator[BundleEntry]:
    name = "" if path == base else os.path.relpath(path, base)
    if path.is_dir():
        for entry in read_entries(path):
            yield BundleEntry(os.path.join(name, entry.name), entry.content, entry.mode)
        return
    found = read_entry(path.resolve(), name)
    if found is None or not stat.S_ISREG(found.mode):
        raise CliError(
            Exit.INPUT, f"{path} is not a regular file\nGive files and directories to reduce."
        )
    yield found


def _is_kept(name: str, globs: tuple[str, ...]) -> bool:
    """Whether a file, its bare name, or a directory that it is in was named to be kept."""
    parts = name.split("/")
    above = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
    names = [*above, parts[-1]]
    return any(fnmatchcase(one, glob.rstrip("/")) for glob in globs for one in names)


def _no_option(name: str) -> str:
    """Return a name that is not taken for an option."""
    return f"./{name}" if name.startswith("-") else name
