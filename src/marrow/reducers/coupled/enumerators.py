"""Enumerators become their numbers: each is deleted, and its mentions are replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from marrow.languages.language_facts import LanguageFacts
from marrow.reducers.coupled.token_text import TokenChanges, TokenText

# What follows a variable that is declared with its enumeration.
_AFTER_NAME: Final = frozenset({b";", b",", b"=", b"["})
_QUALIFIES: Final = frozenset({b"::", b"."})


class _Enumerator(NamedTuple):
    name: bytes
    at: int
    position: int
    value: int


def by_numbers(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text without an enumeration, or without one of its names."""
    word = facts.keywords.get("enumeration", "").encode()
    number = facts.types.number.encode()
    for at in text.positions.get(word, ()):
        start = next((one for one in range(at, len(text.texts)) if text.texts[one] in b"{;"), at)
        end = text.partners.get(start)
        if end is None or text.texts[start] != b"{":
            continue
        names = {text.texts[one] for one in range(at, start) if text.named[one]}
        found = list(_enumerators(text, start, end))
        every = _mentions(text, found, names)
        yield {**every, **_whole(text, at, end, names, number)}
        for one in reversed(found):
            gone = text.without_element(start, end, one.position)
            yield {**_mentions(text, [one], names), **dict.fromkeys(gone, ())}


def _enumerators(text: TokenText, start: int, end: int) -> Iterator[_Enumerator]:
    """Yield the enumerators whose numbers are known."""
    value: int | None = -1
    for position, element in enumerate(text.listed(start, end)):
        if not element or not text.named[element.start]:
            continue
        given = text.texts[element.start + 1 : element.stop]
        if given[:1] == [b"="]:
            try:
                value = int(b"".join(given[1:]), 0)
            except ValueError:
                value = None
        elif value is not None:
            value += 1
        if value is not None:
            yield _Enumerator(text.texts[element.start], element.start, position, value)


def _mentions(text: TokenText, some: list[_Enumerator], names: set[bytes]) -> TokenChanges:
    """Return the change of all mentions into numbers, with what qualifies them."""
    changes: TokenChanges = {}
    for one in some:
        for at in text.mentions.get(one.name, ()):
            if at == one.at:
                continue
            changes[at] = (b"%d" % one.value,)
            if text.text(at - 1) in _QUALIFIES and text.text(at - 2) in names:
                changes.update({at - 1: (), at - 2: ()})
    return changes


def _whole(text: TokenText, at: int, end: int, names: set[bytes], number: bytes) -> TokenChanges:
    """Return the change without the enumeration, whose name becomes a number's type."""
    changes: TokenChanges
    if text.text(end + 2) in _AFTER_NAME and text.named[end + 1]:  # `enum { a, b } x;`
        changes = {**dict.fromkeys(range(at, end + 1), ()), at: (number,)}
    else:
        last = end + 1 if text.text(end + 1) == b";" else end
        changes = dict.fromkeys(range(text.head(at), last + 1), ())
    for name in sorted(names):
        for one in text.mentions.get(name, ()):
            # `enum e x` loses both words.
            if one not in changes and text.text(one + 1) not in _QUALIFIES:
                changes[one] = (number,)
                if text.text(one - 1) == text.texts[at]:
                    changes[one - 1] = ()
    return changes
