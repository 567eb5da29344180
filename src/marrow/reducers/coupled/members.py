"""A variable whose members are used becomes a plain number: its type goes with the members.

`f(struct s *p) { return p->n; }` becomes `f(int p) { return p; }`. Then the structure may go, or
the header that declares it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.languages.language_facts import LanguageFacts
from marrow.reducers.coupled.token_text import ENDS, TokenChanges, TokenText

_MEMBER: Final = frozenset({b".", b"->"})

_IN_TYPES: Final = frozenset({b"*", b"&", b"&&", b"::", b"<", b">", b".", b"?", b":", b"'", b","})
_AFTER_NAME: Final = frozenset({b";", b",", b")", b"=", b"[", b":"})
# What precedes a type before its name, and what follows one after it.
_BEFORE_TYPE: Final = ENDS | {b"(", b","}
_AFTER_TYPE: Final = ENDS | {b")", b",", b"="}


def as_numbers(text: TokenText, facts: LanguageFacts) -> Iterator[TokenChanges]:
    """Yield the text with a variable as a number, in the place of all its members."""
    number = facts.types.number.encode()
    others = {one.encode() for one in facts.types.others}
    find = _type_before if facts.types.precedes else _type_after
    for mentions in text.mentions.values() if number else ():
        members: TokenChanges = {}
        for at in mentions:
            members.update(dict.fromkeys(_members(text, at), ()))
        for at in mentions if members else ():
            found = find(text, at)
            if _is_type([text.texts[one] for one in found], others):
                yield {**members, **dict.fromkeys(found, ()), found[0]: (number,)}


def _members(text: TokenText, at: int) -> range:
    """Return the tokens after a name that select its members, and call them."""
    here = at + 1
    while text.text(here) in _MEMBER and text.named[here + 1 : here + 2] == [True]:
        here += 2
        if text.text(here) == b"(":
            here = text.partners.get(here, here - 1) + 1
    return range(at + 1, here)


def _type_before(text: TokenText, at: int) -> range:
    """Return what may be the type before a name that is declared there."""
    start, angles = at, 0
    while start > 0 and (angles > 0 or text.texts[start - 1] not in _BEFORE_TYPE):
        start -= 1
        angles += (text.texts[start] == b">") - (text.texts[start] == b"<")
    return range(start, at if text.text(at + 1) in _AFTER_NAME else start)


def _type_after(text: TokenText, at: int) -> range:
    """Return what may be the type after a name that is declared there, without a colon."""
    start = at + 2 if text.text(at + 1) == b":" else at + 1
    end = start
    while end < len(text.texts) and text.texts[end] not in _AFTER_TYPE:
        if b"\n" in text.tokens[end].before:
            break
        end += 1
    return range(start, end)


def _is_type(words: list[bytes], others: set[bytes]) -> bool:
    """Whether tokens may be a type: words, and signs that occur in types."""
    spelt = [word for word in words if word[:1].isalpha() or word[:1] == b"_"]
    return (
        bool(spelt)
        and others.isdisjoint(words)
        and all(word in _IN_TYPES for word in words if word not in spelt)
    )
