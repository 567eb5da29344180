"""Deletable elements: the ladder of them above a token, and deleting many at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from marrow.reducers.streams.minimal_replacement import vanishes
from marrow.tree import QUANTIFIED, SEPARATOR, Kind, Place, Tree


def ladder(tree: Tree, place: Place) -> list[Place]:
    """Return the places at and above a place whose nodes may be deleted, innermost first."""
    return [step for step in place.upwards() if vanishes(tree, step)]


def rung(tree: Tree, place: Place, level: int | None) -> Place | None:
    """Return the deletable place on a level above a place: the innermost is level 0.

    Where there are fewer, or for None, it is the outermost; None if there is none.
    """
    rungs = ladder(tree, place)
    if not rungs:
        return None
    return rungs[-1 if level is None else min(level, len(rungs) - 1)]


def elements_above(tree: Tree, places: Iterable[Place], level: int) -> frozenset[Place]:
    """Return the deletable places on one level above some places."""
    found = (rung(tree, place, level) for place in places)
    return frozenset(one for one in found if one is not None)


def delete_all(tree: Tree, places: Iterable[Place]) -> Tree | None:
    """Delete nodes together; a plus that would lose all its elements goes with what holds it.

    None if that leads up to the root.
    """
    doomed = set(places)
    while True:
        emptied = _emptied(tree, doomed)
        if not emptied:
            break
        for plus in emptied:
            above = next(iter(ladder(tree, plus)), None)
            if above is None:
                return None
            doomed = {place for place in doomed if place.parent != plus} | {above}
    return tree.delete(doomed) if doomed else None


def _emptied(tree: Tree, doomed: set[Place]) -> list[Place]:
    """Return the plus nodes all of whose elements should go."""
    by_parent = Counter(place.parent for place in doomed if place.parent is not None)
    emptied = []
    for parent, count in by_parent.items():
        node = tree.at(parent)
        if node is not None and node.kind is Kind.PLUS and count >= len(node.elements):
            emptied.append(parent)
    return emptied


def listed(tree: Tree) -> list[list[Place]]:
    """Return the deletable elements of every list or optional of a tree, in textual order."""
    return [
        [place.child(one.key) for one in node.children if one.slot != SEPARATOR and one.token_count]
        for place, node in tree.walk()
        if node.kind in QUANTIFIED
    ]
