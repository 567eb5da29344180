"""Leftovers: what a success has left without a use goes next.

Most of what can go late in a reduction are declarations whose last use has just gone. A pass from
the largest node down has been there already, and would come back in its next round, when a success
means that all else has to be asked once more. So after each success the elements that introduce a
name, and hold all mentions that are left of it, are deleted at once: together, then one by one.
What goes may leave others without a use, and so on.

Nothing of the language is known: a name is introduced where it is mentioned first (as in
`marrow.learn.uses`). Guarantee: none alone. Worst case: two tests for each name of the input, as an
element comes here only when a name has lost its last mention outside of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial

from marrow.reduce.attempt import Attempt, Done, Stream
from marrow.reduce.phi import vanishes
from marrow.tree import Kind, Place, Token, Tree
from marrow.tree.spelling import is_name

_PHASE = "deleting what is no longer used"


def leftovers(before: Tree, after: Tree, done: Done) -> Stream | None:
    """Delete what is no longer used since a tree has become another."""
    places = _left(before, after)
    return _together(after, places, done) if places else done(after)


def _together(tree: Tree, places: Sequence[Place], done: Done) -> Stream:
    if len(places) > 1:
        smaller = tree.delete(_spare(tree, places))
        yield Attempt(smaller, partial(leftovers, tree, smaller, done), _PHASE)
    return _one_by_one(tree, places, done)


def _one_by_one(tree: Tree, places: Sequence[Place], done: Done) -> Stream:
    # The later in the text uses the earlier more often than the reverse.
    for at in reversed(range(len(places))):
        if vanishes(tree, places[at]):
            smaller = tree.delete([places[at]])
            rest = partial(_one_by_one, places=places[:at], done=done)
            yield Attempt(smaller, partial(leftovers, tree, smaller, rest), _PHASE)
    return done(tree)


def _left(before: Tree, after: Tree) -> list[Place]:
    """Return the elements that hold all mentions of a name since others have gone."""
    counts = {name: len(places) for name, places in _mentions(before).items()}
    found: dict[Place, None] = {}
    for name, places in _mentions(after).items():
        if len(places) < counts.get(name, 0):
            element = _element(after, places[0])
            if element is not None and all(_inside(place, element) for place in places[1:]):
                found[element] = None
    return [place for place in found if not any(_inside(place, other) for other in found if other is not place)]


@lru_cache(maxsize=4)
def _mentions(tree: Tree) -> dict[bytes, list[Place]]:
    found: dict[bytes, list[Place]] = {}
    for place, node in tree.walk():
        if isinstance(node, Token) and is_name(node):
            found.setdefault(node.text, []).append(place)
    return found


def _element(tree: Tree, place: Place) -> Place | None:
    # A name that may be left out, of a parameter or a structure, is not what introduces it.
    step = place.parent
    while step is not None and not vanishes(tree, step):
        step = step.parent
    return step


def _inside(place: Place, element: Place) -> bool:
    step: Place | None = place
    while step is not None and step.depth > element.depth:
        step = step.parent
    return step == element


def _spare(tree: Tree, places: Sequence[Place]) -> list[Place]:
    doomed: dict[Place, list[Place]] = {}
    for place in places:
        if place.parent is not None:
            doomed.setdefault(place.parent, []).append(place)
    kept = []
    for parent, some in doomed.items():
        above = tree.at(parent)
        if above is not None and above.kind is Kind.PLUS and len(some) >= len(above.elements):
            some = some[1:]
        kept += some
    return kept
