"""Characters: sets of them as sorted, disjoint, inclusive ranges, and the words that rules spell.

Where any character would do, marrow writes the ones that people use: letters first, then digits,
then punctuation, and unusual characters only where a grammar asks for nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import import_module
from string import ascii_lowercase, ascii_uppercase, digits, punctuation
from typing import Any, Final, NamedTuple, TypeAlias

from marrow.grammar.model.expressions import bodies_of, fold, settle
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    LAST_CHARACTER,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)

Ranges: TypeAlias = tuple[tuple[int, int], ...]

#: Every character there is.
ANY_CHARACTER: Final[Ranges] = ((0, LAST_CHARACTER),)


def normalised(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Sort ranges and merge those that overlap or touch."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if first > last:
            continue
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return every character that is not in the set."""
    found: list[tuple[int, int]] = []
    following = 0
    for first, last in normalised(ranges):
        if following < first:
            found.append((following, first - 1))
        following = last + 1
    if following <= LAST_CHARACTER:
        found.append((following, LAST_CHARACTER))
    return tuple(found)


def boundaries(sets: Iterable[Ranges]) -> list[int]:
    """Cut the code points into intervals that no set tells apart; return where each begins."""
    found = {bound for ranges in sets for low, high in ranges for bound in (low, high + 1)}
    return sorted((found | {0}) - {LAST_CHARACTER + 1})


def other_cases(character: str) -> frozenset[str]:
    """Return the single characters that differ from a character only in their case."""
    found = {character.lower(), character.upper()}
    return frozenset(one for one in found if len(one) == 1 and one != character)


def literal_ranges(character: str, ignore_case: bool) -> Ranges:
    """Return the ranges that a literal's character matches."""
    cases = {character, *(other_cases(character) if ignore_case else ())}
    return tuple(sorted((ord(case), ord(case)) for case in cases))


#: Unicode has no characters with case beyond the second plane (the last ones are Adlam's, 1E943).
_AFTER_CASED: Final = 0x20000


@cache
def _case_pairs() -> tuple[tuple[str, int], ...]:
    """List the characters that have another case, with that."""
    characters = map(chr, range(_AFTER_CASED))
    return tuple((one, ord(other)) for one in characters for other in other_cases(one))


def any_case(ranges: Ranges) -> Ranges:
    """Add to a set the other cases of its characters."""
    own = Characters(ranges)
    extra = ((other, other) for one, other in _case_pairs() if contains(own, one))
    return normalised((*ranges, *extra))


@cache
def unicode_property(name: str) -> Ranges | None:
    r"""Return the characters of the property that `\p{...}` names, None if it is unknown."""
    regex = import_module("regex")  # most grammars need it not
    try:
        return matched_by(regex.compile(rf"\p{{{name}}}+")) or None
    except regex.error:
        return None


def matched_by(pattern: Any) -> Ranges:
    """Return the characters that a pattern of `re` or `regex` matches."""
    found = pattern.finditer(_all_characters())
    return tuple((one.start(), one.end() - 1) for one in found)


@cache
def _all_characters() -> str:
    return "".join(map(chr, range(LAST_CHARACTER + 1)))


#: The order in which characters are preferred when any of a set would do.
USUAL: Final = ascii_lowercase + ascii_uppercase + digits + "_" + punctuation + " "

#: White space that breaks lines or is easily overlooked: usual only where nothing else is allowed.
_CONTROLS: Final = "\n\t\r"

#: Code points that are not characters by themselves and cannot be encoded in UTF-8.
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
    first, last = _SURROGATES
    spans = (range(low, min(high, low + 255) + 1) for low, high in characters.ranges)
    codes = [code for span in spans for code in span]
    codes += [last + 1 for low, high in characters.ranges if low <= last < high]
    members = [chr(code) for code in codes if not first <= code <= last]
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
    search = ShortestWords(grammar)
    settle(bodies_of(grammar.tokens), search.update)
    return search.found


@dataclass(frozen=True, slots=True)
class ShortestWords:
    """The shortest texts of token rules, as far as they are known.

    `character` chooses one of a set.
    """

    grammar: Grammar
    character: Callable[[Characters], str] = usual
    words: dict[str, _Words] = field(default_factory=dict)

    def update(self, name: str) -> bool:
        """Look at a token rule again; return whether more is known of it now."""
        old = self.words.get(name, _NOTHING)
        new = fold(self.grammar.tokens[name].body, self._combined)
        better = _Words(_shorter(old.any, new.any), _shorter(old.some, new.some))
        self.words[name] = better
        return better != old

    def _combined(self, one: Expression, inside: tuple[_Words, ...]) -> _Words:
        """Return the shortest texts of an expression, as far as they are known."""
        match one:
            case Literal(text=text):
                return _Words(text, text or None)
            case Characters():
                return _Words(*[self.character(one)] * 2) if writable(one) else _NOTHING
            case Reference(name=name):
                # The end of the input, which some token rules name, is not a character.
                known = self.words.get(name, _NOTHING)
                return _Words("", None) if name == END_OF_INPUT else known
            case Sequence():
                return _in_sequence(inside)
            case Choice():
                return _Words(
                    _shorter(*(part.any for part in inside)),
                    _shorter(*(part.some for part in inside)),
                )
            case Repeat(quantifier=quantifier):
                least = inside[0].any if quantifier is Quantifier.PLUS else ""
                return _Words(least, inside[0].some)

    @property
    def found(self) -> dict[str, str]:
        """The texts that are not empty."""
        return {name: word.some for name, word in self.words.items() if word.some is not None}


def _shorter(*options: str | None) -> str | None:
    """Return the shortest text, the first of equals; None means no text."""
    return min((one for one in options if one is not None), key=len, default=None)


def first_of(characters: Characters) -> str:
    """Return the character of a set that Picireny takes: the start of its first range, if any.

    Ranges are sorted here; grammars write `a-z` first.
    """
    if contains(characters, "a"):
        return "a"
    ranges = tuple(one for one in characters.ranges if one[0] < one[1])
    return _first_members(Characters(ranges) if ranges else characters, 1)[0]


def _in_sequence(items: tuple[_Words, ...]) -> _Words:
    """Return the shortest texts of expressions one after the other."""
    texts = [item.any for item in items if item.any is not None]
    if len(texts) < len(items):
        return _NOTHING
    whole = "".join(texts)
    if whole or not items:
        return _Words(whole, whole or None)
    return _Words(whole, _shorter(*(item.some for item in items)))
