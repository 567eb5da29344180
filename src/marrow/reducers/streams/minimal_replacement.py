"""Minimal replacements Φ: the shortest node that fits the slot of a node; and pruning.

Misherghi and Su's HDD prunes a node that may not vanish by putting the minimal fragment that the
syntax accepts in its place. That fragment comes from the grammar where there is one; elsewhere it
is the smallest compatible subtree of the input, or a shortest token like one that fits. Φ = ε is a
node that may simply go.

A node has two of them: Φ of its slot (an expression) and Φ of its own kind (a call, a string). In
the papers' trees these belong to two nodes of a chain, here to one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol, TypeAlias, TypeVar

from marrow.tree import (
    QUANTIFIED,
    SEPARATOR,
    ChangeText,
    Delete,
    Edit,
    Kind,
    Node,
    Place,
    Replace,
    Token,
    Tree,
)
from marrow.tree.order import node_size


class Slots(Protocol):
    """Knows which nodes fit into which slots (the subsume relation of Perses).

    "B <: A" of the paper is `accepts(A, b)` for a node `b` of the rule B.
    """

    @property
    def exact(self) -> bool:
        """Whether candidates are valid by construction, so nothing else checks them."""

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether a node fits into a slot."""

    def minimal(self, name: str, node: Node) -> Node | None:
        """Return the shortest node that may replace `node`, as far as the syntax itself knows.

        `name` is the slot of `node` or its symbol, and the answer is of that kind.
        """


_Key = TypeVar("_Key")

#: Gives the node to put in a node's place, if any.
Replacement: TypeAlias = Callable[[Node], Node | None]


class Replacements:
    """Φ for one tree. The parts that depend on slots and kinds alone are computed once."""

    def __init__(self, tree: Tree, slots: Slots) -> None:
        self._slots: Final = slots
        smallest: dict[tuple[str, str], Node] = {}
        self._by_symbol: Final[dict[str, Node]] = {}
        for node in tree.nodes():
            if node.slot == SEPARATOR or not node.token_count:
                continue
            _keep_smaller(smallest, (node.slot, node.symbol), node)
            if node.kind not in QUANTIFIED:
                _keep_smaller(self._by_symbol, node.symbol, node)
        self._by_slot: Final[dict[str, Node]] = {}
        for (slot, _), example in smallest.items():
            if slot not in self._by_slot:
                fitting = [node for node in smallest.values() if slots.accepts(slot, node)]
                known = [slots.minimal(slot, example)]
                known += [slots.minimal(node.symbol, node) for node in fitting]
                found = _least([*fitting, *known])
                if found is not None:
                    self._by_slot[slot] = found

    def of(self, node: Node) -> Node | None:
        """Return Φ of a node's slot, if it is smaller than the node."""
        return _smaller(self._by_slot.get(node.slot), node)

    def of_kind(self, node: Node) -> Node | None:
        """Return Φ of a node's own kind, if it is smaller than the node and not Φ of its slot."""
        if node.kind in QUANTIFIED:
            return None
        found = _smaller(self._least_of_kind(node), node)
        slotwise = self.of(node)
        if found is None or (slotwise is not None and found.text == slotwise.text):
            return None
        return found

    def text_of_slot(self, slot: str) -> bytes | None:
        """Return the text of Φ of a slot."""
        found = self._by_slot.get(slot)
        return None if found is None else found.text

    def text_of_kind(self, node: Node) -> bytes | None:
        """Return the text of Φ of a node's own kind."""
        found = self._least_of_kind(node)
        return None if found is None else found.text

    def _least_of_kind(self, node: Node) -> Node | None:
        return _least((self._by_symbol.get(node.symbol), self._slots.minimal(node.symbol, node)))


def _keep_smaller(best: dict[_Key, Node], key: _Key, node: Node) -> None:
    known = best.get(key)
    if known is None or node_size(node) < node_size(known):
        best[key] = node


def _least(nodes: Iterable[Node | None]) -> Node | None:
    """Return the least node: fewest tokens, then fewest bytes, then by text."""
    known = [node for node in nodes if node is not None]
    if not known:
        return None
    least = min(map(node_size, known))
    # Only the smallest are rendered: the text of a node near the root is most of the input.
    smallest = [node for node in known if node_size(node) == least]
    return min(smallest, key=lambda node: (node.text, node.symbol, node.slot))


def _smaller(found: Node | None, node: Node) -> Node | None:
    """Return the replacement if it is smaller than a node in the total order."""
    if found is None or found is node:
        return None
    if node_size(found) != node_size(node):
        return found if node_size(found) < node_size(node) else None
    return found if found.text < node.text else None


def tokens_at(tree: Tree, place: Place) -> int:
    """Return the number of tokens at a place: the weight of an element of a list."""
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
    """Delete nodes where they may vanish, else put Φ of their slot in their place.

    If all elements of a plus should go, the smallest stays, pruned as far as possible.
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
            edits.extend(_exchanges(tree, doomed, replacements.of))
            continue
        if above.kind is Kind.PLUS and len(doomed) >= len(above.elements):
            stays = min(doomed, key=lambda place: _size_at(tree, place))
            doomed = [place for place in doomed if place is not stays]
            edits.extend(_exchanges(tree, [stays], replacements.of))
        edits.extend(Delete(place) for place in doomed if tree.at(place) is not None)
    return tree.edit(edits)


def exchange(tree: Tree, places: Sequence[Place], replacement: Replacement) -> Tree:
    """Put replacements in the place of nodes, whether they may vanish or not."""
    return tree.edit(_exchanges(tree, places, replacement))


def _size_at(tree: Tree, place: Place) -> tuple[int, int]:
    node = tree.at(place)
    return (0, 0) if node is None else node_size(node)


def _exchanges(tree: Tree, places: Sequence[Place], replacement: Replacement) -> list[Edit]:
    edits: list[Edit] = []
    for place in places:
        node = tree.at(place)
        new = None if node is None else replacement(node)
        if new is None:
            continue
        if isinstance(new, Token) and isinstance(node, Token) and new.symbol == node.symbol:
            # A token of the same kind keeps the distance to its neighbours.
            edits.append(ChangeText(place, new.text))
        else:
            edits.append(Replace(place, new))
    return edits
