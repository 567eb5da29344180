"""Recognises the texts of a pattern: parses them by the pattern, then compares its groups.

A pattern is a sequence: tokens that are given, and nonterminals that are free. That is one more
production on top of the grammar's, and Earley's algorithm ("An efficient context-free parsing
algorithm", 1970) finds for every nonterminal all stretches of tokens that it may be, whatever the
grammar. A search through these stretches then looks for a way to read the text in which all parts
of a context-sensitive group have the same tokens. White space and comments do not count. Of the
first such reading parts that must differ are compared, and names that stand nowhere else looked up.

Cost: linear for most grammars of languages, cubic at worst for Earley's part. The search is linear
in the stretches if groups are single tokens; with g groups that can be read in s ways it may look
at s ** g combinations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from marrow.abstraction.earley import Chart, FreePart, Given, Symbols
from marrow.abstraction.group_reading import Groups, PatternMatch, answer
from marrow.abstraction.hole_rules import unfit, unknown_names
from marrow.abstraction.parser_recogniser import ParserRecogniser
from marrow.abstraction.pattern import VARIABLE, Pattern
from marrow.grammar.language import Language
from marrow.grammar.model.parse_error import ParseError, line_and_column
from marrow.grammar.parser.parser import TextToken
from marrow.tree import ROOT, Node, Place, Token


class GrammarRecogniser:
    """Recognises the texts of one pattern by its grammar."""

    def __init__(self, pattern: Pattern, language: Language) -> None:
        self._parser: Final = language.parser
        self._symbols: Final = Symbols(self._parser.bnf)
        self._holes: Final = pattern.holes()
        self._groups: Final = Groups(pattern)
        self._parts: Final = self._flat(pattern)

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern."""
        try:
            lexemes = self._parser.tokens(text)
        except ParseError as error:
            return PatternMatch(reason=f"not read by the grammar: {error}")
        kinds = [self._symbols.kind(lexeme.symbol) for lexeme in lexemes]
        texts = [lexeme.text for lexeme in lexemes]
        chart = Chart(self._symbols, self._parts, kinds, texts)
        if not chart.whole:
            return PatternMatch(reason=self._furthest(chart, text, lexemes))
        numbers = [part.hole if isinstance(part, FreePart) else None for part in self._parts]
        return answer(
            self._holes,
            self._groups,
            numbers,
            texts,
            chart.ends,
            lambda start, end: _stretch(text, lexemes, start, end),
        )

    # -- the pattern as a sequence ---------------------------------------------------------------

    def _flat(self, pattern: Pattern) -> list[Given | FreePart]:
        """Return the tokens and holes of a pattern in the order of the text."""
        # The lexer says what kind a token is: the same text may be another one elsewhere.
        kinds = [self._symbols.kind(one.symbol) for one in self._parser.tokens(pattern.tree.text)]
        number = {place: index for index, hole in enumerate(self._holes) for place in hole.places}
        found: list[Given | FreePart] = []
        read = 0
        stack: list[tuple[Place, Node]] = [(ROOT, pattern.tree.root)]
        while stack:
            place, node = stack.pop()
            if pattern.mark_at(place) in VARIABLE:
                found.append(self._symbols.part(number[place], node.symbol))
                read += self._lexemes(node)
            elif isinstance(node, Token):
                for text in self._spelled(node):
                    found.append(Given(kinds[read], text))
                    read += 1
            else:
                stack.extend((place.child(child.key), child) for child in reversed(node.children))
        return found

    def _spelled(self, token: Token) -> Sequence[str]:
        """Return the texts of what the lexer reads as a token: characters if there is no lexer."""
        text = token.text.decode("utf-8", "surrogateescape")
        return text if self._parser.grammar.scannerless else (text,)

    def _lexemes(self, node: Node) -> int:
        """Return how many lexemes a node has."""
        if not self._parser.grammar.scannerless:
            return node.token_count
        return sum(len(self._spelled(token)) for token in _tokens(node))

    # -- answers ---------------------------------------------------------------------------------

    def _furthest(self, chart: Chart, text: bytes, lexemes: Sequence[TextToken]) -> str:
        """Say how far a text agrees with the pattern."""
        read, at = chart.furthest
        decoded = text.decode("utf-8", "surrogateescape")
        start = lexemes[at].start if at < len(lexemes) else len(decoded)
        line, column = line_and_column(decoded, start)
        if read == len(self._parts):
            expected = "the end of the input"
        else:
            part = self._parts[read]
            if isinstance(part, Given):
                expected = repr(part.text)
            else:
                expected = f"<{self._holes[part.hole].marked.name}>"
        return f"line {line}, column {column}: no further than to {expected}"


def _stretch(text: bytes, lexemes: Sequence[TextToken], start: int, end: int) -> str:
    end = min(end, len(lexemes))
    if start >= end:
        return ""
    decoded = text.decode("utf-8", "surrogateescape")
    return decoded[lexemes[start].start : lexemes[end - 1].end]


def _tokens(node: Node) -> list[Token]:
    found: list[Token] = []
    stack = [node]
    while stack:
        one = stack.pop()
        if isinstance(one, Token):
            found.append(one)
        stack.extend(one.children)
    return found


class Recogniser:
    """Recognises the texts of one pattern."""

    def __init__(self, pattern: Pattern) -> None:
        language = pattern.language
        self._pattern: Final = pattern
        self._inner: Final = (
            GrammarRecogniser(pattern, language)
            if isinstance(language, Language)
            else ParserRecogniser(pattern, language)
        )

    def match(self, text: bytes) -> PatternMatch:
        """Say whether a text belongs to the pattern."""
        found = self._inner.match(text)
        if not found:
            return found
        if reason := unfit(self._pattern, found.parts):
            return PatternMatch(reason=reason)
        return replace(found, doubt=found.doubt or unknown_names(found.parts))
