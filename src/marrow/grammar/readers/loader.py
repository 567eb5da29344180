"""Grammar files on disk: their text, and the files beside them that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.bounded_file import read_bounded
from marrow.grammar.model.rules import GrammarError, Note, Position

#: Grammars are written by hand; what is larger is some other file given by mistake.
_LARGEST_FILE: Final = 20_000_000

#: Where files are looked up that a grammar needs, seen from its own folder: beside it, in the
#: folders that projects keep imported grammars in, and one level up.
_FOLDERS: Final = (".", "import", "imports", "lib", "..")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The text of a file, the name to call it by, and what to say about it."""

    name: str
    text: str
    note: Note | None = None


#: Returns the file with this name that a grammar needs; None if there is none.
Loader: TypeAlias = Callable[[str], Loaded | None]


def load_file(path: Path) -> Loaded:
    """Return the text of a file; raise `GrammarError` if it cannot be read."""
    try:
        content = read_bounded(path, _LARGEST_FILE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise GrammarError(f"{path}: cannot read this file ({reason}).") from error
    try:
        return Loaded(str(path), content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        note = Note(
            Position(str(path), line, column),
            "this file is not UTF-8: it is read as Latin-1.",
            "Save it as UTF-8.",
        )
        return Loaded(str(path), content.decode("latin-1"), note)


class Folder:
    """The folder of a grammar, in which the files that it needs are looked up."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path
        #: Whether a file was found that the grammar asked for.
        self.used = False

    def load(self, name: str) -> Loaded | None:
        """Return the file of a name; None if there is none."""
        for inner in _FOLDERS:
            path = self._path / inner / name
            if path.is_file():
                self.used = True
                return load_file(path)
        return None
