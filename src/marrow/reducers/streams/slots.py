"""The questions that algorithms ask about syntax: what fits a slot, and what is the least of it."""

from __future__ import annotations

from typing import Protocol

from marrow.tree import Node


class Slots(Protocol):
    """Knows which nodes fit into which slots (the subsume relation of Perses).

    "B <: A" of the paper is `accepts(A, b)` for a node `b` of the rule B.
    """

    @property
    def exact(self) -> bool:
        """Whether candidates are valid by construction, so nothing else checks them."""

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether a node may stand in a slot."""

    def minimal(self, name: str, node: Node) -> Node | None:
        """Return the shortest node that may be where `node` is, as far as the syntax itself knows.

        `name` is the slot that `node` stands in or its symbol, and the answer is of that kind.
        """
