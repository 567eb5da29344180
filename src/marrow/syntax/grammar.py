"""The front end for languages that have a grammar, shipped or the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from marrow.grammar.compile import DEFAULT_CACHE, Parser, compile_grammar
from marrow.grammar.errors import ParseError
from marrow.grammar.model import Grammar
from marrow.syntax.text import TextFrontEnd
from marrow.tree import SEPARATOR, Node, Tree


class GrammarFrontEnd:
    """Sees a text as its derivation from a grammar.

    Every candidate is valid by construction: quantifiers are nodes, and what may stand in a slot
    follows from the grammar. `chains` keeps rules that hold nothing but another rule as nodes of
    their own; without them trees are smaller and accept the same edits.
    """

    def __init__(
        self,
        grammar: Grammar,
        start: str | None = None,
        *,
        cache: Path | None = DEFAULT_CACHE,
        chains: bool = False,
    ) -> None:
        self._parser: Final = compile_grammar(grammar, cache)
        self._start: Final = start
        self._chains: Final = chains

    @property
    def name(self) -> str:
        """The name of the grammar."""
        return self._parser.grammar.name

    @property
    def description(self) -> str:
        """The grammar, and the rule it starts with."""
        return f"the grammar {self.name} from rule {self._start or self._parser.grammar.start}"

    @property
    def parser(self) -> Parser:
        """The parser behind this front end."""
        return self._parser

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree.

        A text that does not match the grammar becomes a list of its tokens, and one without tokens
        of the grammar a list of lines of words; `error` says why.
        """
        try:
            return self._parser.parse(text, self._start, chains=self._chains)
        except ParseError:
            pass
        try:
            return self._parser.token_list(text)
        except ParseError:
            return TextFrontEnd("words").parse(text)

    def error(self, text: bytes) -> ParseError | None:
        """Return what keeps a text from matching the grammar; None if it matches."""
        if self._parser.matches(text, self._start):
            return None
        try:
            self._parser.parse(text, self._start)
        except ParseError as error:
            return error
        return None

    def validity(self) -> None:
        """Every candidate is valid."""
        return

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether the grammar derives the node's symbol, alone, from what the slot expects."""
        if slot == SEPARATOR:
            return False
        return slot == node.slot or self._parser.accepts(slot, node.symbol)
