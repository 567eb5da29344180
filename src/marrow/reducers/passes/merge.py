"""Merge names: with fewer names, more of what they name can be deleted.

For every pair of names of the same kind, one becomes the other everywhere and its definition is
deleted; if that fails, it only becomes the other, if that one is smaller. The pass `identifiers` is
Vulcan's identifier replacement (Xu, Tian, Zhang, Zhao, Jiang, Sun, "Pushing the Limit of
1-Minimality of Language-Agnostic Program Reduction", OOPSLA 2023): single mentions become other
names of the tree.

Departure from Vulcan: a mention only becomes a smaller name (shorter, or of the same length and
earlier in the alphabet), so every step decreases the total order and the pass ends. Guarantee: none
by itself. Worst case of a pass: O(names² + mentions × names) tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.elements import ladder
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ChangeText, Delete, Edit, Place, Token, Tree
from marrow.tree.names import NameIndex, names_of
from marrow.tree.order import smaller_text

# How many other names are tried for a name or mention: the nearest before it. They are more
# often of the same scope than those further away.
_NEAREST: Final = 6


def merge(context: PassContext) -> Reducer:
    """Return the pass that makes one name of two, unless names are to be kept."""

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.keep_names:
            return done(tree)
        names = names_of(tree)
        pairs = [
            (name, other)
            for name in names.places
            for other in _others(names, name, thorough=context.options.thorough)
        ]
        return sweep(tree, pairs, _merged, done, "merging names")

    return run


def _others(names: NameIndex, name: bytes, *, thorough: bool) -> list[bytes]:
    """Return the names of the same kind, those before it first, nearest first."""
    order = [one for one in names.places if names.kinds[one] & names.kinds[name]]
    at = order.index(name)
    near = order[at - 1 :: -1] if at else []
    near += order[at + 1 :]
    return near if thorough else near[:_NEAREST]


def _merged(tree: Tree, pair: tuple[bytes, bytes]) -> Iterator[Tree]:
    """Yield the trees in which the first name becomes the other one."""
    name, other = pair
    names = names_of(tree).places
    places = names.get(name, ())
    if not places or other not in names:
        return
    renamed: list[Edit] = [ChangeText(place, other) for place in places]
    rungs = ladder(tree, places[0])
    if rungs and len(places) > 1:
        yield tree.edit([*renamed, Delete(rungs[0])])
    if smaller_text(other, name):
        yield tree.edit(renamed)


def identifiers(context: PassContext) -> Reducer:
    """Return the pass that replaces single mentions of a name by smaller names.

    It does nothing if names are to be kept.
    """
    thorough = context.options.thorough

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.keep_names:
            return done(tree)
        # A name that had to stay in many of its mentions is left alone in the rest.
        named = {place: name for name, some in names_of(tree).places.items() for place in some}
        return sweep(tree, list(named), candidates, done, "replacing identifiers", sort=named.get)

    def candidates(tree: Tree, place: Place) -> Iterator[Tree]:
        token = tree.at(place)
        names = names_of(tree)
        if not isinstance(token, Token) or token.text not in names.places:
            return
        if len(names.places[token.text]) < 2:
            return  # the pass `merge` does that
        for other in _others(names, token.text, thorough=thorough):
            if smaller_text(other, token.text):
                yield tree.retext(place, other)

    return run
