"""Front ends turn texts into trees, and know what fits a slot and which candidates are valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import ClassVar, Protocol

from marrow.languages.language_facts import facts_of
from marrow.syntax.compact_text import Reading, compact_text, joined_tokens
from marrow.tree import Node, Tree
from marrow.tree.name_spelling import NameSpelling
from marrow.tree.outline import DeclarationOutline, TextPart
from marrow.tree.tree import TreeAsWritten


class Validity(Protocol):
    """Says in memory, without a test, whether a candidate is still valid in its language."""

    def rebase(self, tree: Tree) -> None:
        """Set the tree that the next candidates are made from."""

    def valid(self, tree: Tree) -> bool:
        """Return whether a candidate has no more syntax errors than the input."""

    def copy(self) -> Validity:
        """Return a copy that can be rebased without changing this one."""


class FrontEnd:
    """A way to see a text as a tree.

    The defaults are those of a text without syntax: every candidate is valid, nothing is learned,
    and no node takes the place of another.
    """

    #: The language or granularity: `c`, `python`, `lines`, `bytes`; and the same for people.
    name: str
    description: str

    #: Candidates are valid by construction; nothing else checks them.
    exact: ClassVar[bool] = True
    #: The text has names and literals, on which passes work.
    has_syntax: ClassVar[bool] = False
    #: Speculation may enter the next round: its `fresh` front end judges candidates alike.
    restarts: ClassVar[bool] = False
    #: Lines, words and bytes follow where a text has errors, for what it cannot parse.
    falls_back: ClassVar[bool] = False
    #: The number of pieces of a large text; 0 if the front end sees every token.
    pieces: int = 0
    #: The language whose declarations alone it sees; empty if it sees more, or other things.
    outlined: str = ""

    @property
    def model_name(self) -> str:
        """What the removal model of its trees is called; see `marrow.learn.model`."""
        return self.name

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree. Never fails: regions that do not parse become lists."""
        raise NotImplementedError

    def coarse_view(self, _text: bytes, _pieces: int) -> Tree | None:
        """Return a text as a tree of about so many pieces; None if it is small enough without."""
        return None

    def outline(self, _text: bytes) -> DeclarationOutline | None:
        """Return the outline of a text; None if it is small enough without."""
        return None

    def definition_parts(self, _text: bytes) -> tuple[TextPart, ...]:
        """Return the parts of the definitions in a text that declarations do without."""
        return ()

    def fresh(self) -> FrontEnd:
        """Return the same front end without the facts it learned."""
        return self

    def commented(self) -> FrontEnd | None:
        """Return a fresh front end in whose trees comments are tokens; None if there is none."""
        return None

    def errors(self, _text: bytes) -> bool:
        """Return whether a text has syntax errors."""
        return False

    def validity(self) -> Validity | None:
        """Return what checks candidates; None if all of them are valid."""
        return None

    def accepts(self, _slot: str, _node: Node) -> bool:
        """Return whether a node fits a slot, as far as the front end knows."""
        return False

    def minimal(self, _name: str, _node: Node) -> Node | None:
        """Return the shortest node of a slot or symbol of `node`, if the front end knows one."""
        return None

    def readings(self, text: bytes) -> Iterator[Reading]:
        """Yield the aspects in which two texts with the same meaning agree, the cheapest first."""
        yield joined_tokens((token.text, token.glue) for token in self.parse(text).tokens())

    def normalized(self) -> FrontEnd | None:
        """Return the front end by the grammar in Perses Normal Form; None without a grammar."""
        return None

    def written(self, _text: bytes) -> TreeAsWritten | None:
        """Return a text by the rules of its grammar as written; None without a grammar."""
        return None

    def compact(self, tree: Tree, *, lines: bool = True) -> bytes:
        """Return the text of a tree in the shortest layout that reads the same."""
        return compact_text(self.readings, tree, lines=lines)


@cache
def spelling_of(language: str) -> NameSpelling:
    """Return what names look like in a language; where nothing is known, it is learned."""
    facts = facts_of(language).names
    known = re.compile(facts.known.encode(), re.VERBOSE) if facts.known else None
    marked = re.compile(facts.spelling.encode()) if facts.spelling else None
    return NameSpelling(marked, known, soft=frozenset(one.encode() for one in facts.soft))
