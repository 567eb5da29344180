"""Names and expressions as a notation writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from marrow.grammar.model.charset import Ranges
from marrow.grammar.model.expressions import fold, references
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    LAST_CHARACTER,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Note,
    Reference,
    Repeat,
    Sequence,
    alternatives,
)

# How tightly a piece of text holds together.
_CHOICE: Final = 0
_SEQUENCE: Final = 1
_REPEAT: Final = 2
_ATOM: Final = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A grammar as text, how its start rule is spelled, and what the notation cannot express."""

    text: str
    start: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """The atoms of a notation; the rest is written the same way in all of them."""

    literal: Callable[[Literal], str]
    characters: Callable[[Characters], str]
    reference: Callable[[Reference], str]


def rendered(expression: Expression, style: Style, outer: bool = False) -> str:
    """Write an expression; a choice gets parentheses unless it is the outermost thing."""

    def combine(one: Expression, inner: tuple[tuple[str, int], ...]) -> tuple[str, int]:
        match one:
            case Literal():
                return style.literal(one), _ATOM
            case Characters():
                return style.characters(one), _ATOM
            case Reference():
                return style.reference(one), _ATOM
            case Repeat(quantifier=quantifier, greedy=greedy):
                sign = quantifier.value + ("" if greedy else "?")
                return _at_least(_ATOM, *inner[0]) + sign, _REPEAT
            case Sequence():
                if len(inner) == 1:
                    return inner[0]
                text = " ".join(_at_least(_REPEAT, *part) for part in inner)
                return (text, _SEQUENCE) if inner else ("()", _ATOM)
            case Choice():
                if len(inner) == 1:
                    return inner[0]
                return " | ".join(_at_least(_SEQUENCE, *part) for part in inner), _CHOICE

    text, level = fold(expression, combine)
    return text if outer else _at_least(_SEQUENCE, text, level)


def _at_least(level: int, text: str, own: int) -> str:
    return text if own >= level else f"({text})"


def escaped_character(code: int, special: str) -> str:
    """Write a character so that it means itself in quotes or brackets."""
    character = chr(code)
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(character)
    if named:
        return named
    if character in special:
        return "\\" + character
    if " " < character <= "~":
        return character
    if code <= 0xFFFF:
        return f"\\u{code:04X}"
    return f"\\u{{{code:X}}}"


def escaped_text(text: str, special: str) -> str:
    """Write a text so that it means itself in quotes; blanks need no escape there."""
    return "".join(" " if one == " " else escaped_character(ord(one), special) for one in text)


def escaped_ranges(ranges: Ranges, special: str) -> str:
    """Write ranges so that they mean themselves in brackets."""
    pieces = []
    for first, last in ranges:
        pieces.append(escaped_character(first, special))
        if last > first:
            pieces.append(("-" if last > first + 1 else "") + escaped_character(last, special))
    return "".join(pieces)


def is_mostly_everything(ranges: Ranges) -> bool:
    """Whether a set is easier to write by what is not in it."""
    return bool(ranges) and ranges[-1][1] == LAST_CHARACTER and ranges[0][0] == 0


def written_alternatives(body: Expression, style: Style) -> list[str]:
    """Write the alternatives of a body; an empty one is an empty text."""
    return [
        "" if isinstance(one, Sequence) and not one.items else rendered(one, style)
        for one in alternatives(body)
    ]


def bodies_in(grammar: Grammar) -> list[Expression]:
    """Return the bodies of all rules, then of all tokens."""
    rules = [rule.body for rule in grammar.rules.values()]
    return rules + [token.body for token in grammar.tokens.values()]


class Names:
    """Gives every name of a grammar a spelling that a notation allows, each a different one.

    `rule` and `token` spell the names of rules and tokens, also of those that are not defined.
    """

    def __init__(
        self,
        grammar: Grammar,
        taken: Iterable[str],
        rule: Callable[[str], str],
        token: Callable[[str], str],
    ) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}  # the last number added to each spelling
        self._found = {name: self.free(rule(name)) for name in grammar.rules}
        self._found |= {name: self.free(token(name)) for name in grammar.tokens}
        for body in bodies_in(grammar):
            for name in (one.name for one in references(body)):
                if name != END_OF_INPUT and name not in self._found:
                    self._found[name] = self.free((token if name[:1].isupper() else rule)(name))

    def __getitem__(self, name: str) -> str:
        return self._found.get(name, name)

    def free(self, wanted: str) -> str:
        """Return a spelling that nothing else has."""
        found = wanted
        while found in self._taken:
            self._numbers[wanted] = number = self._numbers.get(wanted, 1) + 1
            found = f"{wanted}_{number}"
        self._taken.add(found)
        return found
