"""Compact text that is sure to be read as the same tokens.

Characters alone do not tell which gaps a language needs: `a .b` and `a.b` differ in CSS, `f (x)`
and `f(x)` in Ruby. So the text is made compact and read again. If it reads differently, gaps come
back between tokens of the kinds that need them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import eq
from typing import Final, TypeAlias

from marrow.tree import Glue, Token, Tree
from marrow.tree.layout import compact_joint, joint

# After so many readings the remaining gaps stay as they are. Finding one kind of gap that matters
# takes about as many readings as the number of kinds has binary digits (up to 8 in the files
# measured), and one file had up to 8 such kinds.
_MOST_READINGS: Final = 64

_Kind: TypeAlias = tuple[str, str]

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


def compact_text(read: Read, tree: Tree, *, lines: bool = True) -> bytes:
    """Return the text without comments and with as little white space as the language allows.

    The result has the same tokens and the same structure as the tree's text. `lines=False` drops
    line breaks too, where they do not matter.
    """
    return _Compactor(read, tree, lines=lines).run()


class _Compactor:
    def __init__(self, read: Read, tree: Tree, *, lines: bool) -> None:
        self._read: Final = read
        self._text: Final = tree.text
        self._tokens: Final = list(tree.tokens())
        self._end: Final = b"\n" if b"\n" in tree.tail else b""
        self._gaps: Final[list[tuple[_Kind, bytes, bytes]]] = []
        for left, right in zip(self._tokens, self._tokens[1:], strict=False):
            short = _least(left, right, compact_joint(left, right, lines=lines))
            self._gaps.append((_kind(left, right), joint(left, right), short))
        self._readings = 0
        self._expected: list[Reading] | None = None

    def run(self) -> bytes:
        kinds = sorted({kind for kind, long, short in self._gaps if long != short})
        allowed: set[_Kind] = set()
        # Halves of the kinds, each tried on top of those known to need no gap.
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

    def _render(self, allowed: set[_Kind]) -> bytes:
        if not self._tokens:
            return b""
        parts = [self._tokens[0].text]
        for (kind, long, short), token in zip(self._gaps, self._tokens[1:], strict=True):
            parts += (short if kind in allowed else long, token.text)
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


def _kind(left: Token, right: Token) -> _Kind:
    return left.symbol, right.symbol
