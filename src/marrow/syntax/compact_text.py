"""Compact text that is sure to be read as the same tokens.

Characters alone do not tell which gaps a language needs: `a .b` and `a.b` differ in CSS, `f (x)`
and `f(x)` in Ruby. So the text is made compact and read again. If it reads differently, gaps come
back between tokens of the kinds that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
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

    The result has the same tokens and the same structure as the tree's text. Line breaks stay but
    for those before `}`; `lines=False` drops all that do not matter.
    """
    tokens = list(tree.tokens())
    gaps = [
        Gap(
            (left.symbol, right.symbol),
            joint(left, right),
            _least(left, right, compact_joint(left, right, lines=lines and right.text != b"}")),
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
    expected: list[Reading] = []

    def rendered(allowed: Set[Hashable]) -> bytes:
        if not tokens:
            return b""
        parts = [head, tokens[0].text]
        for gap, token in zip(gaps, tokens[1:], strict=True):
            parts += (gap.new if gap.kind in allowed else gap.old, token.text)
        return b"".join((*parts, tail))

    def same(other: bytes) -> bool:
        if not expected:
            expected.extend(read(text))
        return all(map(eq, read(other), expected))

    allowed: set[Hashable] = set()
    # Halves of the kinds, each tried on top of those known to change nothing.
    stack = [sorted({gap.kind for gap in gaps if gap.old != gap.new}, key=repr)]
    readings = 0
    while stack and readings < _MOST_READINGS:
        some = stack.pop()
        readings += bool(some)
        if not some or same(rendered(allowed | set(some))):
            allowed.update(some)
        elif len(some) > 1:
            middle = len(some) // 2
            stack += [some[middle:], some[:middle]]
    found = rendered(allowed)
    return found if allowed or same(found) else text


def _least(left: Token, right: Token, gap: bytes) -> bytes:
    """Drop a space that is only there to be safe; the parser is asked about it."""
    words = left.text[-1:].isalnum() and right.text[:1].isalnum()
    return b"" if gap == b" " and not words else gap
