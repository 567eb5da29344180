"""Sets of characters as sorted, disjoint, inclusive ranges of code points."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, TypeAlias

from marrow.grammar.model.rules import LAST_CHARACTER

Ranges: TypeAlias = tuple[tuple[int, int], ...]

#: Every character there is.
ANY_CHARACTER: Final[Ranges] = ((0, LAST_CHARACTER),)


def normalised(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort ranges and merge those that overlap or touch."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if first > last:
            continue
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return every character that is not in the set."""
    found: list[tuple[int, int]] = []
    following = 0
    for first, last in normalised(ranges):
        if following < first:
            found.append((following, first - 1))
        following = last + 1
    if following <= LAST_CHARACTER:
        found.append((following, LAST_CHARACTER))
    return tuple(found)


def intersection(one: Ranges, other: Ranges) -> Ranges:
    """Return the characters that are in both sets."""
    return complement((*complement(one), *complement(other)))


def size(ranges: Ranges) -> int:
    """Return the number of characters in a set."""
    return sum(last - first + 1 for first, last in ranges)


def other_cases(character: str) -> frozenset[str]:
    """Return the single characters that differ from a character only in their case."""
    found = {character.lower(), character.upper()}
    return frozenset(one for one in found if len(one) == 1 and one != character)


#: Unicode has no characters with case beyond the second plane (the last ones are Adlam's, 1E943).
_AFTER_CASED: Final = 0x20000


@lru_cache(maxsize=1)
def _case_pairs() -> tuple[tuple[int, int], ...]:
    """List (character, the same in another case) over all characters that have one."""
    return tuple(
        (code, ord(other))
        for code in range(_AFTER_CASED)
        if (character := chr(code)).lower() != character or character.upper() != character
        for other in other_cases(character)
    )


def any_case(ranges: Ranges) -> Ranges:
    """Add to a set the other cases of its characters."""
    if not ranges:
        return ranges
    if size(ranges) <= 1000:  # few enough to ask one by one; the table of all pairs takes a while
        extra = [
            (ord(other), ord(other))
            for first, last in ranges
            for code in range(first, last + 1)
            for other in other_cases(chr(code))
        ]
        return normalised((*ranges, *extra))
    found: list[tuple[int, int]] = list(ranges)
    place = 0
    for code, other in _case_pairs():
        while place < len(ranges) and ranges[place][1] < code:
            place += 1
        if place < len(ranges) and ranges[place][0] <= code:
            found.append((other, other))
    return normalised(found)
