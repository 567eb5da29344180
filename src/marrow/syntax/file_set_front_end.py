"""The front end for sets of files: a tree of directories and files."""

from __future__ import annotations

from typing import Final

from marrow.syntax.bundle import entry_spans
from marrow.syntax.front_end import FrontEnd
from marrow.tree import Branch, Glue, Kind, Node, Token, Tree


class FilesFrontEnd(FrontEnd):
    """Sees a bundle as a tree: directories are stars, files are tokens.

    Every candidate is a bundle. No node replaces another: a file that moves would change its name.
    """

    name: Final = "files"
    description: Final = "a set of files"

    def parse(self, text: bytes) -> Tree:
        """Turn a bundle into the tree of its directories and files."""
        # The open directories: the name, followed by a slash, and what is in it so far.
        open_directories: list[tuple[str, list[Node]]] = [("", [])]
        for serial, (entry, start, end) in enumerate(entry_spans(text)):
            while not entry.name.startswith(open_directories[-1][0]):
                _close(open_directories)
            while (rest := entry.name[len(open_directories[-1][0]) :]).count("/"):
                name = open_directories[-1][0] + rest[: rest.index("/") + 1]
                open_directories.append((name, []))
            inside = open_directories[-1][1]
            inside.append(
                Token(
                    "file",
                    text[start:end],
                    slot="files",
                    key=len(inside),
                    serial=serial,
                    glue=Glue.BEFORE | Glue.AFTER,
                )
            )
        while len(open_directories) > 1:
            _close(open_directories)
        return Tree(Branch(Kind.STAR, "files", open_directories[0][1], slot="files"))


def _close(open_directories: list[tuple[str, list[Node]]]) -> None:
    name, inside = open_directories.pop()
    above = open_directories[-1][1]
    symbol = f"directory {name.rstrip('/')}"
    above.append(Branch(Kind.STAR, symbol, inside, slot="files", key=len(above)))
