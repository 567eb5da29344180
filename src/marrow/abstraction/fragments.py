"""Fragments: what samples are made of, from a grammar or from texts that a parser has read.

A `FragmentSource` knows the nonterminals of one language: which texts may replace a node, the forms
that people write most, and whether a text belongs to the language at all. Trees that a grammar
draws are far from what people write. What a failure hangs on is often a small step away: another
name, a list with one element less. `mutations_of` takes such steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest
from math import inf
from pathlib import Path
from random import Random
from typing import Final, Protocol

from marrow.syntax.front_end import FrontEnd
from marrow.tree import (
    QUANTIFIED,
    ROOT,
    SEPARATOR,
    Branch,
    EditError,
    Kind,
    Node,
    Place,
    Token,
    Tree,
)
from marrow.tree.find import child_index
from marrow.tree.node import displaced, render, tokens_of


class FragmentSource(Protocol):
    """Draws trees for the places of one language's trees."""

    def key(self, node: Node) -> str:
        """Return what a node is one of: its nonterminal."""

    def kin(self, node: Node) -> str:
        """Return the nonterminal by which nodes of the same text are taken for the same thing."""
        return self.key(node)

    def narrower(self, node: Node) -> str:
        """Return a nonterminal that has fewer texts than that of a node; nothing if it has none."""
        del node
        return ""

    def placed(self, old: Node, new: Node) -> Node:
        """Return a node in the place of another."""
        del old
        return new

    def taken(self, node: Node) -> Node:
        """Return a node to be put elsewhere: its tokens are nobody's original neighbours."""

    def matches(self, text: bytes) -> bool:
        """Whether a text belongs to the language."""

    def can_draw(self, tree: Tree, place: Place) -> bool:
        """Whether there are trees to put in the place of a node."""

    def least(self, key: str, preceding: str) -> Node | None:
        """Return the smallest tree of a nonterminal."""

    def forms(self, key: str, preceding: str) -> Iterator[Node]:
        """Yield small trees of a nonterminal, one for each of its forms, the same ones always."""

    def draw(self, key: str, random: Random, size: int, preceding: str) -> Node | None:
        """Return a random tree of at most `size` tokens, if one was found."""

    def word(self, token: Token, random: Random) -> bytes:
        """Return another text for a token."""

    def held(self, key: str, text: bytes) -> Node:
        """Return a tree of which only the text is known."""

    def signs(self) -> list[bytes]:
        """Return the signs and keywords that texts of the language have."""
        return []

    def whole(self, random: Random) -> Node | None:
        """Return a tree for a whole input, if there is one besides those that are drawn."""
        del random
        return None

    def replaces(self, old: Node, new: Node) -> bool:
        """Whether a node may be put in the place of another."""
        return old.symbol == new.symbol and (old.slot == new.slot or old.kind == new.kind)

    def bound(self, key: str) -> float:
        """Return how many texts a nonterminal has at most, as far as that is known."""
        del key
        return inf


def text_before(tree: Tree, place: Place) -> str:
    """Return the text before a node."""
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


#: Larger pieces are not kept: they are whole programs, and hardly ever valid elsewhere.
_MOST_TOKENS: Final = 80

#: How many pieces are kept for a slot, and how many of them for one kind of node.
_PIECES: Final = 160
_PIECES_OF_A_KIND: Final = 24

#: How much of a directory is read: enough to see every form many times.
_MOST_FILES: Final = 200
_MOST_BYTES: Final = 100_000

#: More than the tokens of any text: pieces of different texts are nobody's neighbours.
_FAR: Final = 1 << 40

#: Begins the key of all tokens of a kind, whatever their slots.
TOKEN: Final = "token "

#: Ends the key of what may be left out in a slot.
OPTIONAL: Final = "?"


class FragmentStock:
    """Pieces of texts that a parser has read, by the slots they fit.

    Without a grammar to draw from, samples are made of what people wrote: the original
    input, which is mostly large, the files of a directory, and a small text that ships for common
    languages. A piece fits a slot if the parser has read one of its kind there.
    """

    def __init__(self) -> None:
        self._pieces: Final[dict[str, dict[bytes, Node]]] = {}
        self._kinds: Final[dict[tuple[str, str], int]] = {}
        self._texts = 0

    def add_tree(self, tree: Tree) -> None:
        """Take the pieces of a text."""
        self._texts += 1
        for node in tree.nodes():
            if node.slot != SEPARATOR and 0 < node.token_count <= _MOST_TOKENS:
                self.add(displaced(node, self._texts * _FAR))

    def add(self, node: Node) -> None:
        """Take one piece."""
        pieces = self._pieces.setdefault(node.slot, {})
        kind = (node.slot, node.symbol)
        if len(pieces) < _PIECES and self._kinds.get(kind, 0) < _PIECES_OF_A_KIND:
            text = render((node,))
            if text not in pieces:
                pieces[text] = node
                self._kinds[kind] = self._kinds.get(kind, 0) + 1

    def signs(self) -> list[bytes]:
        """Return the texts of tokens that are signs or keywords, the frequent ones first."""
        found = (
            token.text
            for pieces in self._pieces.values()
            for node in pieces.values()
            for token in tokens_of((node,))
            if not is_word(token)
        )
        return [text for text, _ in Counter(found).most_common()]

    def fitting(self, slot: str, front: FrontEnd) -> list[Node]:
        """Return the pieces that fit a slot, smaller ones first."""
        found = dict(self._pieces.get(slot, {}))
        if slot.endswith(OPTIONAL):
            found |= self._pieces.get(slot.removesuffix(OPTIONAL), {})
            return sorted(found.values(), key=render_key)
        found = {text: node for text, node in found.items() if node.kind is not Kind.OPTIONAL}
        wanted = slot.removeprefix(TOKEN) if slot.startswith(TOKEN) else None
        kinds: dict[tuple[str, Kind, str], bool] = {}
        for other, pieces in self._pieces.items():
            for text, node in pieces.items() if other != slot else ():
                if wanted is not None:
                    fits = isinstance(node, Token) and node.symbol == wanted
                else:
                    kind = (other, node.kind, node.symbol)
                    if kind not in kinds:
                        kinds[kind] = node.kind is not Kind.OPTIONAL and front.accepts(slot, node)
                    fits = kinds[kind]
                if fits:
                    found.setdefault(text, node)
        return sorted(found.values(), key=render_key)


def render_key(node: Node) -> tuple[int, bytes]:
    """Return what pieces are sorted by: smaller ones first."""
    return node.token_count, render((node,))


def corpus_texts(directory: Path, suffixes: Iterable[str]) -> Iterator[bytes]:
    """Yield the texts of a directory's files with one of these suffixes, in the order of names."""
    wanted = tuple(suffixes)
    left = _MOST_FILES
    for path in sorted(directory.rglob("*")):
        if path.name.endswith(wanted) and path.is_file() and not path.is_symlink():
            if path.stat().st_size > _MOST_BYTES:
                continue
            yield path.read_bytes()
            left -= 1
            if not left:
                return


def shipped_text(language: str) -> bytes | None:
    """Return the text that ships for a language, for its common forms."""
    path = Path(__file__).with_name("stocks") / f"{language}.txt"
    return path.read_bytes() if path.is_file() else None


def is_word(token: Token) -> bool:
    """Whether a token has other texts than its own: its kind is not its text."""
    return token.symbol.encode() != token.text and token.slot != SEPARATOR


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
    yield from each_in_turn(
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


def each_in_turn(*streams: Iterable[Node]) -> Iterator[Node]:
    """Yield from streams in turn, as long as they have something."""
    for row in zip_longest(*streams):
        yield from filter(None, row)


def _other_words(
    tree: Tree, below: list[tuple[Place, Node]], material: FragmentSource
) -> Iterator[Node]:
    tokens = [(place, one) for place, one in below if isinstance(one, Token)]
    changed = (
        tree.replace(place, token.changed(text=text)).root
        for place, token in tokens
        if (text := material.word(token, Random(f"word of {token.text!r} at {place}")))
        != token.text
    )
    return islice(changed, _TOKENS)


def _other_nodes(
    tree: Tree, below: list[tuple[Place, Node]], material: FragmentSource
) -> Iterator[Node]:
    def others() -> Iterator[Node]:
        for place, branch in below:
            if isinstance(branch, Branch):
                texts = (render((branch,)), b"")
                forms = material.forms(material.key(branch), "")
                other = next((one for one in forms if render((one,)) not in texts), None)
                if other is not None:
                    yield tree.replace(place, other).root

    return islice(others(), _NODES)


def _without_elements(tree: Tree, below: list[tuple[Place, Node]]) -> Iterator[Node]:
    for place, one in [(ROOT, tree.root), *below]:
        least = 1 if one.kind is Kind.PLUS else 0
        if one.kind in QUANTIFIED and len(one.elements) > least:
            try:
                yield tree.delete([place.child(one.elements[-1].key)]).root
            except EditError:
                continue
