"""Changes near the input: one token spelled differently, one node replaced, one element left out.

Trees that a grammar draws are far from what people write. What a failure hangs on is often a small
step away: another name, a list with one element less.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from random import Random
from typing import Final

from marrow.abstraction.fragments import FragmentSource
from marrow.tree import QUANTIFIED, ROOT, Branch, EditError, Kind, Node, Place, Token, Tree
from marrow.tree.node import render

#: How many tokens and how many nodes below a node are changed, one at a time.
_TOKENS: Final = 3
_NODES: Final = 4

#: How many nodes are looked at, from the first on: changes to others are changes to larger parts.
_LOOKED_AT: Final = 200

#: With this number of forms or more, all forms of a nonterminal are tried inside another one.
_SEVERAL: Final = 3
_MANY: Final = 6

#: How many other texts a node is given that is one token.
_WORDS: Final = 3


def mutations_of(node: Node, material: FragmentSource) -> Iterator[Node]:
    """Yield a node with one change each: tokens, nodes, elements in turn; the same ones always."""
    tree = Tree(node)
    below = list(islice(tree.walk(), 1, _LOOKED_AT))
    if isinstance(node, Token):
        for number in range(_WORDS):
            random = Random(f"word {number} of {node.text!r}")
            yield node.changed(text=material.word(node, random))
        return
    yield from _each_in_turn(
        _other_words(tree, below, material),
        _without_elements(tree, below),
        _other_nodes(tree, below, material),
    )


def inner_forms(key: str, preceding: str, material: FragmentSource) -> Iterator[Node]:
    """Yield a form of a nonterminal with all forms of what it holds.

    One that has many forms itself has none of these: there are enough of it.
    """
    own = list(islice(material.forms(key, preceding), _MANY))
    for form in own if len(own) < _MANY else ():
        tree = Tree(form)
        for place, inner in islice(tree.walk(), 1, _LOOKED_AT):
            if not isinstance(inner, Branch) or not 0 < inner.token_count < form.token_count:
                continue
            forms = iter(material.forms(material.key(inner), ""))
            few = list(islice(forms, _SEVERAL))
            if len(few) == _SEVERAL:
                yield from (tree.replace(place, one).root for one in chain(few, forms))
                return


def _each_in_turn(*streams: Iterator[Node]) -> Iterator[Node]:
    waiting = list(streams)
    while waiting:
        for stream in list(waiting):
            found = next(stream, None)
            if found is None:
                waiting.remove(stream)
            else:
                yield found


def _other_words(
    tree: Tree, below: list[tuple[Place, Node]], material: FragmentSource
) -> Iterator[Node]:
    tokens = [(place, one) for place, one in below if isinstance(one, Token)]
    changed = 0
    for place, token in tokens:
        random = Random(f"word of {token.text!r} at {place}")
        text = material.word(token, random)
        if text != token.text:
            yield tree.replace(place, token.changed(text=text)).root
            changed += 1
            if changed == _TOKENS:
                return


def _other_nodes(
    tree: Tree, below: list[tuple[Place, Node]], material: FragmentSource
) -> Iterator[Node]:
    branches = [(place, one) for place, one in below if isinstance(one, Branch)]
    changed = 0
    for place, branch in branches:
        key, text = material.key(branch), render((branch,))
        other = next(
            (one for one in material.forms(key, "") if render((one,)) not in (text, b"")), None
        )
        if other is not None:
            yield tree.replace(place, other).root
            changed += 1
            if changed == _NODES:
                return


def _without_elements(tree: Tree, below: list[tuple[Place, Node]]) -> Iterator[Node]:
    for place, one in [(ROOT, tree.root), *below]:
        least = 1 if one.kind is Kind.PLUS else 0
        if one.kind in QUANTIFIED and len(one.elements) > least:
            try:
                yield tree.delete([place.child(one.elements[-1].key)]).root
            except EditError:
                continue
