"""Languages without a grammar: what a parser says, and a stock of pieces to draw samples from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Final, Self

from marrow.abstraction.fragments import (
    OPTIONAL,
    TOKEN,
    FragmentSource,
    FragmentStock,
    is_word,
    shipped_text,
)
from marrow.syntax.front_end import FrontEnd
from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Branch, Kind, Node, Place, Token, Tree
from marrow.tree.name_spelling import is_number, quote_of, spelled_like_name
from marrow.tree.node import displaced, render
from marrow.tree.node_words import node_words

#: How often a piece is put together anew: up to this number of its parts replaced by other pieces.
_MIXED: Final = 0.6
_PARTS: Final = 3

#: How often a word is a fresh one rather than one of the stock.
_FRESH: Final = 0.4

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"

#: More than the tokens of any text and of a stock's texts together.
_FAR: Final = 1 << 60


class ParserLanguage(FragmentSource):
    """A language that has a parser, and the material of its samples.

    `texts` are further texts to take pieces of. `lenient` says that the input has syntax errors
    itself, so that the parser refuses nothing. A `bare` one has no stock but what is added.
    """

    def __init__(
        self,
        front: FrontEnd,
        whole: bytes = b"",
        texts: Iterable[bytes] = (),
        *,
        lenient: bool,
        bare: bool = False,
    ) -> None:
        self.front: Final = front
        self.stock: Final = FragmentStock()
        self.lenient: Final = lenient
        self._fitting: Final[dict[str, list[Node]]] = {}
        if whole:
            self.stock.add_tree(front.parse(whole))
        shipped = None if bare else shipped_text(front.name)
        self._shipped: Final = None if shipped is None else front.parse(shipped)
        for text in (*texts, *((shipped,) if shipped else ())):
            self.stock.add_tree(front.parse(text))

    def add_piece(self, slot: str, symbol: str, kind: Kind, text: bytes) -> None:
        """Add a piece of which only the text is known; nothing is not one.

        Lines of a block are indented as they were, which is wrong elsewhere: they are left out.
        """
        if text and not (b"\n" in text and self.front.parse(b"").indented):
            node: Node = Token(symbol, text, slot=slot)
            if kind is Kind.OPTIONAL:
                node = Branch(kind, symbol, [node], slot=slot)
            self.stock.add(node)

    @property
    def name(self) -> str:
        """The name of the language."""
        return self.front.name

    @property
    def self_contained(self) -> Self:
        """This language: it needs no other files."""
        return self

    def parse(self, text: bytes) -> Tree:
        """Return the tree of a text."""
        return self.front.parse(text)

    # -- material --------------------------------------------------------------------------------

    def key(self, node: Node) -> str:
        """Return the slot of a node, with a sign if it may be left out there."""
        return node.slot + OPTIONAL if node.kind is Kind.OPTIONAL else node.slot

    def kin(self, node: Node) -> str:
        """Return the kind of a token, whatever its slot: a name is declared and used."""
        return TOKEN + node.symbol if isinstance(node, Token) else self.key(node)

    def narrower(self, node: Node) -> str:
        """Return the kind of a word whose slot takes other things as well.

        Parsers' trees have no chains: a name that is a whole pattern, or statement, is one node.
        """
        if not isinstance(node, Token) or not is_word(node):
            return ""
        others = any(one.symbol != node.symbol for one in self.pieces(self.key(node)))
        return self.kin(node) if others else ""

    def placed(self, old: Node, new: Node) -> Node:
        """Return a node in the place of another: a word keeps the gaps of a word."""
        if isinstance(old, Token) and isinstance(new, Token) and old.symbol == new.symbol:
            return old.changed(text=new.text)
        return new

    def taken(self, node: Node) -> Node:
        """Return a node to be put elsewhere, with the layout it has."""
        return displaced(node, _FAR)

    def matches(self, text: bytes) -> bool:
        """Whether the parser reads a text without errors."""
        return self.lenient or not self.front.errors(text)

    def can_draw(self, tree: Tree, place: Place) -> bool:
        """Whether there are pieces, or words, to put in the place of a node."""
        node = tree.at(place)
        if node is None or place == ROOT:
            return False
        if isinstance(node, Token) and is_word(node):
            return True
        own = render((node,))
        return node.kind is Kind.OPTIONAL or any(
            render((one,)) != own for one in self.pieces(node.slot)
        )

    def pieces(self, slot: str) -> list[Node]:
        """Return the pieces that fit a slot."""
        if slot not in self._fitting:
            self._fitting[slot] = self.stock.fitting(slot, self.front)
        return self._fitting[slot]

    def least(self, key: str, preceding: str) -> Node | None:
        """Return the smallest piece; nothing at all where that may be left out."""
        del preceding
        if key.endswith(OPTIONAL):
            slot = key.removesuffix(OPTIONAL)
            return Branch(Kind.OPTIONAL, slot, (), slot=slot)
        pieces = self.pieces(key)
        return pieces[0] if pieces else None

    def forms(self, key: str, preceding: str) -> Iterator[Node]:
        """Yield the smallest pieces of each kind, then the next ones."""
        del preceding
        kinds: dict[tuple[str, int], list[Node]] = {}
        for one in self.pieces(key):
            kinds.setdefault((one.symbol, len(one.children)), []).append(one)
        for depth in range(3):
            for pieces in kinds.values():
                yield from pieces[depth : depth + 1]

    def draw(self, key: str, random: Random, size: int, preceding: str) -> Node | None:
        """Return a piece, or one that is put together of several."""
        del preceding
        pieces = [one for one in self.pieces(key) if one.token_count <= size]
        pieces = pieces or self.pieces(key)[:1]
        if not pieces:
            return None
        node = random.choice(pieces)
        if isinstance(node, Token):
            return node.changed(text=self.word(node, random))
        if random.random() < _MIXED:
            node = self._mixed(node, random)
        return node

    def signs(self) -> list[bytes]:
        """Return the signs and keywords of the stock."""
        return self.stock.signs()

    def whole(self, random: Random) -> Node | None:
        """Return a few neighbours from the top of the text that ships for the language."""
        if self._shipped is None:
            return None
        tree = self._shipped
        place, top = next(((at, one) for at, one in tree.walk() if one.elements), (ROOT, tree.root))
        kept = set(random.sample(range(len(top.elements)), min(3, len(top.elements))))
        gone = [one for at, one in enumerate(top.elements) if at not in kept]
        return tree.delete([place.child(one.key) for one in gone]).root

    def replaces(self, old: Node, new: Node) -> bool:
        """Whether a node may be put in the place of another."""
        return new.kind is not Kind.OPTIONAL and self.front.accepts(old.slot, new)

    def word(self, token: Token, random: Random) -> bytes:
        """Return another text for a token that is a word, of the stock or a fresh one."""
        if not is_word(token):
            return token.text
        if random.random() < _FRESH:
            return _fresh(token, random)
        others = [
            one.text
            for one in self.pieces(token.slot)
            if isinstance(one, Token) and one.symbol == token.symbol and one.text != token.text
        ]
        return random.choice(others) if others else _fresh(token, random)

    def held(self, key: str, text: bytes) -> Node:
        """Return a token that has the text."""
        return Token(key.removeprefix(TOKEN), text, slot=key)

    def _mixed(self, node: Node, random: Random) -> Node:
        """Return a piece with some parts of it replaced by other pieces, or words by others."""
        tree = Tree(node)
        for _ in range(random.randint(1, _PARTS)):
            below = list(islice(tree.walk(), 1, None))
            words = [pair for pair in below if isinstance(pair[1], Token) and is_word(pair[1])]
            nodes = [pair for pair in below if len(self.pieces(pair[1].slot)) > 1]
            chosen = words if words and random.random() < 0.5 else nodes
            if not chosen:
                break
            place, old = random.choice(chosen)
            if isinstance(old, Token):
                new: Node = old.changed(text=self.word(old, random))
            else:
                new = random.choice(self.pieces(self.key(old)) or [old])
            tree = tree.replace(place, new)
        return tree.root


class Visibility:
    """Knows which nodes vary and how they are shown: those of a parser by their slots in words."""

    def lexical(self, node: Node) -> bool:
        """Whether a node has only one possible text: a keyword or a sign."""
        return isinstance(node, Token) and not is_word(node)

    def left_alone(self, node: Node) -> bool:
        """Whether a node is never varied, nor anything below it: it only separates others."""
        return node.slot == SEPARATOR

    def name(self, tree: Tree, place: Place) -> str:
        """Return the name to show for a node."""
        node = tree.at(place)
        assert node is not None
        return plain_name(node.slot, node)

    def atomic(self, node: Node) -> bool:  # noqa: ARG002
        """Whether nothing below a node is looked at."""
        return False

    def same_as_child(self, node: Node) -> bool:  # noqa: ARG002
        """Whether a node holds nothing but its child, so that what holds for one does for both."""
        return False

    def authored(self, symbol: str) -> bool:  # noqa: ARG002
        """Whether people know a symbol by this name."""
        return False


SIGNS: Final = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?"}


def plain_name(slot: str, node: Node) -> str:
    """Return a node type of tree-sitter in plain words: `_argument_list item` is an argument."""
    base, item, _ = slot.partition(" item")
    listed = bool(item) or node.kind in QUANTIFIED
    base = base.strip("_<>").removesuffix("_list")
    if item and not base.endswith("s") and not base.endswith(("argument", "parameter")):
        # An element of a module or block says nothing by that name.
        statement = re.search(r"(statement|declaration|definition|assignment)", node.symbol)
        base = "statement" if statement else node.symbol.strip("_") if node.symbol else base
    elif listed and base.endswith("s") and not base.endswith("ss"):
        base = base[:-1]
    return (node_words(base) if base else "part") + SIGNS.get(node.kind, "")


def _fresh(token: Token, random: Random) -> bytes:
    """Return a new text for a word: of the same kind, as far as its spelling tells."""
    text = token.text
    name = "".join(random.choice(_LETTERS) for _ in range(random.randint(1, 6))).encode()
    opening, closing = quote_of(text)
    if opening:
        return text[:opening] + name + text[len(text) - closing :]
    if is_number(token):
        number = str(random.choice((0, 1, 2, 3, 7, 10, random.randint(0, 9999)))).encode()
        return number + b".5" if b"." in text else number
    if spelled_like_name(text):
        return name.capitalize() if text[:1].isupper() else name
    if len(text) > 1 and spelled_like_name(text[1:]):
        return text[:1] + name  # a sign before a name: `$x`, `@x`, `:x`
    return text
