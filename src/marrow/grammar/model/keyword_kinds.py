"""Which tokens of a grammar are keywords: those that are one word, whatever its case."""

from __future__ import annotations

from typing import Final

from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Reference,
    Sequence,
)

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
