"""Characters and words: what a character set or a token rule looks like when it is written down.

Where any character would do, marrow writes the ones that people use: letters first, then digits,
then punctuation, and unusual characters only where a grammar asks for nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from string import ascii_lowercase, ascii_uppercase, digits, punctuation
from typing import Final, NamedTuple

from marrow.grammar.model.expressions import postorder
from marrow.grammar.model.fixpoint import bodies_of, settle
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    parts,
)

#: The order in which characters are preferred when any of a set would do.
USUAL: Final = ascii_lowercase + ascii_uppercase + digits + "_" + punctuation + " "

#: White space that breaks lines or is easily overlooked: usual only where nothing else is allowed.
_CONTROLS: Final = "\n\t\r"

#: Code points that stand for no character by themselves and cannot be encoded in UTF-8.
_SURROGATES: Final = (0xD800, 0xDFFF)


def contains(characters: Characters, character: str) -> bool:
    """Whether a character is in a set."""
    code = ord(character)
    index = bisect_right(characters.ranges, (code, 0x110000)) - 1
    return index >= 0 and characters.ranges[index][0] <= code <= characters.ranges[index][1]


@lru_cache(maxsize=4096)
def usual_members(characters: Characters) -> str:
    """Return the usual characters of a set, preferred ones first; if it has none, its first few."""
    for some in (USUAL, _CONTROLS):
        found = "".join(one for one in some if contains(characters, one))
        if found:
            return found
    return "".join(_first_members(characters, 16))


def usual(characters: Characters) -> str:
    """Return the character of a set that is preferred."""
    return usual_members(characters)[0]


def _first_members(characters: Characters, count: int) -> list[str]:
    """Return the first characters of a set that can be encoded, printable ones if it has any."""
    members: list[str] = []
    for start, end in characters.ranges:
        for code in range(start, min(end, start + 255) + 1):
            if not _SURROGATES[0] <= code <= _SURROGATES[1]:
                members.append(chr(code))
    for start, end in characters.ranges:
        if start <= _SURROGATES[1] < end:
            members.append(chr(_SURROGATES[1] + 1))
    printable = [one for one in members if one.isprintable()]
    chosen = (printable or members)[:count]
    if not chosen:
        raise ValueError("a character set without a character that can be written")
    return chosen


def writable(characters: Characters) -> bool:
    """Whether a set has a character that can be encoded."""
    return any(start < _SURROGATES[0] or end > _SURROGATES[1] for start, end in characters.ranges)


class _Words(NamedTuple):
    """The shortest text of an expression, and the shortest that is not empty."""

    any: str | None
    some: str | None


_NOTHING: Final = _Words(None, None)


def shortest_words(grammar: Grammar) -> dict[str, str]:
    """Return the shortest text, not the empty one, of each token rule, made of usual characters.

    Token rules may refer to each other, and to themselves (nested comments), so this is a fixpoint.
    Rules without such a text are left out.
    """
    words: dict[str, _Words] = {}

    def update(name: str) -> bool:
        old = words.get(name, _NOTHING)
        new = _shortest_word(grammar.tokens[name].body, words)
        better = _Words(_shorter(old.any, new.any), _shorter(old.some, new.some))
        words[name] = better
        return better != old

    settle(bodies_of(grammar.tokens), update)
    return {name: word.some for name, word in words.items() if word.some is not None}


def _shorter(*options: str | None) -> str | None:
    """Return the shortest text, the first of equals; None stands for no text."""
    return min((one for one in options if one is not None), key=len, default=None)


def _shortest_word(body: Expression, words: Mapping[str, _Words]) -> _Words:
    """Return the shortest texts of an expression in a token rule, as far as they are known."""
    values: list[_Words] = []
    for one in postorder(body):
        count = len(parts(one))
        inside = values[len(values) - count :] if count else []
        del values[len(values) - count :]
        value = _NOTHING
        match one:
            case Literal(text=text):
                value = _Words(text, text or None)
            case Characters():
                value = _Words(usual(one), usual(one)) if writable(one) else _NOTHING
            case Reference(name=name):
                # The end of the input, which some token rules name, is not a character.
                value = _Words("", None) if name == END_OF_INPUT else words.get(name, _NOTHING)
            case Sequence():
                value = _in_sequence(inside)
            case Choice():
                value = _Words(
                    _shorter(*(part.any for part in inside)),
                    _shorter(*(part.some for part in inside)),
                )
            case Repeat(quantifier=quantifier):
                least = inside[0].any if quantifier is Quantifier.PLUS else ""
                value = _Words(least, inside[0].some)
        values.append(value)
    return values[0]


def _in_sequence(items: list[_Words]) -> _Words:
    """Return the shortest texts of expressions one after the other."""
    texts = [item.any for item in items if item.any is not None]
    if len(texts) < len(items):
        return _NOTHING
    whole = "".join(texts)
    if whole or not items:
        return _Words(whole, whole or None)
    return _Words(whole, _shorter(*(item.some for item in items)))
