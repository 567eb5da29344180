"""Minimal replacements Φ: the shortest thing that may stand where a node stands, and pruning.

Misherghi and Su's HDD prunes a node that may not vanish by putting the minimal fragment that the
syntax accepts in its place. Without a grammar file that is the smallest compatible subtree of the
input; Φ = ε is a node that may simply be deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from marrow.reduce.slots import Slots
from marrow.tree import (
    QUANTIFIED,
    SEPARATOR,
    Delete,
    Edit,
    Kind,
    Node,
    Place,
    Replace,
    Tree,
)


class Replacements:
    """Φ for the slots of one tree, computed once."""

    def __init__(self, tree: Tree, slots: Slots) -> None:
        smallest: dict[tuple[str, str], Node] = {}
        for _, node in tree.walk():
            if node.slot == SEPARATOR or not node.token_count:
                continue
            known = smallest.get((node.slot, node.symbol))
            if known is None or _size(node) < _size(known):
                smallest[node.slot, node.symbol] = node
        self._by_slot: Final[dict[str, Node]] = {}
        for slot in {slot for slot, _ in smallest}:
            fitting = [node for node in smallest.values() if slots.accepts(slot, node)]
            if fitting:
                self._by_slot[slot] = min(fitting, key=_order)

    def of(self, node: Node) -> Node | None:
        """Return the minimal replacement of a node, if there is one smaller than the node."""
        found = self._by_slot.get(node.slot)
        if found is None or found.token_count >= node.token_count:
            return None
        return found


def _size(node: Node) -> tuple[int, int]:
    return node.token_count, node.length


def _order(node: Node) -> tuple[int, int, str, str]:
    return node.token_count, node.length, node.symbol, node.slot


def tokens_at(tree: Tree, place: Place) -> int:
    """Return the number of tokens at a place: what an element of a list weighs."""
    node = tree.at(place)
    return 0 if node is None else node.token_count


def vanishes(tree: Tree, place: Place) -> bool:
    """Whether the node at a place may be deleted: Φ = ε."""
    if place.parent is None:
        return False
    above, node = tree.at(place.parent), tree.at(place)
    if above is None or node is None or above.kind not in QUANTIFIED or node.slot == SEPARATOR:
        return False
    return above.kind is not Kind.PLUS or len(above.elements) > 1


def prune(tree: Tree, places: Sequence[Place], replacements: Replacements) -> Tree:
    """Delete nodes where they may vanish, else put their minimal replacement in their place.

    Of a plus whose elements all should go, the smallest stays, pruned as far as may be.
    """
    by_parent: dict[Place, list[Place]] = defaultdict(list)
    for place in places:
        if place.parent is not None:
            by_parent[place.parent].append(place)
    edits: list[Edit] = []
    for parent, doomed in by_parent.items():
        above = tree.at(parent)
        if above is None:
            continue
        if above.kind not in QUANTIFIED:
            edits.extend(_replacement(tree, doomed, replacements))
            continue
        if above.kind is Kind.PLUS and len(doomed) >= len(above.elements):
            stays = min(doomed, key=lambda place: _size_at(tree, place))
            doomed = [place for place in doomed if place is not stays]
            edits.extend(_replacement(tree, [stays], replacements))
        edits.extend(Delete(place) for place in doomed if tree.at(place) is not None)
    return tree.edit(edits)


def _size_at(tree: Tree, place: Place) -> tuple[int, int]:
    node = tree.at(place)
    return (0, 0) if node is None else _size(node)


def _replacement(tree: Tree, places: Sequence[Place], replacements: Replacements) -> list[Edit]:
    edits: list[Edit] = []
    for place in places:
        node = tree.at(place)
        smaller = None if node is None else replacements.of(node)
        if smaller is not None:
            edits.append(Replace(place, smaller))
    return edits
