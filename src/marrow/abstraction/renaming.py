"""Names and words in trees: which names are taken, and trees with other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from marrow.abstraction.pattern import Hole
from marrow.tree import ROOT, Node, Place, Token, Tree
from marrow.tree.node import render, with_tokens
from marrow.tree.token_spelling import spelled_like_name


def name_of(node: Node) -> frozenset[bytes]:
    """Return the name that a tree consists of; nothing if it is anything else.

    Names that differ in the input differ in the samples: two functions of the same name are another
    program, and mostly not a valid one.
    """
    text = render((node,))
    return frozenset((text,)) if spelled_like_name(text) else frozenset()


def names_outside(tree: Tree, holes: Sequence[Hole]) -> frozenset[bytes]:
    """Return the names that stand in a tree outside of holes."""
    inside = {place for hole in holes for place in hole.places}
    found: set[bytes] = set()
    stack: list[tuple[Place, Node]] = [(ROOT, tree.root)]
    while stack:
        place, node = stack.pop()
        if place not in inside:
            found |= name_of(node) if isinstance(node, Token) else frozenset()
            stack.extend((place.child(child.key), child) for child in node.children)
    return frozenset(found)


def words_of(tree: Tree) -> dict[str, list[bytes]]:
    """Return the texts of a tree's tokens that have several; a token with one text has none."""
    found: dict[str, dict[bytes, None]] = {}
    for token in tree.tokens():
        if not (token.symbol.startswith("'") and token.symbol.endswith("'")):
            found.setdefault(token.symbol, {})[token.text] = None
    return {symbol: list(texts) for symbol, texts in found.items()}


def respelled(node: Node, spell: Callable[[Token], bytes]) -> Node:
    """Return a node with other texts for its tokens."""
    return with_tokens(node, lambda token: token.changed(text=spell(token)))
