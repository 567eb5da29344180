"""Names and words in trees: which names are taken, and trees with other words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Final

from marrow.tree import ROOT, Node, Place, Token, Tree
from marrow.tree.name_spelling import spelled_like_name
from marrow.tree.node import render, tokens_of, with_tokens

#: How long a made-up name is: with fewer letters it may be a word that means something.
_LETTERS: Final = (6, 9)

_NAMES: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def name_of(node: Node) -> frozenset[bytes]:
    """Return the name that a tree consists of; nothing if it is anything else.

    Names that differ in the input differ in the samples: two functions of the same name are another
    program, and mostly not a valid one.
    """
    text = render((node,))
    return frozenset((text,)) if spelled_like_name(text) else frozenset()


def names_in(node: Node) -> frozenset[bytes]:
    """Return all that is spelled like a name in a tree, of which only the text may be known."""
    return frozenset(_NAMES.findall(render((node,))))


def made_up_name(old: bytes, random: Random) -> bytes:
    """Return a name that nobody has given, in the letters of another one."""
    made = bytes(random.choice(range(97, 123)) for _ in range(random.randint(*_LETTERS)))
    if len(old) > 1 and old.isupper():
        return made.upper()
    return made.capitalize() if old[:1].isupper() else made


def names_outside(tree: Tree, places: Iterable[Place]) -> frozenset[bytes]:
    """Return the names in a tree outside of some places."""
    inside = set(places)
    found: set[bytes] = set()
    stack: list[tuple[Place, Node]] = [(ROOT, tree.root)]
    while stack:
        place, node = stack.pop()
        if place not in inside:
            found |= name_of(node) if isinstance(node, Token) else frozenset()
            stack.extend((place.child(child.key), child) for child in node.children)
    return frozenset(found)


def words_in(node: Node) -> frozenset[bytes]:
    """Return the texts of a node's tokens."""
    return frozenset(token.text for token in tokens_of((node,)))


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


def new_names(tree: Tree, fills: Sequence[tuple[tuple[Place, ...], Node]]) -> dict[bytes, bytes]:
    """Return the names of a tree that disappear, each with the name that replaces it."""
    filled = [place for places, _ in fills for place in places]
    found: dict[bytes, bytes] = {}
    for places, node in fills:
        before = tree.at(places[0])
        assert before is not None
        for old, new in zip(name_of(before), name_of(node), strict=False):
            if old != new:
                found.setdefault(old, new)
    if found and any(not name_of(node) for _, node in fills):
        for name in names_outside(tree, filled) & found.keys():
            del found[name]
    return found


def with_new_names(node: Node, renamed: Mapping[bytes, bytes]) -> Node:
    """Return a tree with other names; one that is a name itself stays as it is."""
    if not renamed or name_of(node):
        return node
    words = re.compile(rb"(?<![\w$])(?:%s)(?![\w$])" % b"|".join(map(re.escape, renamed)))
    # Of some trees only the text is known: a token may hold several words.
    return respelled(node, lambda token: words.sub(lambda one: renamed[one[0]], token.text))
