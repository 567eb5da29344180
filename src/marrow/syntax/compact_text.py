"""Compact text that is sure to be read as the same tokens.

Characters alone do not tell which gaps a language needs: `a .b` and `a.b` differ in CSS, `f (x)`
and `f(x)` in Ruby. So the text is made compact and read again. If it reads differently, gaps come
back between tokens of the kinds that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import eq
from typing import Final, TypeAlias

from marrow.tree import Glue, Token, Tree
from marrow.tree.layout import compact_joint, first_line_break, joint

# After so many readings the remaining gaps stay as they are. Finding one kind of gap that matters
# takes about as many readings as the number of kinds has binary digits (up to 8 in the files
# measured), and one file had up to 8 such kinds.
_MOST_READINGS: Final = 64

#: One aspect of a text that can be compared: its tokens, or its structure.
Reading: TypeAlias = Sequence[object]

#: Reads a text; the cheapest aspect comes first.
Read: TypeAlias = Callable[[bytes], Iterator[Reading]]


def joined_tokens(pieces: Iterable[tuple[bytes, int]]) -> list[bytes]:
    """Return the texts of tokens, joined where tokens must touch.

    So a string counts as one, even with code in it.
    """
    texts: list[bytes] = []
    touching = False
    for text, glue in pieces:
        if texts and (touching or glue & Glue.BEFORE):
            texts[-1] += text
        else:
            texts.append(text)
        touching = bool(glue & Glue.AFTER)
    return texts


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap between two tokens, what may replace it, and the kind of the gap."""

    kind: Hashable
    old: bytes
    new: bytes


def compact_text(read: Read, tree: Tree, *, lines: bool = True) -> bytes:
    """Return the text without comments and with as little white space as the language allows.

    The result has the same tokens and the same structure as the tree's text. `lines=False` drops
    line breaks too, where they do not matter.
    """
    tokens = list(tree.tokens())
    gaps = [
        Gap(
            (left.symbol, right.symbol),
            joint(left, right),
            _least(left, right, compact_joint(left, right, lines=lines)),
        )
        for left, right in pairwise(tokens)
    ]
    return with_gaps(read, tree.text, tokens, gaps, b"", first_line_break(tree.tail))


def with_gaps(
    read: Read,
    text: bytes,
    tokens: Sequence[Token],
    gaps: Sequence[Gap],
    head: bytes,
    tail: bytes,
) -> bytes:
    """Return a text with new gaps between its tokens, but for those that change what is read."""
    return _NewGaps(read, text, tokens, gaps, head, tail).run()


class _NewGaps:
    def __init__(
        self,
        read: Read,
        text: bytes,
        tokens: Sequence[Token],
        gaps: Sequence[Gap],
        head: bytes,
        tail: bytes,
    ) -> None:
        self._read: Final = read
        self._text: Final = text
        self._tokens: Final = tokens
        self._head: Final = head
        self._end: Final = tail
        self._gaps: Final = gaps
        self._readings = 0
        self._expected: list[Reading] | None = None

    def run(self) -> bytes:
        kinds = sorted({gap.kind for gap in self._gaps if gap.old != gap.new}, key=repr)
        allowed: set[Hashable] = set()
        # Halves of the kinds, each tried on top of those known to change nothing.
        stack = [kinds]
        while stack and self._readings < _MOST_READINGS:
            some = stack.pop()
            if not some or self._same(self._render(allowed | set(some))):
                allowed.update(some)
            elif len(some) > 1:
                middle = len(some) // 2
                stack += [some[middle:], some[:middle]]
        text = self._render(allowed)
        return text if allowed or self._same(text) else self._text

    def _render(self, allowed: set[Hashable]) -> bytes:
        if not self._tokens:
            return b""
        parts = [self._head, self._tokens[0].text]
        for gap, token in zip(self._gaps, self._tokens[1:], strict=True):
            parts += (gap.new if gap.kind in allowed else gap.old, token.text)
        parts.append(self._end)
        return b"".join(parts)

    def _same(self, text: bytes) -> bool:
        self._readings += 1
        if self._expected is None:
            self._expected = list(self._read(self._text))
        return all(map(eq, self._read(text), self._expected))


def _least(left: Token, right: Token, gap: bytes) -> bytes:
    """Drop a space that is only there to be safe; the parser is asked about it."""
    words = left.text[-1:].isalnum() and right.text[:1].isalnum()
    return b"" if gap == b" " and not words else gap
