"""Which nodes introduce a name that is used behind them: what is needed as long as its uses are.

No language is known: a name is introduced where it is mentioned first, which is where it is
declared in languages in which declarations come first, and for local names in most others.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from marrow.tree import FOREIGN, Node, Tree
from marrow.tree.token_spelling import is_name


class Uses:
    """The first and the last mention of every name of a tree."""

    def __init__(self, tree: Tree) -> None:
        mentions: dict[bytes, tuple[int, int]] = {}
        for token in tree.tokens():
            if token.serial != FOREIGN and is_name(token):
                first, last = mentions.get(token.text, (token.serial, token.serial))
                mentions[token.text] = min(first, token.serial), max(last, token.serial)
        pairs = sorted(mentions.values())
        self._first: Final = [first for first, _ in pairs]
        self._latest: Final = _RangeMaximum([last for _, last in pairs])

    def behind(self, node: Node) -> bool:
        """Whether a name that is mentioned first in a node is mentioned behind it too."""
        first, last = node.first, node.last
        if first is None or last is None:
            return False
        start = bisect_left(self._first, first.serial)
        end = bisect_right(self._first, last.serial)
        return start < end and self._latest.of(start, end) > last.serial


#: What is found out about larger trees is not kept for many of them: it takes too much memory.
MOST_REMEMBERED: Final = 10_000

# A batch asks again and again about the trees it works on, see `types`.
_of_small: Final = lru_cache(maxsize=16)(Uses)
_of_large: Final = lru_cache(maxsize=2)(Uses)


def uses_of(tree: Tree) -> Uses:
    """Find the uses of the names of a tree."""
    return _of_large(tree) if tree.token_count > MOST_REMEMBERED else _of_small(tree)


class _RangeMaximum:
    """The largest of any range of some numbers, in constant time: maxima of powers of two."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self._rows: Final = [list(numbers)]
        width = 1
        while 2 * width <= len(numbers):
            row = self._rows[-1]
            self._rows.append([max(row[at], row[at + width]) for at in range(len(row) - width)])
            width *= 2

    def of(self, start: int, end: int) -> int:
        """Return the largest from start up to, not including, end."""
        power = (end - start).bit_length() - 1
        row = self._rows[power]
        return max(row[start], row[end - (1 << power)])
