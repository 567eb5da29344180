"""The total order that says which of two candidates is smaller: tokens, then bytes, then text."""

from __future__ import annotations

from typing import NamedTuple

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


def size(tree: Tree) -> Size:
    """Return the size of a tree; an accepted step always decreases it."""
    return Size(tree.token_count, len(tree.text), tree.text)


def smaller_text(one: bytes, two: bytes) -> bool:
    """Whether a text, such as that of a token, comes before another in this order."""
    return (len(one), one) < (len(two), two)


def node_size(node: Node) -> tuple[int, int]:
    """Return the tokens and the bytes of a node, which decide nearly always; its text is costly."""
    return node.token_count, node.length
