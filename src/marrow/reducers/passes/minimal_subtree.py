"""Replace nodes by smaller ones that fit, the largest first: a call by `0` or one of its arguments.

Tried for a node are the smallest nodes of the input that fit, literals made minimal (`0`, `""`);
smaller subtrees of the tree that fit; its own parts, whether its slot accepts them or not; the
smallest name that fits, for a string; a name that is free, where no literal fits. Guarantee: none
by itself. Worst case of a pass: O(nodes × candidates) tests, with a bounded number of candidates.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import chain
from operator import itemgetter
from string import ascii_lowercase
from typing import Final

from marrow.reducers.passes.pass_context import PassContext, order
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.spans import statements
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.reducers.streams.sweep import sweep
from marrow.tree import QUANTIFIED, SEPARATOR, Node, Place, Token, Tree
from marrow.tree.name_spelling import is_name, may_be_name, quote_of, spelled_like_name
from marrow.tree.node import foreign, tokens_of
from marrow.tree.tree_cache import kept

# How many subtrees and how many nodes of the stock are tried for one node, and how many tokens such
# a subtree may have: larger ones seldom fit where the hoisting of perses does not.
_MOST_SUBTREES: Final = 4
_MOST_STOCK: Final = 2
_LARGEST: Final = 6

# A name of more letters is one of a library, and any short literal is less.
_LONG_NAME: Final = 3
_MOST_FOR_LONG_NAMES: Final = 4

# All but the first are unlikely, and are tried when nothing else is left: the first of the
# stock had 13 successes in 193 tests, the second one in 118 (docs/lab/passes.md).
_LIKELY_STOCK: Final = 1

# In a small text, no other subtree is tried for a node of more tokens, see `SMALL`.
_FEW: Final = 4
_LIKELY_SUBTREES: Final = 2


def minimal_subtree(context: PassContext) -> Reducer:
    """Return the pass that replaces nodes by smaller ones."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return swept(tree, lambda after: swept(after, done, unlikely=True))

    def swept(tree: Tree, done: Done, *, unlikely: bool = False) -> Stream:
        places = [
            (place, node)
            for place, node in tree.walk()
            if node.kind not in QUANTIFIED and node.slot != SEPARATOR
            if _replaceable(node) or is_value(node)
        ]
        places.sort(key=lambda pair: -pair[1].token_count)
        items = [(place, (node.symbol, node.slot)) for place, node in places]
        apart = frozenset(span.place for span in statements(tree))
        some = partial(candidates, unlikely, apart)
        sort = itemgetter(1)
        return sweep(tree, items, some, done, "replacing by less", sort=sort, unlikely=unlikely)

    def is_value(node: Node) -> bool:
        """Whether a word stands for a value, such as `undefined` or `true`: a literal fits."""
        word = node.length > _LONG_NAME and spelled_like_name(node.text)
        return word and bool(context.stock.fitting(node.slot))

    def candidates(
        unlikely: bool,
        apart: frozenset[Place],
        tree: Tree,
        item: tuple[Place, tuple[str, str]],
    ) -> Iterator[Tree]:
        place, _ = item
        node = tree.at(place)
        if node is None or not node.token_count:
            return
        mine = order(node)
        seen = {node.text}
        literals = context.stock.fitting(node.slot)
        long = isinstance(node, Token) and is_name(node) and node.length > _LONG_NAME
        # A statement could not be deleted, so another one in its place is unlikely to do.
        stock, subtrees = (0, 0) if place in apart else (_LIKELY_STOCK, _LIKELY_SUBTREES)
        rare = node.token_count > _FEW and context.seldom_pays(tree)
        most = _LIKELY_STOCK if rare else _MOST_FOR_LONG_NAMES if long else _MOST_STOCK
        for count, smaller in enumerate(literals):
            if count >= most or order(smaller) >= mine:
                break
            seen.add(smaller.text)
            if fits(node, smaller) and unlikely == (count >= stock):
                yield tree.replace(place, smaller)
        plain = any(isinstance(one, Token) and order(one) < mine for one in literals)
        if unlikely and long and not (plain or context.options.keep_names):
            yield _unvouched(tree.replace(place, Token("literal", b"0")))
        if isinstance(node, Token):
            if not is_name(node) and not unlikely:  # a name by a name: the pass `merge` does that
                tokens = (one for one in _small(tree) if isinstance(one, Token) and is_name(one))
                name = next((one for one in tokens if context.slots.accepts(node.slot, one)), node)
                if order(name) < mine:
                    yield tree.replace(place, name)
            return
        fitting = () if rare else _subtrees(tree, context.slots, node.slot)
        for count, smaller in enumerate(fitting):
            if order(smaller) < mine and smaller.text not in seen and fits(node, smaller):
                seen.add(smaller.text)
                if unlikely == (count >= subtrees):
                    yield tree.replace(place, smaller)
        if unlikely and not (place in apart or rare or plain or context.options.keep_names):
            yield from _by_a_free_name(tree, place)
        for smaller in () if unlikely else _inner(node):
            if order(smaller) < mine and smaller.text not in seen:
                seen.add(smaller.text)
                yield _unvouched(tree.replace(place, smaller))

    def fits(node: Node, smaller: Node) -> bool:
        """Whether a replacement does not rename, if names are to be kept.

        In Lisps `*` is a name too, though it is not spelt like one: there the kind tells.
        """
        if not context.options.keep_names or smaller.token_count != node.token_count:
            return True
        same = smaller.symbol == node.symbol or any(map(may_be_name, tokens_of((smaller,))))
        return not (same and any(map(may_be_name, tokens_of((node,)))))

    return run


def _unvouched(tree: Tree) -> Tree:
    """Return a tree framed, so that every front end parses it: no slot vouches for it."""
    return tree.framed(tree.root, tree.head, tree.tail)


def _by_a_free_name(tree: Tree, place: Place) -> Iterator[Tree]:
    """Yield the tree with a letter that is not taken in the place of a node: the parser decides."""
    taken = {token.text for token in tree.tokens()}
    letters = (bytes([one]) for one in ascii_lowercase.encode())
    free = next((one for one in letters if one not in taken), b"")
    like = next(filter(is_name, tree.tokens()), None)
    if free and like is not None:
        yield _unvouched(tree.replace(place, foreign(like.changed(text=free))))


def _inner(node: Node) -> list[Node]:
    """Return the parts of a node, whether its slot accepts them or not: the parser decides.

    So brackets around an expression go even if the grammar has another name for what is in them.
    """
    lists = (one.elements if one.kind in QUANTIFIED else (one,) for one in node.children)
    return [
        part
        for child in chain.from_iterable(lists)
        for part in (child, *(one for one in child.children if one.kind not in QUANTIFIED))
        if part.token_count > 1 or (isinstance(part, Token) and part.symbol.encode() != part.text)
    ]


def _replaceable(node: Node) -> bool:
    """Whether a node is a rule node or a token that may have many texts."""
    if isinstance(node, Token):
        return is_name(node) or quote_of(node.text)[0] > 0
    return node.token_count > 1


def _subtrees(tree: Tree, slots: Slots, slot: str) -> Iterator[Node]:
    """Yield the smallest different subtrees of a tree that fit a slot."""
    seen: set[bytes] = set()
    for node in _small(tree):
        if node.slot == SEPARATOR or node.text in seen or not slots.accepts(slot, node):
            continue
        seen.add(node.text)
        yield node
        if len(seen) >= _MOST_SUBTREES:
            return


@kept
def _small(tree: Tree) -> list[Node]:
    """Return the small nodes of a tree, smallest first."""
    nodes = [
        node
        for node in tree.nodes()
        if 0 < node.token_count <= _LARGEST and node.kind not in QUANTIFIED
    ]
    return sorted(nodes, key=order)
