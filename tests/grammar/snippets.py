"""Languages from snippets of grammars."""

from __future__ import annotations

from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text


def language(text: str, notation: str = "g4", start: str | None = None) -> Language:
    return Language(read_grammar_text(text, notation, "test", start))


def symbols(one: Language, text: bytes) -> list[str]:
    return [token.symbol for token in one.parser.tokens(text)]
