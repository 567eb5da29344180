"""Introductions: which names a range of a text introduces, and whether they are used behind it.

A name is introduced where it is mentioned first. Positions are numbers that grow along the text:
those of tokens, or of bytes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import Final


class Introductions:
    """The names of a text by where they are introduced."""

    def __init__(self, spans: Mapping[bytes, tuple[int, int]]) -> None:
        """`spans` has the positions of the first and the last mention of each name."""
        ordered = sorted((*span, name) for name, span in spans.items())
        self._names: Final = [name for _, _, name in ordered]
        self._firsts: Final = [first for first, _, _ in ordered]
        self._lasts: Final = _RangeMaximum([last for _, last, _ in ordered])

    def inside(self, first: int, last: int) -> frozenset[bytes]:
        """Return the names that are introduced from one position to another, both included."""
        return frozenset(self._names[slice(*self._range(first, last))])

    def used_behind(self, first: int, last: int) -> bool:
        """Return whether a name that is introduced there is mentioned behind it too."""
        start, end = self._range(first, last)
        return start < end and self._lasts.of(start, end) > last

    def _range(self, first: int, last: int) -> tuple[int, int]:
        return bisect_left(self._firsts, first), bisect_right(self._firsts, last)


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
