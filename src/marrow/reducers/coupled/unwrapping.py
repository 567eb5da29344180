"""A namespace or a class unwrapped, with its qualifiers: `namespace n { A } n::B` is `A B`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.coupled.token_text import TokenChanges, TokenText

# What stands between a qualifier and what it qualifies.
_QUALIFIES: Final = frozenset({b"::", b".", b"\\"})

#: Words of what may be unwrapped although nothing qualifies what is in it.
SCOPES: Final = frozenset({b"namespace", b"module", b"mod", b"extern", b"package"})


def unwrapped(text: TokenText) -> Iterator[TokenChanges]:
    """Yield the text without the brackets and the head of a scope, and without its qualifiers."""
    for start, end in sorted(text.partners.items(), reverse=True):
        if text.texts[start] != b"{" or start > end:
            continue
        head = text.head(start)
        names = [at for at in range(head, start) if text.named[at]]
        scope = any(one in SCOPES for one in text.texts[head:start])
        for at in names[:1] if scope else dict.fromkeys((*names[:1], *names[-1:])):
            qualifiers = _qualifiers(text, text.texts[at], range(head, start))
            if qualifiers or scope:
                yield _without(text, head, start, end, qualifiers)
        if scope and not names:
            yield _without(text, head, start, end, set())


def _qualifiers(text: TokenText, name: bytes, head: range) -> set[int]:
    """Return the tokens by which things are said to be in a scope of this name."""
    found: set[int] = set()
    for at in text.mentions.get(name, ()):
        if at not in head and text.text(at + 1) in _QUALIFIES:
            found |= {at, at + 1}
    return found


def _without(
    text: TokenText, head: int, start: int, end: int, qualifiers: set[int]
) -> TokenChanges:
    behind = {end, end + 1} if text.text(end + 1) == b";" else {end}
    return dict.fromkeys({*range(head, start + 1), *behind, *qualifiers}, ())
