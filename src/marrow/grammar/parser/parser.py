"""Grammars to parsers: `compile_grammar` makes a `Parser`."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from marrow.base.reachability import reached
from marrow.grammar.model.parse_error import ParseError, line_and_column, quoted
from marrow.grammar.model.rules import Grammar
from marrow.grammar.parser.bnf import END_TERMINAL, HANDED_ON, Derivation, Production, Shape
from marrow.grammar.parser.glr import Engine, Rejected
from marrow.grammar.parser.lexer import Lexemes
from marrow.grammar.parser.lr_tables import Tables
from marrow.grammar.parser.translate import Translation, translate
from marrow.grammar.parser.trees import Layout, TreeBuilder
from marrow.tree import Tree


@dataclass(frozen=True, slots=True)
class TextToken:
    """A token of a text, for people to look at; `start` and `end` are offsets in characters."""

    symbol: str
    text: str
    start: int
    end: int


def compile_grammar(grammar: Grammar, *, lists: bool = True) -> Parser:
    """Make a parser; raise `GrammarError` if the grammar cannot be used.

    Without `lists`, trees are those of the rules as written.
    """
    return Parser(grammar, translate(grammar, lists=lists))


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A text that was parsed; its trees can be built in more than one form."""

    text: bytes
    derivation: Derivation
    _build: Callable[[bool], Tree]

    def tree(self, *, chains: bool = True) -> Tree:
        """Return the tree.

        Without `chains` a rule that holds nothing but another rule is left out of the tree; its
        name remains as the slot.
        """
        return self._build(chains)


class Parser:
    """Parses texts with a grammar."""

    def __init__(self, grammar: Grammar, translation: Translation) -> None:
        self.grammar: Final = grammar
        self.translation: Final = translation
        self.bnf: Final = translation.bnf
        self._accepted: dict[str, Container[str]] = {}

    def parse(self, text: bytes, *, chains: bool = True) -> Tree:
        """Return the tree of a text, as `read` and `Parsed.tree` do."""
        return self.read(text).tree(chains=chains)

    def read(self, text: bytes) -> Parsed:
        """Parse a text; raise `ParseError` if it does not match the grammar."""
        with _without_collection():
            lexemes = self._lex(text)
            empty = self.bnf.empty_rules.get(self.grammar.start)
            if not lexemes.kinds and empty is not None:
                return Parsed(text, None, lambda _: Tree(empty, text, b""))
            try:
                derivation = self._engine.parse(lexemes.kinds)
            except Rejected as rejected:
                raise self._error(lexemes, rejected.position) from None
        layout = Layout(text, lexemes, self.grammar.encoding)

        def build(chains: bool) -> Tree:
            with _without_collection():
                return self._trees.build(derivation, layout, self.grammar.start, chains=chains)

        return Parsed(text, derivation, build)

    def production_counts(self, parsed: Parsed) -> Counter[int]:
        """Count the productions in the derivation of a text, by their numbers in `bnf`."""
        numbers = {id(one): number for number, one in enumerate(self.bnf.productions)}
        counts: Counter[int] = Counter()
        work = [parsed.derivation]
        while work:
            one = work.pop()
            if isinstance(one, tuple | list):
                work += one[2:]
                if one[0] != HANDED_ON:
                    counts[numbers[id(self._productions[one[0]])]] += 1
        return counts

    def matches(self, text: bytes) -> bool:
        """Whether a text matches the grammar; faster than `parse`, which builds a tree."""
        with _without_collection():
            try:
                lexemes = self._lex(text)
                if lexemes.kinds or self.grammar.start not in self.bnf.empty_rules:
                    self._engine.parse(lexemes.kinds)
            except (ParseError, Rejected):
                return False
        return True

    def tokens(self, text: bytes) -> list[TextToken]:
        """Return the tokens that the parser sees; raise `ParseError` where none matches."""
        lexemes = self._lex(text)
        return [
            TextToken(self.bnf.terminals[kind], lexemes.text[start:end], start, end)
            for kind, start, end in zip(lexemes.kinds, lexemes.starts, lexemes.ends, strict=True)
        ]

    def starts(self, text: bytes) -> set[int]:
        """Return where the tokens that the parser sees start, in bytes."""
        lexemes = self._lex(text)
        return set(Layout(text, lexemes, self.grammar.encoding).starts)

    def accepts(self, slot: str, symbol: str) -> bool:
        """Whether a slot accepts a node with this symbol: the closure of unit alternatives."""
        known = self._accepted.get(slot)
        if known is None:
            units = self.bnf.units
            known = self._accepted[slot] = reached((slot,), lambda one: units.get(one, ()))
        return symbol in known

    @property
    def glued(self) -> bool:
        """Whether tokens touch without a blank, so that a deletion may make one of two.

        A grammar without token rules has no such tokens: its characters are what they are.
        """
        return not self.grammar.scannerless and any(self.translation.lexer.glue.values())

    # -- inside -------------------------------------------------------------------------------

    def _lex(self, data: bytes) -> Lexemes:
        return self.translation.lexer.run(data.decode(self.grammar.encoding, "surrogateescape"))

    def _error(self, lexemes: Lexemes, position: int) -> ParseError:
        text = lexemes.text
        names = self.bnf.terminals
        expected = self._engine.expected(lexemes.kinds, position, len(names))
        readable = ["the end of the input" if k == END_TERMINAL else names[k] for k in expected]
        if position == len(lexemes.kinds):
            return ParseError(*line_and_column(text, len(text)), "the end of the input", readable)
        start, end = lexemes.starts[position], lexemes.ends[position]
        return ParseError(*line_and_column(text, start), quoted(text[start:end]), readable)

    # -- made when they are needed ------------------------------------------------------------

    @cached_property
    def _productions(self) -> list[Production]:
        """The productions below the start rule, after the one that accepts."""
        bnf = self.bnf
        start = bnf.starts[self.grammar.start]
        by_left: dict[int, list[Production]] = {}
        for one in bnf.productions:
            by_left.setdefault(one.left, []).append(one)
        seen = {start}
        work = [start]
        found = [Production(len(bnf.names), (start,), 0, 0, Shape.SPLICE, "", ())]
        while work:
            symbol = work.pop()
            own = by_left.get(symbol, [])
            found += own
            below = [*bnf.groups.get(symbol, ()), *(part for one in own for part in one.right)]
            new = [part for part in dict.fromkeys(below) if part not in seen]
            seen.update(new)
            work += reversed(new)
        return found

    @cached_property
    def tables(self) -> Tables:
        """The tables, as far as texts have needed them."""
        plain = [(one.left, one.right) for one in self._productions]
        return Tables(plain, self.bnf.groups, len(self.bnf.terminals))

    @cached_property
    def _engine(self) -> Engine:
        variants = {one for members in self.bnf.groups.values() for one in members}
        return Engine(self.tables, self._productions, frozenset(variants))

    @cached_property
    def _trees(self) -> TreeBuilder:
        return TreeBuilder(self.bnf, self._productions)


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Switch garbage collection off: parsing makes many objects and no cycles worth finding."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
