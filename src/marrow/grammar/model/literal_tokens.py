"""Literals: the names of tokens without a rule, the tokens that literals name, and keywords."""

from __future__ import annotations

import zlib
from typing import Final

from marrow.grammar.model.rules import (
    Action,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Sequence,
)

#: How many ranges of a set its name shows: enough for every set that people write by hand.
_MOST_RANGES: Final = 8


def set_name(ranges: tuple[tuple[int, int], ...]) -> str:
    """Return a set of characters as it is written in grammars, shortened if it is long."""
    shown = "".join(
        _character(low) if low == high else f"{_character(low)}-{_character(high)}"
        for low, high in ranges[:_MOST_RANGES]
    )
    if len(ranges) > _MOST_RANGES:
        # The checksum tells apart long sets that start alike.
        shown += f"...{zlib.crc32(repr(ranges).encode()):08x}"
    return f"[{shown}]"


def literal_name(text: str) -> str:
    """Return a literal as it is written in grammars."""
    escaped = "".join(_escape(character, "'") for character in text)
    return f"'{escaped}'"


def _character(code: int) -> str:
    return _escape(chr(code), "]-")


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
        body = token.body
        while isinstance(body, Sequence) and len(body.items) == 1:
            body = body.items[0]
        if isinstance(body, Literal) and not token.fragment and not token.hidden:
            name = token.name
            for command in token.commands:
                if command.action is Action.TYPE:
                    name = command.argument
            found.setdefault((body.text, body.ignore_case), name)
    return found


# A word that a grammar spells letter by letter (`W H I L E`) goes through a rule for each of them.
_MOST_STEPS: Final = 1_000


def keyword_kinds(grammar: Grammar) -> frozenset[str]:
    """Return the names of the tokens that are one word: `WHILE : 'while' ;`."""
    return frozenset(name for name in grammar.tokens if _is_word(grammar, name))


def _is_word(grammar: Grammar, token: str) -> bool:
    """Whether all texts of a token are the same letters, whatever their case."""
    letters: list[str] = []
    pending: list[Expression] = [grammar.tokens[token].body]
    for _ in range(_MOST_STEPS):
        if not pending:
            word = "".join(letters)
            return word.isidentifier()
        match pending.pop():
            case Literal(text=text):
                letters.append(text.lower())
            case Sequence(items=items):
                pending.extend(reversed(items))
            case Choice(alternatives=(only,)):
                pending.append(only)
            case Reference(name=name) if name in grammar.tokens:
                pending.append(grammar.tokens[name].body)
            case Characters(ranges=ranges) if (letter := _letter(ranges)) is not None:
                letters.append(letter)
            case _:
                return False
    return False


def _letter(ranges: tuple[tuple[int, int], ...]) -> str | None:
    """Return the one letter that a set of characters has in both cases, or in one."""
    if len(ranges) > 2 or any(first != last for first, last in ranges):
        return None
    found = {chr(first).lower() for first, _ in ranges}
    return found.pop() if len(found) == 1 else None
