"""Languages with a grammar: samples of its productions, and what people need to see of its trees.

Samples are trees of the grammar with the words of the input and fresh ones. A nonterminal is
lexical if it has only one text (`<BEGIN>` for `begin`): it is shown by that text and is never
varied. An abstract node is invisible if its text in the input is empty or white space: it matters
for producing inputs, not for reading the pattern. Names of holes are those that the author of the
grammar gave; what a transformation named is shown by what it is made of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from math import inf, prod
from random import Random
from typing import Final, TypeAlias

from marrow.abstraction.fragments import FragmentSource, text_before
from marrow.abstraction.parser_language import SIGNS, ParserLanguage, Visibility
from marrow.abstraction.samples import respelled, words_of
from marrow.grammar.language import Language
from marrow.grammar.model.expressions import bodies_of, fold, references, settle
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.tree import Branch, Glue, Kind, Node, Place, Token, Tree
from marrow.tree.node import foreign

#: How often a tree is drawn from the productions that the input uses rather than from all: often
#: enough to have valid ones among few samples, seldom enough to see much of the grammar in many.
_BIASED_SHARE: Final = 0.3

#: How often a tree's words are those of the input: declared names are valid, fresh ones general.
_WORDS_SHARE: Final = 0.5

#: How often a token's text is drawn afresh. A part that is a single token has only a few dozen
#: texts otherwise; a sample costs a test, so it does not matter that this takes longer.
_FRESH_SHARE: Final = 0.5

#: More texts than these are many: samples of a part say nothing about all of them.
_MANY: Final = 100


class GrammarFragments(FragmentSource):
    """Trees of a grammar. `source` is a tree of the input, for its productions and words; None
    draws from the grammar alone, as the paper does."""

    def __init__(self, language: Language, source: Tree | None = None) -> None:
        self._language: Final = language
        self._plain: Final = language.generator(fresh=_FRESH_SHARE)
        self._drawable: Final = frozenset(self._plain.symbols)
        self._biased: Final = (
            None if source is None else self._plain.biased_to(language.read(source.text))
        )
        self._words: Final = {} if source is None else words_of(source)
        self._bodies: Final = _bodies(language.grammar)

    def key(self, node: Node) -> str:
        """Return the symbol of a node."""
        return node.symbol

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

    def signs(self) -> list[bytes]:
        """Return the literals of the grammar."""
        found: dict[str, None] = {}
        for body in self._bodies.values():
            fold(body, lambda one, _: found.setdefault(getattr(one, "text", "")))
        return [one.encode() for one in found if one]

    def bound(self, key: str) -> float:
        """Return how many texts a symbol has; infinity for many."""
        return self._counts.get(key, inf)

    @cached_property
    def _counts(self) -> dict[str, float]:
        return text_counts(self._bodies)

    def _with_known_words(self, node: Node, random: Random) -> Node:
        def word(token: Token) -> bytes:
            known = self._words.get(token.symbol)
            return random.choice(known) if known else token.text

        return respelled(node, word)


#: A part that has no name of its own is shown by at most this number of names and signs in it.
_MOST_PARTS: Final = 3

_ENDINGS: Final = {Kind.STAR: "_star", Kind.PLUS: "_plus", Kind.OPTIONAL: "_opt"}


class GrammarVisibility(Visibility):
    """Knows what to show of the trees of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar: Final = grammar
        self._counts: Final = text_counts(_bodies(grammar))
        self._tokens: Final = _tokens_by_name(grammar) if grammar.scannerless else frozenset()

    def lexical(self, node: Node) -> bool:
        """Whether a node has only one possible text."""
        # A token that no rule names is a literal of some rule.
        return self._counts.get(node.symbol, 1 if isinstance(node, Token) else inf) <= 1

    def left_alone(self, node: Node) -> bool:
        """Whether a node is white space that a grammar without a lexer spells out (`<_SKIP>`)."""
        return self._grammar.scannerless and node.symbol.lstrip("<_").startswith("SKIP")

    def atomic(self, node: Node) -> bool:
        """Whether a node is a token of a grammar without a lexer.

        Its name is in capitals, and so are those of all that it is made of: `<START>` is none.
        """
        return node.symbol in self._tokens

    def same_as_child(self, node: Node) -> bool:
        """Whether the rule of a node is nothing but the rule of its only child."""
        rule = self._grammar.rules.get(node.symbol)
        return (
            rule is not None
            and len(node.children) == 1
            and _alone(rule.body) == Reference(node.children[0].symbol)
        )

    def name(self, tree: Tree, place: Place) -> str:
        """Return the name to show for a node."""
        node = tree.at(place)
        assert node is not None
        own = self._own_name(node)
        if own:
            return own
        sign = SIGNS.get(node.kind, "")
        if sign:
            if self.authored(base := node.symbol.removesuffix(_ENDINGS[node.kind])):
                return f"{base}{sign}"
            inner = {self._own_name(child) for child in node.elements}
            if len(inner) == 1 and (only := inner.pop()):
                return f"{only}{sign}"
        held = [one for one in node.children if not self.left_alone(one)]
        # What is empty is named too, if there is room: `, argument?` says more than `,`.
        for shown in (held, [one for one in held if one.token_count]):
            parts = [self._part(child) for child in shown]
            if parts and len(parts) <= _MOST_PARTS and all(parts):
                return f"{' '.join(parts)}{sign}"
        above = (tree.at(step) for step in place.upwards() if step != place)
        names = (self._own_name(one) for one in above if one is not None)
        return f"part of {next(filter(None, names), self._grammar.start)}{sign}"

    def _part(self, node: Node) -> str:
        """Return the name of a part of a node that has none, or its text if it is a sign."""
        if (own := self._own_name(node)) and not self.lexical(node):
            return own
        if not node.token_count:
            base = node.symbol.removesuffix(_ENDINGS.get(node.kind, ""))
            return f"{base}{SIGNS[node.kind]}" if node.kind in SIGNS and self.authored(base) else ""
        if isinstance(node, Token):
            return node.text.decode("utf-8", "backslashreplace")
        return self._part(node.children[0]) if len(node.children) == 1 else ""

    def _own_name(self, node: Node) -> str:
        """Return the name that the grammar's author gave, or nothing."""
        if not self.authored(node.symbol):
            return ""
        if not self._grammar.scannerless:
            return node.symbol
        # Names of converted grammars: `<_Identifier_sp_>` is an Identifier with its space.
        plain = node.symbol.strip("<>").strip("_")
        return plain.removesuffix("_sp").strip("_") or node.symbol

    def authored(self, symbol: str) -> bool:
        """Whether the author of the grammar gave this name."""
        rule = self._grammar.rules.get(symbol)
        if rule is not None:
            return not rule.auxiliary
        return symbol in self._grammar.tokens


def _alone(body: Expression) -> Expression:
    """Return what a body holds, without choices of one and sequences of one."""
    while isinstance(body, Sequence | Choice):
        inner = body.items if isinstance(body, Sequence) else body.alternatives
        if len(inner) != 1:
            break
        body = inner[0]
    return body


def _tokens_by_name(grammar: Grammar) -> frozenset[str]:
    """Return the rules that are named like tokens, and refer to nothing that is not."""
    found = {
        name
        for name, rule in grammar.rules.items()
        if rule.auxiliary or (name.upper() == name and any(map(str.isalpha, name)))
    }
    used = {
        name: {one.name for one in references(grammar.rules[name].body)} - {END_OF_INPUT}
        for name in found
    }
    while spoilt := {name for name in found if not used[name] <= found}:
        found -= spoilt
    return frozenset(name for name in found if not grammar.rules[name].auxiliary)


def _bodies(grammar: Grammar) -> dict[str, Expression]:
    return bodies_of(grammar.tokens) | bodies_of(grammar.rules)


def text_counts(bodies: Mapping[str, Expression]) -> dict[str, float]:
    """Return how many texts each rule and token has, infinity for many.

    Starts from none and goes up until nothing changes: what repeats or holds itself has many.
    """
    known = dict.fromkeys(bodies, 0.0)

    def update(name: str) -> bool:
        before, known[name] = known[name], _count(bodies[name], known)
        return known[name] != before

    settle(bodies, update)
    return known


def _count(body: Expression, known: Mapping[str, float]) -> float:

    def combine(one: Expression, inner: tuple[float, ...]) -> float:
        match one:
            case Literal(text=text, ignore_case=ignore):
                return inf if ignore and text.lower() != text.upper() else 1
            case Characters(ranges=ranges):
                return float(sum(high - low + 1 for low, high in ranges))
            case Reference(name=name):
                return known.get(name, 1)
            case Repeat(quantifier=Quantifier.OPTIONAL):
                return 1 + inner[0]
            case Repeat():
                return inf if inner[0] else 0
            case Sequence():
                return 0 if 0 in inner else prod(inner)
            case Choice():
                return sum(inner)

    found = fold(body, combine)
    return found if found <= _MANY else inf


PatternLanguage: TypeAlias = Language | ParserLanguage


def fragments_of(language: PatternLanguage, source: Tree | None) -> FragmentSource:
    """Return what samples of a language are made of."""
    if isinstance(language, ParserLanguage):
        return language
    return GrammarFragments(language, source)


def visibility_of(language: PatternLanguage) -> Visibility:
    """Return what knows how the nodes of a language's trees are shown."""
    if isinstance(language, ParserLanguage):
        return Visibility()
    return GrammarVisibility(language.grammar)
