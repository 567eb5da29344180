"""Samples from a grammar: trees of its productions, with the words of the input and fresh ones."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod
from random import Random
from typing import Final

from marrow.abstraction.fragments import text_before
from marrow.abstraction.renaming import respelled, words_of
from marrow.grammar.language import Language
from marrow.grammar.model.expressions import bodies_of, fold
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    GrammarError,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.tree import Branch, Glue, Node, Place, Token, Tree
from marrow.tree.foreign import foreign

#: How often a tree is drawn from the productions that the input uses rather than from all: often
#: enough to have valid ones among few samples, seldom enough to see much of the grammar in many.
_BIASED_SHARE: Final = 0.3

#: How often a tree's words are those of the input: declared names are valid, fresh ones general.
_WORDS_SHARE: Final = 0.5

#: How often a token's text is drawn afresh. A part that is a single token has only a few dozen
#: texts otherwise; a sample costs a test, so it does not matter that this takes longer.
_FRESH_SHARE: Final = 0.5

#: The bound of texts is worked out for rules that nest no deeper than this; others have many.
_DEEPEST: Final = 12


class GrammarFragments:
    """Trees of a grammar. `source` is a tree of the input, for its productions and words; None
    draws from the grammar alone, as the paper does."""

    def __init__(self, language: Language, source: Tree | None = None) -> None:
        self._language: Final = language
        self._plain: Final = language.generator(_FRESH_SHARE)
        self._drawable: Final = frozenset(self._plain.symbols)
        self._biased: Final = None if source is None else self._plain.biased_to(source)
        self._words: Final = {} if source is None else words_of(source)
        self._bodies: Final = bodies_of(language.grammar.tokens) | bodies_of(language.grammar.rules)
        self._bounds: Final[dict[str, float]] = {}

    def key(self, node: Node) -> str:
        """Return the symbol of a node."""
        return node.symbol

    def kin(self, node: Node) -> str:
        """Return the symbol of a node."""
        return node.symbol

    def narrower(self, node: Node) -> str:
        """Return nothing: in a grammar's trees a chain of nodes leads to a token."""
        del node
        return ""

    def placed(self, old: Node, new: Node) -> Node:
        """Return the new node: the grammar says where gaps must be."""
        del old
        return new

    def taken(self, node: Node) -> Node:
        """Return a node of the input to be put elsewhere, in the layout of a drawn one."""
        return foreign(node)

    def matches(self, text: bytes) -> bool:
        """Whether a text matches the grammar."""
        return self._language.matches(text)

    def can_draw(self, tree: Tree, place: Place) -> bool:
        """Whether there are trees to put in the place of a node."""
        node = tree.at(place)
        if node is None or node.symbol not in self._drawable:
            return False
        return self.least(node.symbol, text_before(tree, place)) is not None

    def least(self, key: str, preceding: str) -> Node | None:
        """Return a tree of the fewest tokens."""
        try:
            return foreign(self._plain.minimal(key, preceding).root)
        except GrammarError:
            return None

    def forms(self, key: str, preceding: str) -> Iterator[Node]:
        """Yield a tree for each alternative, with what the input is made of inside of it."""
        generator = self._biased or self._plain
        try:
            for number, node in enumerate(generator.forms(key, preceding)):
                random = Random(f"words of form {number} of {key}")
                yield self._with_known_words(node, random) if self._words else node
        except GrammarError:
            return

    def draw(self, key: str, random: Random, size: int, preceding: str) -> Node | None:
        """Return a random tree, None if the text of this size would be read differently."""
        generator = self._plain
        if self._biased is not None and random.random() < _BIASED_SHARE:
            generator = self._biased
        try:
            node = generator.node(random, key, size=size, preceding=preceding)
        except GrammarError:
            return None
        if self._words and isinstance(node, Branch) and random.random() < _WORDS_SHARE:
            node = self._with_known_words(node, random)
        return node

    def word(self, token: Token, random: Random) -> bytes:
        """Return another text for a token, of the input or a fresh one."""
        known = [word for word in self._words.get(token.symbol, ()) if word != token.text]
        if known and random.random() < _WORDS_SHARE:
            return random.choice(known)
        try:
            return self._plain.tree(random, start=token.symbol, size=1).text
        except GrammarError:
            return token.text

    def held(self, key: str, text: bytes) -> Node:
        """Return a token that has the text."""
        touching = self._language.grammar.scannerless
        return Token(key, text, glue=int(Glue.BEFORE | Glue.AFTER) if touching else 0)

    def bound(self, key: str) -> float:
        """Return how many texts a symbol has at most; infinity for all that repeats or nests."""
        return self._bound(key, 0) if key in self._bodies else inf

    def _bound(self, name: str, depth: int) -> float:
        if name not in self._bounds:
            self._bounds[name] = inf  # of what holds itself
            if depth <= _DEEPEST:
                self._bounds[name] = self._count(self._bodies[name], depth)
        return self._bounds[name]

    def _count(self, body: Expression, depth: int) -> float:

        def combine(one: Expression, inner: tuple[float, ...]) -> float:
            match one:
                case Literal(text=text, ignore_case=ignore):
                    return inf if ignore and text.lower() != text.upper() else 1
                case Characters(ranges=ranges):
                    return float(sum(high - low + 1 for low, high in ranges))
                case Reference(name=name):
                    return self._bound(name, depth + 1) if name in self._bodies else 1
                case Repeat(quantifier=Quantifier.OPTIONAL):
                    return 1 + inner[0]
                case Repeat():
                    return inf
                case Sequence():
                    return prod(inner)
                case Choice():
                    return sum(inner)

        return fold(body, combine)

    def _with_known_words(self, node: Node, random: Random) -> Node:
        def word(token: Token) -> bytes:
            known = self._words.get(token.symbol)
            return random.choice(known) if known else token.text

        return respelled(node, word)
