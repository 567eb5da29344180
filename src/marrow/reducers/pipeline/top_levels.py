"""Top levels: the outermost lists of a tree, and nothing below them.

For sets of files: what is coarse goes from all of them before one is looked at closely. Guarantee:
none; later stages see the whole tree. Worst case: that of the list minimiser for each of the lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from marrow.reducers.algorithms.ddmin import Configuration, ListMinimizer, delete_places
from marrow.reducers.algorithms.traversal import words
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.tree import QUANTIFIED, ROOT, Place, Tree, deletable, minimum


def top_levels(minimize: ListMinimizer) -> Reducer:
    """Return the reducer that minimises the outermost lists."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return after(tuple(outermost(tree)), tree, done)

    def after(lists: tuple[Place, ...], tree: Tree, done: Done) -> Stream | None:
        for number, place in enumerate(lists):
            node = tree.at(place)
            if node is None:
                continue
            places = tuple(place.child(one.key) for one in deletable(node) if one.token_count)
            least = max(0, minimum(node) - (len(deletable(node)) - len(places)))
            if len(places) > least:
                phase = f"deleting in {words(tree, place)}"
                whole = Configuration(tree, places, delete_places, least, phase, tokens_at)
                return minimize(whole, partial(follow, lists[number + 1 :], done))
        return done(tree)

    def follow(lists: tuple[Place, ...], done: Done, result: Configuration[Place]) -> Stream | None:
        return after(lists, result.tree, done)

    return run


def outermost(tree: Tree) -> Iterator[Place]:
    """Yield the lists that stand in no other list, the one with most tokens first."""
    found: list[tuple[int, int, Place]] = []
    stack = [ROOT]
    while stack:
        place = stack.pop()
        node = tree.at(place)
        if node is None:
            continue
        if node.kind in QUANTIFIED and len(node.children) > 1:
            found.append((-node.token_count, len(found), place))
        else:
            stack += [place.child(child.key) for child in node.children][::-1]
    for _, _, place in sorted(found):
        yield place
