"""Stocks: pieces of texts that a parser has read, by the places they may stand in.

Where there is no grammar to draw from, samples are made of what people wrote: the original input,
which is mostly large, the files of a directory, and a small text that ships for common languages.
A piece fits a place if the parser has read one of its kind there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from marrow.syntax.front_end import FrontEnd
from marrow.tree import SEPARATOR, Kind, Node, Token, Tree
from marrow.tree.foreign import displaced
from marrow.tree.node import render

#: Larger pieces are not kept: they are whole programs, and hardly ever valid elsewhere.
_MOST_TOKENS: Final = 80

#: How many pieces are kept for a slot, and how many of them for one kind of node.
_PIECES: Final = 160
_PIECES_OF_A_KIND: Final = 24

#: How much of a directory is read: enough to see every form many times.
_MOST_FILES: Final = 200
_MOST_BYTES: Final = 100_000

#: More than the tokens of any text: pieces of different texts are nobody's neighbours.
_FAR: Final = 1 << 40

#: Begins the key of all tokens of a kind, whatever slots they stand in.
TOKEN: Final = "token "

#: Ends the key of what may be left out in a slot.
OPTIONAL: Final = "?"


class PieceStock:
    """Pieces of texts, by their slots."""

    def __init__(self) -> None:
        self._pieces: Final[dict[str, dict[bytes, Node]]] = {}
        self._kinds: Final[dict[tuple[str, str], int]] = {}
        self._texts = 0

    def add_tree(self, tree: Tree) -> None:
        """Take the pieces of a text."""
        self._texts += 1
        for node in tree.nodes():
            if node.slot != SEPARATOR and 0 < node.token_count <= _MOST_TOKENS:
                self.add(displaced(node, self._texts * _FAR))

    def add(self, node: Node) -> None:
        """Take one piece."""
        pieces = self._pieces.setdefault(node.slot, {})
        kind = (node.slot, node.symbol)
        if len(pieces) < _PIECES and self._kinds.get(kind, 0) < _PIECES_OF_A_KIND:
            text = render((node,))
            if text not in pieces:
                pieces[text] = node
                self._kinds[kind] = self._kinds.get(kind, 0) + 1

    def fitting(self, slot: str, front: FrontEnd) -> list[Node]:
        """Return the pieces that may stand in a slot, smaller ones first."""
        found = dict(self._pieces.get(slot, {}))
        if slot.endswith(OPTIONAL):
            found.update(self._pieces.get(slot.removesuffix(OPTIONAL), {}))
            return sorted(found.values(), key=render_key)
        found = {text: node for text, node in found.items() if node.kind is not Kind.OPTIONAL}
        if slot.startswith(TOKEN):
            wanted = slot.removeprefix(TOKEN)
            for pieces in self._pieces.values():
                for text, node in pieces.items():
                    if isinstance(node, Token) and node.symbol == wanted:
                        found.setdefault(text, node)
            return sorted(found.values(), key=render_key)
        for other, pieces in self._pieces.items():
            if other == slot:
                continue
            kinds: dict[tuple[Kind, str], bool] = {}
            for text, node in pieces.items():
                kind = (node.kind, node.symbol)
                if node.kind is Kind.OPTIONAL:
                    continue
                if kind not in kinds:
                    kinds[kind] = front.accepts(slot, node)
                if kinds[kind]:
                    found.setdefault(text, node)
        return sorted(found.values(), key=render_key)


def render_key(node: Node) -> tuple[int, bytes]:
    """Return what pieces are sorted by: smaller ones first."""
    return node.token_count, render((node,))


def corpus_texts(directory: Path, suffixes: Iterable[str]) -> Iterator[bytes]:
    """Yield the texts of a directory's files with one of these suffixes, in the order of names."""
    wanted = tuple(suffixes)
    left = _MOST_FILES
    for path in sorted(directory.rglob("*")):
        if path.name.endswith(wanted) and path.is_file() and not path.is_symlink():
            if path.stat().st_size > _MOST_BYTES:
                continue
            yield path.read_bytes()
            left -= 1
            if not left:
                return


def shipped_text(language: str) -> bytes | None:
    """Return the text that ships for a language, for its common forms."""
    path = Path(__file__).with_name("stocks") / f"{language}.txt"
    return path.read_bytes() if path.is_file() else None


def is_word(token: Token) -> bool:
    """Whether a token has other texts than its own: its kind is not its text."""
    return token.symbol.encode() != token.text and token.slot != SEPARATOR
