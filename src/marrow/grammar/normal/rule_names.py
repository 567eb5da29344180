"""Readable names for the rules that normalisation makes.

A quantified rule is named after what it repeats (`stmt_star`, `else_opt`), a group after the
keyword it starts with or the first things in it (`else_part`, `comma_expr`), a choice between
literals after the first two (`plus_or_minus`), any other after the rule it was written in
(`expr_choice`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Many
from typing import Final

from marrow.grammar.model.rules import (
    Characters,
    Expression,
    Literal,
    Quantifier,
    Reference,
    Repeat,
)

_SUFFIX: Final = {
    Quantifier.STAR: "_star",
    Quantifier.PLUS: "_plus",
    Quantifier.OPTIONAL: "_opt",
}

# What people call the marks that languages are full of.
_MARKS: Final = {
    ",": "comma",
    ";": "semicolon",
    ":": "colon",
    ".": "dot",
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "slash",
    "%": "percent",
    "=": "equals",
    "==": "equal",
    "!": "bang",
    "?": "question",
    "|": "bar",
    "||": "or",
    "&": "and",
    "&&": "and_and",
    "<": "less",
    ">": "greater",
    "->": "arrow",
    "=>": "arrow",
    "::": "colons",
    "...": "ellipsis",
    "(": "paren",
    "[": "bracket",
    "{": "brace",
    ")": "closing_paren",
    "]": "closing_bracket",
    "}": "closing_brace",
    "@": "at",
    "#": "hash",
    "~": "tilde",
    "^": "caret",
    "$": "dollar",
    "\\": "backslash",
    '"': "quote",
    "'": "apostrophe",
    " ": "space",
    "\n": "newline",
}

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

#: The ends of element names that a quantified rule's name replaces: `else_part` gives `else_opt`.
_REPLACED: Final = ("_part", "_item")


def atom_name(atom: Expression) -> str:
    """Return a word for an atom, or nothing if there is no good one."""
    match atom:
        case Reference(name=name):
            return name
        case Literal(text=text):
            return text.lower() if _WORD.fullmatch(text) else _MARKS.get(text, "")
        case Characters():
            return "character"
        case Repeat(item=item, quantifier=quantifier):
            inner = atom_name(item)
            return inner + _SUFFIX[quantifier] if inner else ""
        case _:
            return ""


def element_name(options: Many[tuple[Expression, ...]], rule: str) -> str:
    """Return a name for a group, given its alternatives and the rule it stands in."""
    if len(options) > 1:
        literals = all(len(one) == 1 and isinstance(one[0], Literal) for one in options)
        words = [atom_name(one[0]) for one in options[:2]]
        if literals and all(words):
            return "_or_".join(words)
        return f"{rule}_choice"
    first, *rest = options[0]
    name = atom_name(first)
    if isinstance(first, Literal) and _WORD.fullmatch(first.text):
        return f"{name}_part"
    second = next((atom_name(one) for one in rest if isinstance(one, Reference)), "")
    if name and second:
        return f"{name}_{second}"
    return f"{name or second or rule}_part"


def quantified_name(atom: Repeat, rule: str) -> str:
    """Return a name for the rule of a quantified atom."""
    name = atom_name(atom.item) or rule
    for end in _REPLACED:
        name = name.removesuffix(end)
    return name + _SUFFIX[atom.quantifier]
