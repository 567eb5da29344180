"""Conditions: what a predicate asks about its place in the text, for those that marrow can tell."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final, TypeAlias


class PlaceFact(enum.Enum):
    """A fact about a place between two tokens; the values are how people say it."""

    LINE_BREAK = "a line break stands before"
    START = "the text starts there"
    LINE_START = "a line starts there"
    OPERAND = "an operand may stand there"
    CLOSING = "it closes what opened the lexer mode"
    NEXT_TEXT = "the next token is"
    NEXT_TOKEN = "the next token is a"
    PREVIOUS_TEXT = "the token before is"
    PREVIOUS_TOKEN = "the token before is a"


@dataclass(frozen=True, slots=True)
class Condition:
    """A fact that must hold, or must not; `words` are the texts or tokens that it names.

    `call` is what the author wrote, for messages.
    """

    fact: PlaceFact
    words: tuple[str, ...] = ()
    negated: bool = False
    call: str = field(default="", compare=False)

    def __str__(self) -> str:
        words = f" {' or '.join(self.words)}" if self.words else ""
        return f"{'not: ' if self.negated else ''}{self.fact.value}{words}"


#: Holds if all conditions of one of these do: `()` never holds, `((),)` always.
Ways: TypeAlias = tuple[tuple[Condition, ...], ...]

ALWAYS: Final[Ways] = ((),)
NEVER: Final[Ways] = ()


def both(one: Ways, other: Ways) -> Ways:
    """Return the ways in which two things hold together."""
    return tuple(tuple(dict.fromkeys((*left, *right))) for left in one for right in other)
