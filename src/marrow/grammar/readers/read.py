"""Reads a grammar in any notation that marrow knows: ANTLR v4, BNF/EBNF, Lark, fuzzing JSON."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from marrow.grammar.model.rules import Grammar, GrammarError, Position
from marrow.grammar.readers.bnf_read import read_bnf
from marrow.grammar.readers.fuzzjson import read_json
from marrow.grammar.readers.g4 import read_g4
from marrow.grammar.readers.lark import read_lark
from marrow.grammar.readers.loader import load_file, loader_from

#: The notations, by the names that users write.
FORMATS: Final = ("g4", "bnf", "lark", "json")

_SUFFIXES: Final = {
    ".g4": "g4",
    ".bnf": "bnf",
    ".ebnf": "bnf",
    ".lark": "lark",
    ".json": "json",
}


def read_grammar(path: Path, start: str | None = None) -> Grammar:
    """Read a grammar file; raise `GrammarError` if that is not possible.

    The notation is told by the suffix, or by the content if the suffix says nothing. `start` is the
    start rule; without it the notation's own custom decides.
    """
    file = load_file(path)
    format = _SUFFIXES.get(path.suffix.lower()) or format_of(file.text)
    grammar = read_grammar_text(file.text, format, file.name, start, path.parent)
    return grammar if file.note is None else replace(grammar, notes=(file.note, *grammar.notes))


def read_grammar_text(
    text: str,
    format: str,
    name: str = "<text>",
    start: str | None = None,
    folder: Path | None = None,
) -> Grammar:
    """Read a grammar from a text in one of `FORMATS`.

    `name` stands in messages; `folder` is where files are looked up that the grammar needs.
    """
    text = text.removeprefix("\ufeff")
    match format:
        case "g4":
            grammar = read_g4(text, name, start, loader_from(folder))
        case "bnf":
            grammar = read_bnf(text, name, start)
        case "lark":
            grammar = read_lark(text, name, start, loader_from(folder))
        case "json":
            grammar = read_json(text, name, start)
        case _:
            raise GrammarError(
                f"there is no grammar notation {format!r}. Choose one of {', '.join(FORMATS)}."
            )
    if grammar.start not in grammar.rules:
        some = ", ".join(list(grammar.rules)[:8])
        what = "the start rule" if start is None else "the rule"
        raise GrammarError(
            f"{what} {grammar.start!r} is not defined. Name one with --start; there are: {some}.",
            Position(name, 1, 1),
        )
    return grammar


def format_of(text: str) -> str:
    """Tell the notation of a grammar from its text."""
    if text.lstrip().startswith("{"):
        return "json"
    if re.search(r"^\s*(?:(?:lexer|parser)\s+)?grammar\s+\w+\s*;", text, re.MULTILINE):
        return "g4"
    if "::=" in text:
        return "bnf"
    if re.search(r"^%(?:import|ignore|declare|extend|override)\b", text, re.MULTILINE):
        return "lark"
    if re.search(r"^[?!_]?[a-z]\w*\s*:", text, re.MULTILINE) and ";" not in text:
        return "lark"
    return "bnf"
