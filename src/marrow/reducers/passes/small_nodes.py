"""A stock of small nodes to put in the place of larger ones, by slot.

It is made from the original input, so a `0` is still known when the last number is gone. Names are
left out: their meaning goes with their definition.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

from marrow.reducers.streams.minimal_replacement import Slots
from marrow.tree import QUANTIFIED, SEPARATOR, Node, Token, Tree
from marrow.tree.name_spelling import is_name, is_number, quote_of
from marrow.tree.node import foreign

# Longer nodes are not minimal values: `""` and `{}` are two tokens, `f()` three.
_MOST_TOKENS: Final = 3


class Stock:
    """The smallest nodes of the input, one for each symbol; asked for by slot."""

    def __init__(self, tree: Tree, slots: Slots) -> None:
        self._tree: Final = tree
        self._slots: Final = slots
        self._fitting: Final[dict[str, tuple[Node, ...]]] = {}

    def fitting(self, slot: str) -> tuple[Node, ...]:
        """Return the nodes that fit a slot, smallest first."""
        if slot == SEPARATOR:
            return ()
        found = self._fitting.get(slot)
        if found is None:
            found = tuple(node for node in self._nodes if self._slots.accepts(slot, node))
            self._fitting[slot] = found
        return found

    @cached_property
    def _nodes(self) -> list[Node]:
        """All of them, smallest first; found when first used, not before the first test."""
        smallest: dict[str, Node] = {}
        for node in self._tree.nodes():
            if node.slot == SEPARATOR or not 0 < node.token_count <= _MOST_TOKENS:
                continue
            if node.kind in QUANTIFIED or (isinstance(node, Token) and is_name(node)):
                continue
            node = _least(node)
            known = smallest.get(node.symbol)
            if known is None or order(node) < order(known):
                smallest[node.symbol] = node
        return sorted((foreign(node) for node in smallest.values()), key=order)


def order(node: Node) -> tuple[int, int, bytes]:
    """Return the key that orders nodes by size."""
    return node.token_count, node.length, node.text


def _least(node: Node) -> Node:
    """Return the least token of the same kind."""
    if not isinstance(node, Token):
        return node
    if is_number(node):
        return node.changed(text=b"0")
    opening, closing = quote_of(node.text)
    if opening:
        text = node.text
        return node.changed(text=text[:opening] + text[len(text) - closing :])
    return node
