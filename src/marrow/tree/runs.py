"""Runs of neighbouring children that an edit exchanges for others, and the node that results."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from marrow.tree.node import SEPARATOR, Branch, Extent, Node, measure


@dataclass(frozen=True, slots=True)
class Exchange:
    """Neighbouring children `start` to `end` of an old node, and what replaces them."""

    start: int
    end: int
    now: Sequence[Node]


_start = attrgetter("start")


def covered(index: int, runs: Sequence[Exchange]) -> bool:
    """Whether a child is in one of these runs, which are in order."""
    at = bisect_right(runs, index, key=_start) - 1
    return at >= 0 and index < runs[at].end


def deletions(node: Branch, doomed: set[int]) -> list[Exchange]:
    """Return the runs of children that go when these elements go, separators with them.

    Between two elements that stay there remains the run of separators before the second; the
    separators before the first element and after the last stay as long as an element does.
    """
    children = node.children
    runs = []
    order = sorted(doomed)
    position = 0
    while position < len(order):
        start = order[position]
        end = start + 1
        position += 1
        while True:
            following = end
            while following < len(children) and children[following].slot == SEPARATOR:
                following += 1
            if position < len(order) and order[position] == following:
                end = following + 1
                position += 1
            else:
                break
        left = start
        while left > 0 and children[left - 1].slot == SEPARATOR:
            left -= 1
        if left > 0:
            runs.append(Exchange(left, end, ()))
        elif following < len(children):
            runs.append(Exchange(start, following, ()))
        else:
            runs.append(Exchange(0, len(children), ()))
    return runs


def exchanged(old: Branch, runs: Sequence[Exchange]) -> Branch:
    """Return a node with some runs of its children, which are in order, exchanged."""
    children = old.children
    if len(runs) == 1:
        run = runs[0]
        changed = children[: run.start] + tuple(run.now) + children[run.end :]
    else:
        longer = list(children)
        for run in reversed(runs):
            longer[run.start : run.end] = run.now
        changed = tuple(longer)
    extent = _remeasured(old, runs)
    known = old.known_starts
    if extent is None or known is None:
        return old.with_children(changed, extent)
    return old.with_children(changed, extent, _starts(old, known, runs, extent.length))


# Below this many children, measuring them all again is cheaper than finding out what changed.
_FEW: Final = 12


@dataclass(slots=True)
class _Window:
    """Runs with no token left between them, and the children with tokens on both sides of them.

    `left` and `right` are positions of old children; -1 and the number of children where there is
    none.
    """

    left: int
    right: int
    now: list[Node]


def _windows(before: Sequence[Node], runs: Sequence[Exchange]) -> list[_Window]:
    windows = []
    index = 0
    while index < len(runs):
        run = runs[index]
        left = run.start - 1
        while left >= 0 and before[left].first is None:
            left -= 1
        now: list[Node] = [*run.now]
        end = run.end
        while True:
            right = end
            limit = runs[index + 1].start if index + 1 < len(runs) else len(before)
            while right < limit and before[right].first is None:
                right += 1
            if right < limit or index + 1 == len(runs):
                break
            index += 1
            now.extend(runs[index].now)
            end = runs[index].end
        windows.append(_Window(left, right, now))
        index += 1
    return windows


def _remeasured(old: Branch, runs: Sequence[Exchange]) -> Extent | None:
    """Return the new extent of a long list from the old one and what changed, else None."""
    before = old.children
    if len(before) <= _FEW:
        return None
    tokens, length, first, last = old.extent
    for window in _windows(before, runs):
        left, right = window.left, window.right
        was = measure(before[max(left, 0) : right + 1])
        lead = before[left : left + 1] if left >= 0 else ()
        now = measure((*lead, *window.now, *before[right : right + 1]))
        tokens += now.tokens - was.tokens
        length += now.length - was.length
        if left < 0:
            first = now.first
        if right >= len(before):
            last = now.last
    return Extent(tokens, length, first, last)


def _starts(
    old: Branch, starts: tuple[int, ...], runs: Sequence[Exchange], length: int
) -> tuple[int, ...] | None:
    """Return where the children of a long list start after one run was exchanged for nothing."""
    if len(runs) != 1 or runs[0].now:
        return None
    run = runs[0]
    rest = starts[run.end :]
    if rest and old.children[run.end].first is None:
        return None  # an empty child starts where the text before it ends
    # All that follows moves by as much as the list got shorter.
    removed = old.length - length
    return starts[: run.start] + tuple([start - removed for start in rest])
