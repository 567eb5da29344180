"""The layout of a text's tokens: offsets and the gaps between them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from marrow.grammar.parser.lexer import Lexemes
from marrow.tree import Branch, Kind, Token, Tree

_LINE_START: Final = re.compile(rb"^[ \t]*", re.MULTILINE)

#: What a token is made of besides its place in the tree.
Leaf: TypeAlias = tuple[bytes, bytes, bytes, bytes, int]


class Layout:
    """The bytes of a text's tokens, the gaps between them, and the indentation of their lines."""

    def __init__(self, data: bytes, lexemes: Lexemes, encoding: str = "utf-8") -> None:
        starts, ends = lexemes.starts, lexemes.ends
        if len(data) != len(lexemes.text):
            starts, ends = _byte_offsets(lexemes, encoding)
        self.data: Final = data
        self.starts: Final = starts
        self.ends: Final = ends
        self.glue: Final = lexemes.glue
        self._lines: Final = [(m.start(), m.group()) for m in _LINE_START.finditer(data)]

    def indents(self) -> list[bytes]:
        """Return the indentation of the line that each token starts on."""
        lines = self._lines
        found = []
        line = 0
        following = lines[1][0] if len(lines) > 1 else len(self.data) + 1
        indent = lines[0][1]
        for start in self.starts:
            while start >= following:
                line += 1
                indent = lines[line][1]
                following = lines[line + 1][0] if line + 1 < len(lines) else len(self.data) + 1
            found.append(indent)
        return found

    def gaps(self) -> list[bytes]:
        """Return the gap before each token, and the one after the last."""
        data = self.data
        before = [0, *self.ends]
        after = [*self.starts, len(data)]
        return [data[a:b] for a, b in zip(before, after, strict=True)]

    def leaves(self, gaps: list[bytes]) -> Iterator[Leaf]:
        """Return what each token is made of: text, gaps before and after, indentation, glue."""
        data = self.data
        texts = [data[a:b] for a, b in zip(self.starts, self.ends, strict=True)]
        glue = self.glue if isinstance(self.glue, list) else [self.glue] * len(texts)
        return zip(texts, gaps[:-1], gaps[1:], self.indents(), glue, strict=True)


def _byte_offsets(lexemes: Lexemes, encoding: str) -> tuple[list[int], list[int]]:
    """Turn offsets in characters into offsets in bytes."""
    starts, ends = [], []
    text = lexemes.text
    characters = size = 0
    for start, end in zip(lexemes.starts, lexemes.ends, strict=True):
        size += len(text[characters:start].encode(encoding, "surrogateescape"))
        starts.append(size)
        size += len(text[start:end].encode(encoding, "surrogateescape"))
        ends.append(size)
        characters = end
    return starts, ends


def flat_tree(symbols: Sequence[str], layout: Layout) -> Tree:
    """Return a tree that is nothing but a list of tokens."""
    gaps = layout.gaps()
    tokens = [
        Token(
            symbol,
            text,
            slot="tokens",
            key=serial,
            before=before,
            after=after,
            serial=serial,
            indent=indent,
            glue=glue,
        )
        for serial, (symbol, (text, before, after, indent, glue)) in enumerate(
            zip(symbols, layout.leaves(gaps), strict=True)
        )
    ]
    return Tree(Branch(Kind.STAR, "tokens", tokens, slot="tokens"), gaps[0], gaps[-1])
