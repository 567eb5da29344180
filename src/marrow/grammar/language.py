"""A `Language`: a grammar and everything made from it, each thing made once and when it is needed.

It is the value that travels: whoever reads a grammar makes a language, and front ends, the search
for patterns, producers and recognisers share its parser, its tables and the text it parsed last.
Checks, generation and the normal form are loaded only if they are used: a reduction needs none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marrow.grammar.model.analysis import Words, shortest
from marrow.grammar.model.rules import Grammar, Note, Repeat, bare
from marrow.grammar.notations import read_file, read_grammar_text
from marrow.grammar.parser.parser import Parsed, Parser, compile_grammar
from marrow.tree import Tree

if TYPE_CHECKING:
    from marrow.grammar.generation.generate import Generator
    from marrow.grammar.readers.predicates import Assumptions


@dataclass(frozen=True, slots=True)
class GrammarSource:
    """A grammar as text, in one of the notations that marrow reads."""

    name: str
    start: str
    notation: str
    text: str

    @property
    def digest(self) -> str:
        """A hash of the text and the start rule."""
        content = f"{self.notation}\n{self.start}\n{self.text}".encode("utf-8", "surrogateescape")
        return hashlib.blake2b(content, digest_size=16).hexdigest()

    def read(self) -> Grammar:
        """Return the grammar; raise `GrammarError` if the text is not one."""
        return read_grammar_text(self.text, self.notation, self.name, self.start)

    @classmethod
    def of(cls, grammar: Grammar) -> GrammarSource:
        """Write a grammar down. Names that BNF does not allow are spelled differently."""
        from marrow.grammar.writer import write_bnf

        text, start = write_bnf(grammar)
        return cls(grammar.name, start, "bnf", text)


class Language:
    """A grammar with its parser, generator, normal form and source text.

    A language made from a `GrammarSource` reads it when the grammar is first asked for, so
    `GrammarError` may come from any use.
    """

    def __init__(self, grammar: Grammar | GrammarSource) -> None:
        self._given: Final = grammar
        self._text = grammar if isinstance(grammar, GrammarSource) else None
        self._last: Parsed | None = None

    @classmethod
    def from_file(
        cls,
        path: Path,
        start: str | None = None,
        assume: Assumptions | None = None,
        *,
        encoding: str | None = None,
    ) -> Language:
        """Read a grammar file; raise `GrammarError` if that is not possible.

        `assume` says which of its predicates hold, by the names of the calls in them; `encoding`
        is that of the texts.
        """
        file = read_file(path, start, assume)
        grammar = file.grammar if encoding is None else replace(file.grammar, encoding=encoding)
        language = cls(grammar)
        if file.alone and grammar is file.grammar:
            # The author's own text is the better source: comments and all.
            name, first = file.grammar.name, file.grammar.start
            language._text = GrammarSource(name, first, file.notation, file.text)
        return language

    def starting_at(self, rule: str) -> Language:
        """Return the same language with another start rule."""
        other = Language(replace(self._given, start=rule))
        if self._text is not None:
            other._text = replace(self._text, start=rule)
        return other

    @property
    def name(self) -> str:
        """The name of the grammar."""
        return self._given.name

    @property
    def start(self) -> str:
        """The start rule."""
        return self._given.start

    @cached_property
    def grammar(self) -> Grammar:
        """The grammar as it was read."""
        return self._given.read() if isinstance(self._given, GrammarSource) else self._given

    @cached_property
    def source(self) -> GrammarSource:
        """A text of the grammar that needs no other files: the author's own where there is one.

        In any other, names may be spelled differently (see `self_contained`).
        """
        return self._text or GrammarSource.of(self.grammar)

    @cached_property
    def self_contained(self) -> Language:
        """The language that `source` describes: this one, unless the grammar had to be written."""
        if self._text is not None:
            return self
        written = Language(self.source)
        written.predicates = self.predicates  # as their author wrote them
        return written

    @cached_property
    def notes(self) -> list[Note]:
        """Notes for the author of the grammar, errors among them."""
        from marrow.grammar.check import check

        return check(self.grammar)

    @cached_property
    def predicates(self) -> list[str]:
        """The predicates, each with its rule; those that nothing is known of come first."""
        notes = [note for note in self.grammar.notes if note.predicate]
        notes.sort(key=lambda note: "taken to be true" not in note.message)
        return [note.predicate for note in notes]

    def normalized(self) -> Language:
        """Return the language by its grammar in Perses Normal Form.

        A rule that is nothing but a list is one node of the trees. Raises `GrammarError` if the
        form is too large.
        """
        from marrow.grammar.normal.normalize import normalize

        made = normalize(self.grammar)
        lists = {
            name: replace(rule, auxiliary=True)
            for name, rule in made.rules.items()
            if name != made.start and isinstance(bare(rule.body), Repeat)
        }
        return Language(replace(made, rules={**made.rules, **lists}))

    @cached_property
    def parser(self) -> Parser:
        """The parser; raises `GrammarError` if the grammar cannot be used."""
        return compile_grammar(self.grammar)

    @cached_property
    def written_parser(self) -> Parser:
        """The parser that finds no lists: its trees are those of the rules as written."""
        return compile_grammar(self.grammar, lists=False)

    @cached_property
    def minimal_texts(self) -> dict[str, tuple[bytes, ...]]:
        """The text of fewest characters of each rule and token (the published Φ of HDD)."""
        from marrow.grammar.model.analysis import minimal_texts

        return minimal_texts(self.grammar)

    @cached_property
    def shortest(self) -> dict[str, Words]:
        """The shortest text of each rule and each token (the Φ of HDD)."""
        return shortest(self.grammar)

    def generator(self, **options: float) -> Generator:
        """Return a generator of random trees; `fresh` is the share of words drawn afresh."""
        from marrow.grammar.generation.generate import Generator

        return Generator(self.grammar, parser=self.parser, **options)

    def parse(self, text: bytes, *, chains: bool = True) -> Tree:
        """Return the tree of a text; raise `ParseError` if it does not match the grammar.

        Without `chains` a rule that holds nothing but another rule is left out of the tree; its
        name remains as the slot.
        """
        return self.read(text).tree(chains=chains)

    def read(self, text: bytes) -> Parsed:
        """Parse a text; raise `ParseError` if it does not match the grammar.

        The text that was read last is remembered: several people look at the same input.
        """
        last = self._last
        if last is None or last.text != text:
            # Forgotten first: two derivations of a large input need not be in memory together.
            self._last = None
            self._last = last = self.parser.read(text)
        return last

    def matches(self, text: bytes) -> bool:
        """Whether a text matches the grammar; faster than `parse`, which builds a tree."""
        last = self._last
        return (last is not None and last.text == text) or self.parser.matches(text)
