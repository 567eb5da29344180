"""What an algorithm asks of the syntax: what may stand in a slot."""

from __future__ import annotations

from typing import Protocol

from marrow.tree import Node


class Slots(Protocol):
    """Knows which nodes fit into which slots (the subsume relation of Perses).

    "B <: A" of the paper is `accepts(A, b)` for a node `b` of the rule B.
    """

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether a node may stand in a slot."""
