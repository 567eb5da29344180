"""Runs of neighbouring children that an edit exchanges for others, and the node that results."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from marrow.tree.node import SEPARATOR, Branch, Node


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
    return old.with_children(changed)
