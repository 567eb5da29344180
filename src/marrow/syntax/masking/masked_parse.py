"""A parser of one language that is shown masked texts where that helps (see `masking`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import tree_sitter

from marrow.syntax.concrete_tree import visible_nodes
from marrow.syntax.masking.mask import Range, masked, needs_masking
from marrow.syntax.parsers import load_language, parse_text


class MaskedParse(NamedTuple):
    """A text as the parser saw it: what it made of it, what it was shown, what was hidden."""

    parsed: tree_sitter.Tree
    shown: bytes
    hidden: Sequence[Range] = ()


class MaskedParser:
    """Parses texts of one language. What is hidden from the parser depends on the text alone.

    Or, `as_first`, on whether the first text was masked, too: a parse that only tells whether a
    text needs it takes a tenth of an outline.
    """

    def __init__(self, language: str, *, as_first: bool = False) -> None:
        """Raise LookupError if the pack has no such language."""
        self._masks: bool | None = None if as_first else False
        self.language: Final = language
        self.grammar: Final = load_language(language)
        self.parser: Final = tree_sitter.Parser(self.grammar)

    def see(self, text: bytes) -> MaskedParse:
        """Parse a text as it is, or masked if it is the output of a preprocessor or has errors."""
        found = _parse(self.language, text, self._masks is True)
        if self._masks is None:
            self._masks = found.shown != text
        return found


@lru_cache(maxsize=2)
def _parse(language: str, text: bytes, masks: bool) -> MaskedParse:
    """Parse a text, masked in any case or if need be.

    Front ends, outlines and their parts ask for the same text in turn.
    """
    parser = tree_sitter.Parser(load_language(language))
    if not masks and not needs_masking(text, language, errors=False):
        parsed = parse_text(parser, text)
        errors = parsed.root_node.has_error
        if not errors or not needs_masking(text, language, errors=errors):
            return MaskedParse(parsed, text)
    shown, hidden = masked(text, language)
    if not shown.strip():
        # Hidden tokens hang on others, and here are none.
        return MaskedParse(parse_text(parser, text), text)
    return MaskedParse(parse_text(parser, shown), shown, hidden)


def error_count(tree: tree_sitter.Tree) -> int:
    """Return the number of syntax errors of a parse: of its ERROR and MISSING nodes."""
    if not tree.root_node.has_error:
        return 0
    # A query would look at all nodes: in a large text that takes longer than the parse.
    nodes = visible_nodes(tree, lambda node: node.has_error)
    # An error inside a token has no node of its own; it counts as one.
    return max(1, sum(node.is_error or node.is_missing for node, _ in nodes))
