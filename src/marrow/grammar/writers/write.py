"""Writes a grammar in one of the notations that marrow also reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from marrow.grammar.model.rules import Grammar, GrammarError
from marrow.grammar.writers.write_bnf import write_bnf
from marrow.grammar.writers.write_g4 import write_g4
from marrow.grammar.writers.write_json import write_json
from marrow.grammar.writers.write_style import Written

_WRITERS: Final[dict[str, Callable[[Grammar], Written]]] = {
    "bnf": write_bnf,
    "g4": write_g4,
    "json": write_json,
}

#: The notations that can be written, by the names that users write.
WRITTEN_FORMATS: Final = tuple(_WRITERS)


def write_grammar(grammar: Grammar, format: str) -> Written:
    """Write a grammar as text; the notes say what the notation has no words for.

    Reading the text gives a grammar of the same texts. Names that a notation does not allow are
    spelled differently. Raises `GrammarError` if the grammar cannot be written at all.
    """
    writer = _WRITERS.get(format)
    if writer is None:
        known = ", ".join(WRITTEN_FORMATS)
        raise GrammarError(f"grammars are not written as {format!r}. Choose one of {known}.")
    return writer(grammar)
