"""A parser of one language that is shown masked texts where that helps (see `masking`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import tree_sitter

from marrow.syntax.load_parser import load_language
from marrow.syntax.masking import Masked, Range, masked, needs_masking
from marrow.syntax.patient_parse import parse_text


class Sight(NamedTuple):
    """A text as the parser saw it: what it made of it, what it was shown, what was hidden."""

    parsed: tree_sitter.Tree
    shown: bytes
    hidden: Sequence[Range] = ()


class MaskedParser:
    """Parses texts of one language. What is hidden from the parser depends on the text alone."""

    def __init__(self, language: str) -> None:
        """Raise LookupError if the pack has no such language."""
        self.language: Final = language
        self.grammar: Final = load_language(language)
        self.parser: Final = tree_sitter.Parser(self.grammar)

    def see(self, text: bytes) -> Sight:
        """Parse a text as it is, or masked if it is the output of a preprocessor or has errors."""
        if not needs_masking(text, self.language, errors=False):
            parsed = parse_text(self.parser, text)
            errors = parsed.root_node.has_error
            if not errors or not needs_masking(text, self.language, errors=errors):
                return Sight(parsed, text)
        shown, hidden = self.mask(text)
        if not shown.strip():
            # Hidden tokens hang on others, and here are none.
            return Sight(parse_text(self.parser, text), text)
        return Sight(parse_text(self.parser, shown), shown, hidden)

    def mask(self, text: bytes) -> Masked:
        """Return a text as the parser is shown it where it has to be masked."""
        return masked(text, self.language)
