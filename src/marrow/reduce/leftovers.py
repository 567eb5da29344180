"""Leftovers: what a success has left without a use goes next.

Most of what can go late in a reduction are declarations whose last use has just gone. Perses has
tried them by then, and comes back in its next pass, when a success means that all else has to be
asked once more. So after each success the elements that introduce a name, and hold all mentions
that are left of it, are deleted at once: together, then one by one. What goes may leave others
without a use, and so on.

Nothing of the language is known: a name is introduced where it is mentioned first. Guarantee: none
alone. Worst case: three tests for each mention in the input, as an element comes here only when a
name has lost a mention. None of the papers has this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from marrow.reduce.attempt import Attempt, Done, Stream
from marrow.reduce.passes.elements import delete_all, ladder
from marrow.reduce.passes.words import names_of
from marrow.reduce.phi import vanishes
from marrow.tree import Place, Tree

_PHASE: Final = "deleting what is no longer used"


def leftovers(before: Tree, after: Tree, done: Done) -> Stream | None:
    """Delete what is no longer used since a tree has become another."""
    places = tuple(dict.fromkeys(_left(before, after)))
    return _together(after, places, done) if places else done(after)


def _together(tree: Tree, places: tuple[Place, ...], done: Done) -> Stream:
    smaller = delete_all(tree, places) if len(places) > 1 else None
    if smaller is not None:
        yield Attempt(smaller, partial(leftovers, tree, smaller, done), _PHASE)
    return _one_by_one(places, done, tree)


def _one_by_one(places: tuple[Place, ...], done: Done, tree: Tree) -> Stream:
    # From the back: the later in the text more often uses the earlier than the reverse.
    for at in reversed(range(len(places))):
        if vanishes(tree, places[at]):
            smaller = tree.delete([places[at]])
            rest = partial(_one_by_one, places[:at], done)
            yield Attempt(smaller, partial(leftovers, tree, smaller, rest), _PHASE)
    return done(tree)


def _left(before: Tree, after: Tree) -> Iterator[Place]:
    """Yield the elements that hold all mentions of a name since others have gone."""
    known = names_of(before).places
    for name, places in names_of(after).places.items():
        if len(places) < len(known.get(name, ())):
            element = _introducing(after, places[0])
            if element is not None and _all_inside(places, element):
                yield element


def _introducing(tree: Tree, mention: Place) -> Place | None:
    """Return the smallest element around the first mention of a name.

    A name that may go alone, that of a parameter or a structure, is not what introduces it.
    """
    above = mention.parent
    return None if above is None else next(iter(ladder(tree, above)), None)


def _all_inside(places: Sequence[Place], element: Place) -> bool:
    return all(place.way_from({element})[0] is not None for place in places)
