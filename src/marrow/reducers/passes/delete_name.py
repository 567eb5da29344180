"""Delete everything that mentions a name in one attempt.

Deleting one by one cannot remove a variable whose declaration and uses need each other. For every
name, the one with the most around it first:

- delete all list elements that mention it (statements, declarations, members, imports, operands),
  the outer ones first, as they are larger; a string that says the name mentions it too;
- delete its definition, and replace its other mentions, or the expressions around them, by a
  minimal value.

A tree does not tell which mention is the definition. The first one is tried, and the one with the
largest element around it. Guarantee: none by itself. Worst case of a pass: O(names × levels) tests.
A parameter goes with its arguments in the pass `together`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.passes.small_nodes import Stock, order
from marrow.reducers.streams.elements import delete_all, elements_above, ladder
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import (
    QUANTIFIED,
    Delete,
    Edit,
    EditError,
    Node,
    Place,
    Replace,
    Tree,
)
from marrow.tree.names import names_of

# How many elements around a mention are tried: an operand, its statement, the block of that, the
# function. Larger ones hold more than one name.
_LEVELS: Final = 4


def delete_names(context: PassContext) -> Reducer:
    """Return the pass that deletes names with everything that mentions them."""

    def run(tree: Tree, done: Done) -> Stream | None:
        weights = {
            name: sum(tokens_at(tree, place) for place in elements_above(tree, places, 0))
            for name, places in names_of(tree).places.items()
        }
        names = sorted(weights, key=lambda name: (-weights[name], name))
        return sweep(tree, names, partial(_candidates, context.stock), done, "deleting by name")

    return run


def _candidates(stock: Stock, tree: Tree, name: bytes) -> Iterator[Tree]:
    if name not in names_of(tree).places:
        return
    places = names_of(tree).mentions(name)
    seen: set[frozenset[Place]] = set()
    found: list[Tree] = []
    for level in range(_LEVELS):
        doomed = elements_above(tree, places, level)
        if doomed and doomed not in seen:
            seen.add(doomed)
            candidate = delete_all(tree, doomed)
            if candidate is not None:
                found.append(candidate)
    yield from sorted(found, key=lambda one: one.token_count)
    yield from _inlined(stock, tree, places)


def _inlined(stock: Stock, tree: Tree, places: tuple[Place, ...]) -> Iterator[Tree]:
    """Delete a definition; its other mentions become a minimal value."""
    if len(places) < 2:
        return
    largest = max(places, key=lambda place: _element_size(tree, place))
    for definition in dict.fromkeys((places[0], largest)):
        rungs = ladder(tree, definition)
        if not rungs:
            continue
        uses = [place for place in places if rungs[0] not in place.upwards()]
        if not uses:
            continue
        for height in (0, 1):
            edits: list[Edit] = [Delete(rungs[0])]
            edits.extend(
                edit
                for place in uses
                if (edit := minimal_above(stock, tree, place, height)) is not None
            )
            if len(edits) == len(uses) + 1:
                try:
                    yield tree.edit(edits)
                except EditError:
                    continue  # two edits that need each other: a plus without elements


def _element_size(tree: Tree, place: Place) -> int:
    rungs = ladder(tree, place)
    return tokens_at(tree, rungs[0]) if rungs else 0


def minimal_above(stock: Stock, tree: Tree, place: Place, height: int) -> Replace | None:
    """Replace a mention, or a node `height` regular nodes above it, by a minimal value."""
    for step in place.upwards():
        node = tree.at(step)
        if node is None:
            return None
        if node.kind not in QUANTIFIED:
            if height <= 0 and (least := minimal_value(stock, node)) is not None:
                return Replace(step, least)
            height -= 1
        if height < -1:
            return None
    return None


def minimal_value(stock: Stock, node: Node) -> Node | None:
    """Return the smallest node that fits the place of a node, if it is smaller."""
    fitting = stock.fitting(node.slot)
    return fitting[0] if fitting and order(fitting[0]) < order(node) else None
