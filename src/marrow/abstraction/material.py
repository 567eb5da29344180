"""What samples are made of: a grammar's trees, or pieces of texts that a parser has read.

A `Material` knows the nonterminals of one language: which texts may stand in the place of a node,
the forms that people write most, and whether a text is one of the language at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Protocol

from marrow.tree import Branch, Node, Place, Token, Tree
from marrow.tree.find import child_index


class Material(Protocol):
    """Draws trees for the places of one language's trees."""

    def key(self, node: Node) -> str:
        """Return what a node is one of: its nonterminal."""

    def kin(self, node: Node) -> str:
        """Return the nonterminal by which nodes of the same text are taken for the same thing."""

    def narrower(self, node: Node) -> str:
        """Return a nonterminal that has fewer texts than that of a node; nothing if it has none."""

    def placed(self, old: Node, new: Node) -> Node:
        """Return a node as it stands in the place of another."""

    def taken(self, node: Node) -> Node:
        """Return a node to be put elsewhere: its tokens are nobody's original neighbours."""

    def matches(self, text: bytes) -> bool:
        """Whether a text belongs to the language."""

    def can_draw(self, tree: Tree, place: Place) -> bool:
        """Whether there are trees to put in the place of a node."""

    def least(self, key: str, behind: str) -> Node | None:
        """Return the smallest tree of a nonterminal."""

    def forms(self, key: str, behind: str) -> Iterator[Node]:
        """Yield small trees of a nonterminal, one for each of its forms, the same ones always."""

    def draw(self, key: str, random: Random, size: int, behind: str) -> Node | None:
        """Return a random tree of up to so many tokens, if one was found."""

    def word(self, token: Token, random: Random) -> bytes:
        """Return another text for a token."""

    def held(self, key: str, text: bytes) -> Node:
        """Return a tree of which only the text is known."""

    def bound(self, key: str) -> float:
        """Return how many texts a nonterminal has at most."""


class Visible(Protocol):
    """Knows which nodes vary, and how they are shown."""

    def lexical(self, node: Node) -> bool:
        """Whether a node has only one possible text."""

    def left_alone(self, node: Node) -> bool:
        """Whether a node is never varied, nor anything below it."""

    def atomic(self, node: Node) -> bool:
        """Whether nothing below a node is looked at."""

    def same_as_child(self, node: Node) -> bool:
        """Whether a node holds nothing but its child, so that what holds for one does for both."""

    def name(self, tree: Tree, place: Place) -> str:
        """Return the name to show for a node."""

    def authored(self, symbol: str) -> bool:
        """Whether people know a symbol by this name."""


def text_before(tree: Tree, place: Place) -> str:
    """Return the text in front of a node."""
    start = len(tree.head)
    parent = place.parent
    if parent is not None:
        # The finder keeps the offsets of branches only.
        above = tree.at(parent)
        assert isinstance(above, Branch)
        index = child_index(above, place.key)
        assert index is not None
        start += tree.finder.offset(parent) + above.starts[index]
    return tree.text[:start].decode("utf-8", "surrogateescape")
