"""HDDr: hierarchical delta debugging that minimises the children of one node at a time.

Figure 2(b) of Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta Debugging":
a queue of nodes from the root down; the children of each are minimised by ddmin, the ones that
stay are visited later. Guarantee to a fixpoint (`hddr*`): 1-tree-minimal, no single element of a
list and no optional can be taken away. Worst case of one pass: ddmin's for every node, O(n²) tests.

Departure from the figure: only children that the syntax allows to vanish are given to ddmin.
The queue is walked level by level, which is the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from marrow.reduce.attempt import Done, Stream
from marrow.reduce.ddmin import Configuration, Options, ddmin
from marrow.tree import ROOT, Kind, Node, Place, Tree, deletable, minimum


def hddr(tree: Tree, done: Done, options: Options | None = None) -> Stream | None:
    """Minimise a tree from the root down, siblings at a time."""
    return _visit(tree, (ROOT,), 0, done, options or Options())


def _visit(
    tree: Tree, level: Sequence[Place], index: int, done: Done, options: Options
) -> Stream | None:
    """Go on with the node at `index` of a level, then with the level below."""
    while level:
        while index < len(level):
            place = level[index]
            index += 1
            node = tree.at(place)
            if node is None:
                continue
            places, least = removable(place, node)
            if len(places) > least:
                configuration = Configuration(
                    tree, places, Tree.delete, least, f"deleting in {words(node)}"
                )
                follow = partial(_continue, level, index, done, options)
                return ddmin(configuration, follow, options)
        level, index = _next_level(tree, level), 0
    return done(tree)


def _continue(
    level: Sequence[Place],
    index: int,
    done: Done,
    options: Options,
    result: Configuration[Place],
) -> Stream | None:
    return _visit(result.tree, level, index, done, options)


def words(node: Node) -> str:
    """Return a node's symbol as words for the user."""
    return node.symbol.removesuffix("_list").replace("_", " ").strip()


def removable(place: Place, node: Node) -> tuple[tuple[Place, ...], int]:
    """Return the places below a node that may be deleted together, and how many must stay.

    For a list its elements, for another node what its optional children hold.
    """
    if node.kind is Kind.REGULAR:
        found: list[Place] = []
        for child in node.children:
            if child.kind is Kind.OPTIONAL and child.token_count:
                inside = place.child(child.key)
                found.extend(inside.child(inner.key) for inner in child.children)
        return tuple(found), 0
    if node.kind is Kind.OPTIONAL and place.parent is not None:
        return (), 0  # looked at together with its siblings, from the node above
    places = [place.child(child.key) for child in deletable(node) if child.token_count]
    empty = len(deletable(node)) - len(places)
    return tuple(places), max(0, minimum(node) - empty)


def _next_level(tree: Tree, level: Sequence[Place]) -> tuple[Place, ...]:
    below: list[Place] = []
    for place in level:
        node = tree.at(place)
        if node is not None:
            below.extend(place.child(child.key) for child in node.children if child.children)
    return tuple(below)
