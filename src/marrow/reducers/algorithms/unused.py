"""Delete what a success has left without a use.

Late in a reduction, most deletable elements are declarations whose last use was just deleted.
Perses has tried them by then. It comes back to them in its next pass, and a success there makes it
ask about everything once more. So after each success the elements that introduce a name, and hold
all its remaining mentions, are deleted at once: together, then one by one. That may leave others
without a use, and so on.

It knows no language: a name is introduced where it is mentioned first. Guarantee: none by itself.
Worst case: three tests for each mention in the input, as an element is tried only when a name has
lost a mention. None of the papers has this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.streams.elements import delete_all
from marrow.reducers.streams.minimal_replacement import vanishes
from marrow.reducers.streams.stream import Done, Stream, attempt
from marrow.tree import ROOT, Place, Tree
from marrow.tree.names import names_of
from marrow.tree.node import spans_serial

_PHASE: Final = "deleting what is no longer used"


def delete_unused(before: Tree, after: Tree, done: Done) -> Stream | None:
    """Delete what is no longer used, now that a tree has become another."""
    places = tuple(dict.fromkeys(_left(before, after)))
    return _together(after, places, done) if places else done(after)


def _together(tree: Tree, places: tuple[Place, ...], done: Done) -> Stream:
    smaller = delete_all(tree, places) if len(places) > 1 else None
    if smaller is not None:
        yield attempt(smaller, _PHASE, delete_unused, tree, smaller, done)
    return _one_by_one(tree, places, done)


def _one_by_one(tree: Tree, places: tuple[Place, ...], done: Done) -> Stream:
    # From the back: later text uses earlier text more often than the other way round.
    for at in reversed(range(len(places))):
        if vanishes(tree, places[at]):
            smaller = tree.delete([places[at]])
            yield attempt(smaller, _PHASE, _after_one, tree, smaller, places[:at], done)
    return done(tree)


def _after_one(before: Tree, after: Tree, rest: tuple[Place, ...], done: Done) -> Stream | None:
    """Delete what an element leaves without a use, and then the rest of the elements."""
    return delete_unused(before, after, lambda tree: _one_by_one(tree, rest, done))


def _left(before: Tree, after: Tree) -> Iterator[Place]:
    """Yield the elements that hold all mentions of a name since others were deleted."""
    known = names_of(before).spans
    for name, (times, first, last) in names_of(after).spans.items():
        if name in known and times < known[name].times:
            element = _introducing(after, first, last)
            if element is not None:
                yield element


def _introducing(tree: Tree, first: int, last: int) -> Place | None:
    """Return the smallest element around the first mention of a name, if it holds the last too.

    A name that may go by itself, as that of a parameter or a structure, does not introduce it.
    """
    place, node = ROOT, tree.root
    element, inside = None, False
    while True:
        child = next((one for one in node.children if spans_serial(one, first)), None)
        if child is None or not child.children:
            return element if inside else None
        place, node = place.child(child.key), child
        if vanishes(tree, place):
            element, inside = place, spans_serial(node, last)
