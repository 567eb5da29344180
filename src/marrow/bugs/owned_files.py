"""The files that marrow wrote to a directory it shares with its user.

A manifest lists each file with the digest of its content. Only a file that still has that digest is
replaced or removed; one that somebody has changed or added since is the user's. If a new file needs
its name, the user's file is renamed to `NAME~`; nothing is ever lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from marrow.base.open_directory import OpenDirectory

#: The name of the manifest in its directory.
MANIFEST: Final = ".triage-files.json"

# The form of a manifest: another one is not read.
_FORM: Final = 1

# A manifest has some hundred bytes for each file.
_LARGEST_MANIFEST: Final = 256 << 20

# How much of a file is read at once to make its digest.
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class NewFile:
    """What a file is to hold, and who may read it."""

    content: bytes
    mode: int = 0o666

    @property
    def digest(self) -> str:
        """The digest of its content."""
        return hashlib.blake2b(self.content, digest_size=16).hexdigest()


class OwnedFiles:
    """The files that marrow owns in one directory. Paths are relative, with slashes."""

    def __init__(self, top: Path) -> None:
        self._top: Final = top
        #: The digests that each file may have: that of the last run, and of one that was killed.
        self._known: dict[str, list[str]] = _read_manifest(top)
        #: What the user should know: which files were kept.
        self.notes: Final[list[str]] = []

    @property
    def directories(self) -> set[str]:
        """The directories at the top that hold files of marrow."""
        return {path.partition("/")[0] for path in self._known if "/" in path}

    def replace_all(self, files: Mapping[str, NewFile], last: str) -> None:
        """Write files, and remove those of earlier runs that are not among them.

        The one called `last` is written after all others. Raises `OSError`.
        """
        before = self._known
        after = {path: [file.digest] for path, file in files.items()}
        rights = 0o666
        for file in files.values():
            rights &= file.mode
        with OpenDirectory.at(os.path.realpath(self._top)) as top:
            both = {
                path: [*before.get(path, ()), *after.get(path, ())] for path in {**before, **after}
            }
            _write_manifest(top, both, rights)
            for path, file in files.items():
                if path != last:
                    self._write(top, path, file)
            for path in before:
                if path not in after:
                    self._remove(top, path)
            if last in files:
                self._write(top, last, files[last])
            _write_manifest(top, after, rights)
        self._known = after

    def _write(self, top: OpenDirectory, path: str, file: NewFile) -> None:
        parent, name = os.path.split(path)
        with self._entered(top, parent, file.mode) as directory:
            found = _digest_of(directory, name)
            if found == file.digest:
                rights = stat.S_IMODE(directory.status(name).st_mode)
                if rights & ~file.mode & 0o066:
                    directory.chmod(name, rights & (file.mode | 0o700))
                return
            if found is not None and found not in self._known.get(path, ()):
                self._set_aside(directory, name, path)
            _put(directory, name, file)

    @contextlib.contextmanager
    def _entered(self, top: OpenDirectory, path: str, mode: int) -> Iterator[OpenDirectory]:
        """Open a directory; create it for those who may read a file of some mode."""
        with contextlib.ExitStack() as opened:
            directory = top
            for name in PurePosixPath(path).parts:
                with contextlib.suppress(FileNotFoundError):
                    if not stat.S_ISDIR(directory.status(name).st_mode):
                        self._set_aside(directory, name, path)
                with contextlib.suppress(FileExistsError):
                    directory.make(name, 0o700 | mode & 0o066 | (mode & 0o044) >> 2)
                directory = opened.enter_context(directory.enter(name))
            yield directory

    def _set_aside(self, directory: OpenDirectory, name: str, path: str) -> None:
        """Rename what the user has put where marrow writes."""
        endings = itertools.chain(("~",), (f"~{number}" for number in itertools.count(2)))
        kept = next(name + end for end in endings if not directory.exists(name + end))
        directory.rename(name, kept)
        shown = os.path.join(os.path.dirname(path), kept) if "/" in path else kept
        self.notes.append(
            f"{self._top / path} is not as marrow wrote it: your version is now {self._top / shown}"
        )

    def _remove(self, top: OpenDirectory, path: str) -> None:
        """Remove a file of an earlier run, and directories that are empty then."""
        parent, name = os.path.split(path)
        try:
            with top.enter(parent) as directory:
                found = _digest_of(directory, name)
                if found and found in self._known[path]:
                    directory.unlink(name)
                elif found is not None:
                    self.notes.append(
                        f"{self._top / path} is kept: it is not as marrow wrote it, and no longer "
                        "part of the triage"
                    )
        except OSError:
            return  # the user has put something else there
        while parent:
            above, name = os.path.split(parent)
            try:
                with top.enter(above) as directory:
                    os.rmdir(name, dir_fd=directory.descriptor)
            except OSError:
                return  # something is left in it
            parent = above


def _put(directory: OpenDirectory, name: str, file: NewFile) -> None:
    """Write a file aside, then rename it."""
    aside = f".{name}.new~"
    with contextlib.suppress(FileNotFoundError):
        directory.unlink(aside)  # of a run that was killed
    try:
        directory.write(aside, file.content, file.mode & 0o666)
        directory.rename(aside, name)
    except OSError:
        with contextlib.suppress(OSError):
            directory.unlink(aside)
        raise


def _digest_of(directory: OpenDirectory, name: str) -> str | None:
    """Return the digest of a file; None if there is none, nothing for what is not a file."""
    try:
        file = directory.open_file(name)
    except FileNotFoundError:
        return None
    except OSError:
        return ""
    found = hashlib.blake2b(digest_size=16)
    try:
        while piece := os.read(file, _PIECE):
            found.update(piece)
    finally:
        os.close(file)
    return found.hexdigest()


def _read_manifest(top: Path) -> dict[str, list[str]]:
    """Read a manifest; one that is missing or broken lists nothing, so everything is the user's."""
    try:
        with OpenDirectory.at(os.path.realpath(top)) as directory:
            data = json.loads(directory.read(MANIFEST, _LARGEST_MANIFEST))
        files = data["files"] if data["form"] == _FORM else {}
        return {str(path): [str(one) for one in digests] for path, digests in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_manifest(top: OpenDirectory, files: Mapping[str, list[str]], mode: int) -> None:
    data = json.dumps({"form": _FORM, "files": files}, indent=1) + "\n"
    _put(top, MANIFEST, NewFile(data.encode(), mode))
