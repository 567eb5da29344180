"""Deltas from one text to the next, small where little changed.

Made for reductions, where a text is the one before it without some pieces. The pieces are found by
looking where the new text continues in the old one. A delta is always right, but not always the
shortest.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

# When two texts continue alike: this many bytes agree, within this many (None: anywhere) of the old
# text, in the order of trying. In a text that repeats itself only several lines together tell which
# piece was removed: the most bytes come first. Few bytes agree by chance: they count near by only.
# Most pieces are smaller than a page, so the whole text is searched last.
_LEFT_OUT: Final = ((256, 4096), (64, 4096), (24, 4096), (256, None), (64, None))
_REPLACED: Final = ((24, 512), (8, 512))
# How many new bytes a replaced piece may have before lines are compared: names and numbers that a
# pass puts in are shorter.
_NEAR: Final = 64
# How many bytes are searched at most in searches of the whole text. It keeps a delta of texts with
# little in common below a second or so; the rest counts as replaced.
_MOST_SEARCHED: Final = 1 << 29


@dataclass(frozen=True, slots=True)
class Change:
    """The bytes from `start` to `end` of the old text become `new`."""

    start: int
    end: int
    new: bytes


Delta: TypeAlias = tuple[Change, ...]


def changed_region(before: bytes, after: bytes) -> tuple[int, int, int]:
    """Return the start of the difference of two texts, and its end in each of them."""
    shortest = min(len(before), len(after))
    start = _agreement(shortest, lambda n: before[:n] == after[:n])
    rest = shortest - start
    same = _agreement(rest, lambda n: before[len(before) - n :] == after[len(after) - n :])
    return start, len(before) - same, len(after) - same


def _agreement(most: int, agrees: Callable[[int], bool]) -> int:
    """Return the greatest length up to `most` for which `agrees` holds, by bisection."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if agrees(middle):
            low = middle
        else:
            high = middle - 1
    return low


def delta(before: bytes, after: bytes) -> Delta:
    """Return the changes that lead from one text to another, from front to back."""
    start, end_before, end_after = changed_region(before, after)
    search = _Search(before, after, end_before, end_after)
    at, new = start, start
    changes = []
    while at < end_before or new < end_after:
        same = _run(before, at, after, new, min(end_before - at, end_after - new))
        at, new = at + same, new + same
        if at == end_before and new == end_after:
            break
        then_at, then_new = search.next(at, new)
        changes.append(Change(at, then_at, after[new:then_new]))
        at, new = then_at, then_new
    return tuple(changes)


def _run(before: bytes, at: int, after: bytes, new: int, most: int) -> int:
    """Return the number of bytes that agree from two places on; a short run is cheap."""
    reach = min(_NEAR, most)
    while reach < most and before[at : at + reach] == after[new : new + reach]:
        reach = min(2 * reach, most)
    return _agreement(reach, lambda n: before[at : at + n] == after[new : new + n])


@dataclass(slots=True)
class _Search:
    """Looks for places from which two texts continue alike."""

    before: bytes
    after: bytes
    end_before: int
    end_after: int
    left: int = _MOST_SEARCHED

    def next(self, at: int, new: int) -> tuple[int, int]:
        """Return the next such place in both texts; the end, if there is none."""
        if at == self.end_before or new == self.end_after:
            return self.end_before, self.end_after
        for place, anchor, reach in self._places(new):
            there = self._look(at, place, anchor, reach)
            if there is not None:
                return there, place
        return self.end_before, self.end_after

    def _places(self, new: int) -> Iterator[tuple[int, int, int | None]]:
        """Yield where to look from: here, after a short piece that is new, after each line."""
        yield from ((new, anchor, reach) for anchor, reach in _LEFT_OUT)
        for anchor, reach in _REPLACED:
            for place in range(new + 1, min(new + _NEAR, self.end_after) + 1):
                yield place, anchor, reach
        anchor, _ = _REPLACED[0]
        while self.left > 0 and (line := self.after.find(b"\n", new, self.end_after)) >= 0:
            new = line + 1
            yield new, anchor, None

    def _look(self, at: int, new: int, anchor: int, reach: int | None) -> int | None:
        # The texts agree after both ends: an anchor may reach into that.
        end = self.end_before + anchor
        if reach is not None:
            end = min(end, at + reach + anchor)
        elif self.left <= 0:
            return None
        there = self.before.find(self.after[new : new + anchor], at, end)
        if reach is None:
            self.left -= (end if there < 0 else there) - at
        return there if 0 <= there <= self.end_before else None


def apply(changes: Sequence[Change], before: bytes) -> bytes:
    """Return a text with a delta applied."""
    pieces = []
    at = 0
    for change in changes:
        pieces += [before[at : change.start], change.new]
        at = change.end
    return b"".join([*pieces, before[at:]])


def pack(changes: Delta) -> bytes:
    """Return a delta in its stored form: a line with numbers, the new bytes, all compressed."""
    numbers = [[change.start, change.end, len(change.new)] for change in changes]
    line = json.dumps(numbers, separators=(",", ":")).encode()
    return zlib.compress(line + b"\n" + b"".join(change.new for change in changes))


def unpack(stored: bytes) -> Delta:
    """Return a delta from its stored form."""
    line, _, content = zlib.decompress(stored).partition(b"\n")
    changes = []
    at = 0
    for start, end, length in json.loads(line):
        changes.append(Change(start, end, content[at : at + length]))
        at += length
    return tuple(changes)
