"""The total order that says which of two candidates is smaller: tokens, then bytes, then text.

Whoever wants as few bytes or lines as can be has another order (`ORDERS`): a run has one of them
from its start to its end, so every loop ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

from marrow.tree.node import Node
from marrow.tree.tree import Tree


class Size(NamedTuple):
    """A candidate's size. Tuples compare part by part, which is the order we want."""

    tokens: int
    length: int
    text: bytes


def smaller(one: Tree, two: Tree) -> bool:
    """Whether a tree is smaller than another, without their texts where the tokens decide."""
    if one.token_count != two.token_count:
        return one.token_count < two.token_count
    return size(one) < size(two)


def measured(objective: str, tokens: int, length: int, text: bytes) -> tuple[int, Size]:
    """Return what a text is compared by for an objective."""
    first = {"bytes": length, "lines": text.rstrip().count(b"\n")}.get(objective, tokens)
    return first, Size(tokens, length, text)


#: Says whether a tree is smaller than another.
Order: TypeAlias = Callable[[Tree, Tree], bool]

#: The orders, by objective.
ORDERS: Final[dict[str, Order]] = {
    "tokens": smaller,
    "bytes": lambda one, two: measured("bytes", *size(one)) < measured("bytes", *size(two)),
    "lines": lambda one, two: measured("lines", *size(one)) < measured("lines", *size(two)),
}


def size(tree: Tree) -> Size:
    """Return the size of a tree; an accepted step always decreases it."""
    return Size(tree.token_count, len(tree.text), tree.text)


def smaller_text(one: bytes, two: bytes) -> bool:
    """Whether a text, such as that of a token, comes before another in this order."""
    return (len(one), one) < (len(two), two)


def node_size(node: Node) -> tuple[int, int]:
    """Return the tokens and the bytes of a node, which decide nearly always; its text is costly."""
    return node.token_count, node.length
