"""Access specifiers with friends, in C++: a class in which all is public needs neither."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.coupled.token_text import TokenChanges, TokenText

_ACCESS: Final = frozenset({b"public", b"private", b"protected"})
_CLASS: Final = b"class"
_STRUCT: Final = b"struct"
_FRIEND: Final = b"friend"


def made_public(text: TokenText) -> Iterator[TokenChanges]:
    """Yield the text with classes that are structs, without access specifiers and friends.

    First all of them at once, then one by one; without friends, and with them.
    """
    classes = [changes for at in range(len(text.texts)) if (changes := _public(text, at))]
    if not classes:
        return
    for friends in (True, False):
        chosen = [{**one, **(more if friends else {})} for one, more in classes]
        if len(chosen) > 1:
            yield {at: new for one in chosen for at, new in one.items()}
        yield from chosen


def _public(text: TokenText, at: int) -> tuple[TokenChanges, TokenChanges] | None:
    """Return what becomes of a class, and what of its friends; None if nothing would."""
    if text.texts[at] not in (_CLASS, _STRUCT) or not text.named[at + 1 : at + 2]:
        return None
    start = next((one for one in range(at, len(text.texts)) if text.texts[one] in b"{;(>,"), at)
    end = text.partners.get(start)
    if end is None or text.texts[start] != b"{":
        return None
    changes: TokenChanges = {one: () for one in range(at, start) if text.texts[one] in _ACCESS}
    friends: TokenChanges = {}
    here = start + 1
    while here < end:
        if text.texts[here] in _ACCESS and text.text(here + 1) == b":":
            changes.update({here: (), here + 1: ()})
        elif text.texts[here] == _FRIEND:
            while here < end and text.texts[here] not in b";{":
                friends[here] = ()
                here += 1
            friends.update(dict.fromkeys(range(here, text.partners.get(here, here) + 1), ()))
        here = text.partners[here] + 1 if text.partners.get(here, 0) > here else here + 1
    if text.texts[at] == _CLASS:
        changes[at] = (_STRUCT,)
    return (changes, friends) if len(changes) + len(friends) > 1 else None
