"""Merge names: with fewer names, more of what they name can be deleted.

For every pair of names of the same kind, one becomes the other everywhere and its definition is
deleted; if that fails, it only becomes the other, if that one is smaller. Guarantee: none by
itself. Worst case of a pass: O(names²) tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.elements import ladder
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ChangeText, Delete, Edit, Tree
from marrow.tree.names import NameIndex, names_of
from marrow.tree.order import smaller_text

# How many other names are tried for a name: the nearest before it. They are more
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
