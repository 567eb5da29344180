"""The part of a pattern that people need to see: lexical and invisible nonterminals, and names.

A nonterminal is lexical if it has only one text (`<BEGIN>` for `begin`): it is shown by that text
and is never varied. An abstract node is invisible if its text in the input is empty or white space:
it matters for producing inputs, not for reading the pattern. Names of holes are those that the
author of the grammar gave; what a transformation named is shown by what it is made of.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from marrow.abstraction.fragments import FragmentSource, Visible
from marrow.abstraction.grammar_fragments import GrammarFragments
from marrow.abstraction.parser_language import ParserLanguage, ParserVisibility
from marrow.grammar.language import Language
from marrow.grammar.model.expressions import bodies_of, fold, references, settle
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Repeat,
    Sequence,
)
from marrow.tree import Kind, Node, Place, Token, Tree

#: A part that has no name of its own is shown by at most this number of names and signs in it.
_MOST_PARTS: Final = 3

#: Stands for a rule that has several texts.
_MANY: Final = object()

_SIGNS: Final = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?"}
_ENDINGS: Final = {Kind.STAR: "_star", Kind.PLUS: "_plus", Kind.OPTIONAL: "_opt"}


class Visibility:
    """Knows what to show of the trees of one grammar."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar: Final = grammar
        self._texts: Final = _only_texts(grammar)
        self._tokens: Final = _tokens_by_name(grammar) if grammar.scannerless else frozenset()

    def lexical(self, node: Node) -> bool:
        """Whether a node has only one possible text."""
        symbol = node.symbol
        if symbol in self._texts:
            return self._texts[symbol] is not _MANY
        # A token that no rule names is a literal of some rule.
        return isinstance(node, Token)

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
        sign = _SIGNS.get(node.kind, "")
        if sign:
            base = node.symbol.removesuffix(_ENDINGS[node.kind])
            if self.authored(base):
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
        return f"part of {self._above(tree, place)}{sign}"

    def _part(self, node: Node) -> str:
        """Return the name of a part of a node that has none, or its text if it is a sign."""
        if (own := self._own_name(node)) and not self.lexical(node):
            return own
        if not node.token_count:
            base = node.symbol.removesuffix(_ENDINGS.get(node.kind, ""))
            return (
                f"{base}{_SIGNS[node.kind]}" if node.kind in _SIGNS and self.authored(base) else ""
            )
        if isinstance(node, Token):
            return node.text.decode("utf-8", "backslashreplace")
        return self._part(node.children[0]) if len(node.children) == 1 else ""

    def _above(self, tree: Tree, place: Place) -> str:
        """Return the name of the nearest node above that has one."""
        step = place.parent
        while step is not None:
            node = tree.at(step)
            if node is not None and (own := self._own_name(node)):
                return own
            step = step.parent
        return self._grammar.start

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
    while True:
        match body:
            case Sequence(items=(only,)) | Choice(alternatives=(only,)):
                body = only
            case _:
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


def _only_texts(grammar: Grammar) -> dict[str, object]:
    """Return for each rule and token its only text, or `_MANY`.

    Starts from nothing and goes up until nothing changes: each rule changes at most twice.
    """
    bodies = bodies_of(grammar.tokens) | bodies_of(grammar.rules)
    known: dict[str, object] = {}

    def update(name: str) -> bool:
        text = _only_text(bodies[name], known)
        if known.get(name) is _MANY or text is None or text == known.get(name):
            return False
        known[name] = _MANY if name in known else text
        return True

    settle(bodies, update)
    return {name: known.get(name, _MANY) for name in bodies}


def _only_text(body: Expression, known: dict[str, object]) -> object:
    """Return the only text of an expression, `_MANY`, or None if there is none so far."""

    def combine(one: Expression, inner: tuple[object, ...]) -> object:
        match one:
            case Literal(text=text, ignore_case=ignore):
                return _MANY if ignore and text.lower() != text.upper() else text
            case Characters(ranges=ranges):
                single = len(ranges) == 1 and ranges[0][0] == ranges[0][1]
                return chr(ranges[0][0]) if single else _MANY
            case Reference(name=name):
                return "" if name == END_OF_INPUT else known.get(name)
            case Repeat():
                return _MANY
            case Sequence():
                if _MANY in inner:
                    return _MANY
                texts = [part for part in inner if isinstance(part, str)]
                return "".join(texts) if len(texts) == len(inner) else None
            case Choice():
                found = set(inner) - {None}
                if len(found) > 1:
                    return _MANY
                return found.pop() if found else None

    return fold(body, combine)


PatternLanguage: TypeAlias = Language | ParserLanguage


def fragments_of(language: PatternLanguage, source: Tree | None) -> FragmentSource:
    """Return what samples of a language are made of."""
    if isinstance(language, ParserLanguage):
        return language
    return GrammarFragments(language, source)


def visibility_of(language: PatternLanguage) -> Visible:
    """Return what knows how the nodes of a language's trees are shown."""
    if isinstance(language, ParserLanguage):
        return ParserVisibility()
    return Visibility(language.grammar)
