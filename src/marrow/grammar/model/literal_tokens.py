"""Literals: the names of tokens without a rule, the tokens that literals name, and keywords."""

from __future__ import annotations

import zlib
from typing import Final

from marrow.grammar.model.expressions import bodies_of, fold, settle
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Sequence,
    bare,
    walk,
)

#: How many ranges of a set its name shows: enough for every set that people write by hand.
_MOST_RANGES: Final = 8


def set_name(ranges: tuple[tuple[int, int], ...]) -> str:
    """Return a set of characters as it is written in grammars, shortened if it is long."""
    shown = "".join(
        "-".join(_escape(chr(code), "]-") for code in dict.fromkeys(pair))
        for pair in ranges[:_MOST_RANGES]
    )
    if len(ranges) > _MOST_RANGES:
        # The checksum tells apart long sets that start alike.
        shown += f"...{zlib.crc32(repr(ranges).encode()):08x}"
    return f"[{shown}]"


def literal_name(text: str) -> str:
    """Return a literal as it is written in grammars."""
    return "'" + "".join(_escape(character, "'") for character in text) + "'"


def _escape(character: str, special: str) -> str:
    if character == "\\" or character in special:
        return "\\" + character
    if character.isprintable():
        return character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
    return named.get(character) or f"\\u{{{ord(character):x}}}"


def literal_tokens(grammar: Grammar) -> dict[tuple[str, bool], str]:
    """Return the token of each text that a token rule matches alone, by text and case.

    Where several do, a rule without a predicate is meant, as in ANTLR; then the first. The name is
    the token's type, which a command may have changed.
    """
    found: dict[tuple[str, bool], str] = {}
    for token in sorted(grammar.tokens.values(), key=lambda one: one.guarded):
        body = bare(token.body)
        if isinstance(body, Literal) and not token.fragment and not token.hidden:
            found.setdefault((body.text, body.ignore_case), token.type)
    return found


def implicit_tokens(
    grammar: Grammar,
) -> tuple[dict[tuple[str, bool], str], dict[str, Literal | Characters]]:
    """Return the token of each literal in the rules, and the tokens that only rules define.

    A literal is another name for a token rule that matches just that text.
    """
    named = literal_tokens(grammar)
    implicit: dict[str, Literal | Characters] = {}
    for rule in grammar.rules.values():
        for one in walk(rule.body):
            if isinstance(one, Literal) and (one.text, one.ignore_case) not in named:
                name = literal_name(one.text) + ("i" if one.ignore_case else "")
                named[one.text, one.ignore_case] = name
                if one.text:
                    implicit[name] = one
            elif isinstance(one, Characters):
                implicit[set_name(one.ranges)] = one
    return named, implicit


def keyword_kinds(grammar: Grammar) -> frozenset[str]:
    """Return the names of the tokens that are one word: `WHILE : 'while' ;`."""
    return frozenset(name for name, text in only_texts(grammar).items() if text.isidentifier())


def only_texts(grammar: Grammar) -> dict[str, str]:
    """Return the text, in lower case, of each token that has only one, whatever its case.

    SQL's grammars spell words letter by letter (`W H I L E`), with a rule for each of them.
    """
    found: dict[str, str] = {}

    def combine(one: Expression, inner: tuple[str | None, ...]) -> str | None:
        match one:
            case Literal(text=text):
                return text.lower()
            case Characters(ranges=ranges) if all(last <= first + 1 for first, last in ranges):
                # One letter, perhaps in both cases.
                letters = {chr(code).lower() for pair in ranges for code in pair}
                return letters.pop() if len(letters) == 1 else None
            case Reference(name=name):
                return found.get(name)
            case Sequence():
                return None if None in inner else "".join(filter(None, inner))
            case Choice() if len(set(inner)) == 1:
                return inner[0]
            case _:
                return None

    def update(name: str) -> bool:
        text = None if name in found else fold(grammar.tokens[name].body, combine)
        if text is not None:
            found[name] = text
        return text is not None

    settle(bodies_of(grammar.tokens), update)
    return found
