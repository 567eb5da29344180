"""The tree-sitter front end: trees for every language of the language pack, with no grammar file.

The concrete tree shows the lists. The parser is asked which children are optional, once for each
shape of node (`marrow.syntax.build_nodes`). A slot accepts the nodes that were seen in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

import tree_sitter

from marrow.base.reachability import reached
from marrow.languages.language_facts import facts_of
from marrow.syntax.build_nodes import Knowledge, NodeBuilder
from marrow.syntax.compact_text import Reading
from marrow.syntax.concrete_tree import concrete_tree, visible_nodes
from marrow.syntax.definition_parts import DefinitionParts
from marrow.syntax.front_end import FrontEnd, Validity, spelling_of
from marrow.syntax.masking.masked_parse import MaskedParse, MaskedParser
from marrow.syntax.parsers import collection_paused
from marrow.syntax.reparse import ParserProber, ReparseValidity
from marrow.syntax.tokens import Tokens, is_comment
from marrow.tree import Node, Token, Tree
from marrow.tree.outline import TextPart


class TreeSitterFrontEnd(FrontEnd):
    """Parses one language. It learns from the first text, the input.

    Facts from later texts count for those texts alone: speculation parses texts too, and how far it
    reaches must not change a result.
    """

    exact = False
    has_syntax = True
    restarts = True
    falls_back = True

    def __init__(self, language: str, *, comments: bool = False) -> None:
        """Raise LookupError if the pack has no such language. `comments` are tokens or layout."""
        self._comments: Final = comments
        self._sees: Final = MaskedParser(language)
        self.name = language
        self.description = f"{language}, parsed by tree-sitter"
        self._indented: Final = facts_of(language).indented
        self._knowledge: Final = Knowledge(fits=set(_subtypes(self._sees.grammar)))
        self._learned = False
        self._closed = -1
        self._closure: Final[dict[str, frozenset[str]]] = {}
        self._below: Final[dict[str, list[str]]] = {}

    def definition_parts(self, text: bytes) -> tuple[TextPart, ...]:
        """Return the parts of the definitions in a text that declarations do without."""
        return DefinitionParts(self.name).parts(text)

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree."""
        parsed, shown, hidden = self._sees.see(text)
        with collection_paused():
            raw = concrete_tree(parsed, shown)
            aligned = facts_of(self.name).aligned
            tokens = Tokens(
                raw,
                text,
                indented=self._indented,
                aligned=aligned,
                hidden=hidden,
                comments=self._comments,
            )
            prober = ParserProber(self._sees.parser, parsed, shown)
            knowledge = self._knowledge.copy() if self._learned else self._knowledge
            self._learned = True
            root = NodeBuilder(tokens, prober, knowledge).build(raw)
        gaps, spelling = (tokens.head, tokens.tail), spelling_of(self.name)
        return Tree(root, *gaps, indented=self._indented, text=text, spelling=spelling)

    def readings(self, text: bytes) -> Iterator[Reading]:
        """Yield the structure of a text, then its tokens."""
        sight = self._sees.see(text)
        yield _shape(sight)
        yield _token_texts(sight, text, comments=self._comments)

    def errors(self, text: bytes) -> bool:
        """Return whether the text has syntax errors."""
        return self._sees.see(text).parsed.root_node.has_error

    def fresh(self) -> TreeSitterFrontEnd:
        """Return a front end that has learned nothing yet."""
        return TreeSitterFrontEnd(self.name, comments=self._comments)

    def commented(self) -> TreeSitterFrontEnd:
        """Return a fresh front end in whose trees comments are tokens."""
        return TreeSitterFrontEnd(self.name, comments=True)

    def validity(self) -> Validity:
        """Return a validity that re-parses candidates in memory."""
        return ReparseValidity(self.name)

    def accepts(self, slot: str, node: Node) -> bool:
        """Return whether such a node was seen in the slot, directly or through other slots, or the
        parser accepted it there."""
        if slot == node.slot or (slot, node.slot, node.symbol) in self._knowledge.stand_ins:
            return True
        fitting = self._fitting(slot)
        return node.symbol in fitting or node.slot in fitting

    def minimal(self, _name: str, node: Node) -> Node | None:
        """Return the shortest token that looks like this one; None for other nodes."""
        if not isinstance(node, Token):
            return None
        text = shortest_text(node.symbol, node.text)
        return None if text is None else Token(node.symbol, text, slot=node.slot, glue=node.glue)

    def _fitting(self, slot: str) -> frozenset[str]:
        """Return everything that fits a slot, also through other slots: what fits an expression
        fits an expression statement."""
        fits = self._knowledge.fits
        if self._closed != len(fits):
            # Facts were learned since: the closures may have grown.
            self._closed = len(fits)
            self._closure.clear()
            self._below.clear()
            for above, below in fits:
                self._below.setdefault(above, []).append(below)
        found = self._closure.get(slot)
        if found is None:
            found = self._closure[slot] = _reached(slot, self._below)
        return found


def _reached(start: str, below: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return all that is below a name, at any depth."""
    return frozenset(reached(below.get(start, ()), lambda one: below.get(one, ())))


@cache
def _subtypes(language: tree_sitter.Language) -> frozenset[tuple[str, str]]:
    """Return the pairs of a slot and what fits it that the language declares (its supertypes).

    Older parsers declare none; then only seen nodes count.
    """
    below: dict[str, set[str]] = {}
    for supertype in language.supertypes or ():
        names = {language.node_kind_for_id(kind) for kind in language.subtypes(supertype)}
        name = language.node_kind_for_id(supertype)
        if name is not None:
            below[name] = {one for one in names if one is not None}
    return frozenset((name, one) for name in below for one in _reached(name, below))


def _token_texts(sight: MaskedParse, text: bytes, *, comments: bool = False) -> list[bytes]:
    raw = concrete_tree(sight.parsed, sight.shown)
    return Tokens(raw, text, hidden=sight.hidden, comments=comments).texts


# A name may have sigils in front (`$x`, `@x`, `%x`), which belong to its kind.
_NAME: Final = re.compile(rb"([$@%&]{0,2})([A-Za-z_\x80-\xff])[\w$\x80-\xff]*", re.ASCII)
_NUMBER: Final = re.compile(rb"\.?[0-9][\w.']*", re.ASCII)
# With the letters in front that say which kind of string it is (`b"x"`, `u8"x"`).
_STRING: Final = re.compile(rb"([A-Za-z]{0,2}8?)(\"|'|`)(.*)\2", re.ASCII | re.DOTALL)
# A character literal is never empty.
_CHARACTER: Final = re.compile("char|rune")


def shortest_text(symbol: str, text: bytes) -> bytes | None:
    """Return the shortest text of a token like this one, or None if it cannot be guessed.

    A name keeps its case, which is a matter of syntax in some languages; keywords and signs, whose
    symbol is their text, stay as they are.
    """
    if symbol.encode() == text:
        return None
    if name := _NAME.fullmatch(text):
        return name[1] + (b"A" if name[2].isupper() else b"a")
    if _NUMBER.fullmatch(text):
        return b"0"
    if string := _STRING.fullmatch(text):
        inside = b"a" if _CHARACTER.search(symbol) else b""
        return string[1] + string[2] + inside + string[2]
    return None


class ShapeNode(NamedTuple):
    """A visible node: its depth and its type."""

    depth: int
    symbol: str


def _shape(sight: MaskedParse) -> list[ShapeNode]:
    """List the visible nodes from left to right, parents first, without comments and blanks."""

    def counts(node: tree_sitter.Node) -> bool:
        return not is_comment(node.type, extra=node.is_extra)

    seen = [one for one in visible_nodes(sight.parsed, counts) if counts(one[0])]
    shape: list[ShapeNode] = []
    # From the right: what is left below a node has just been found.
    for node, depth in reversed(seen):
        below = shape and shape[-1].depth > depth + 1
        if below if node.child_count else sight.shown[node.start_byte : node.end_byte].strip():
            shape.append(ShapeNode(depth + 1, node.type))
    return shape[::-1]
