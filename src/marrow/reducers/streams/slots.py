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
        """Whether a node fits into a slot."""

    def minimal(self, name: str, node: Node) -> Node | None:
        """Return the shortest node that may replace `node`, as far as the syntax itself knows.

        `name` is the slot of `node` or its symbol, and the answer is of that kind.
        """
