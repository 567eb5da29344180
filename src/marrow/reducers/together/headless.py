"""Functions and templates as C and C++ declare them: with as little as a declaration needs.

`T f() {}` is `T f();`, and `auto f() {}` is `void f();`, as nothing else says what it returns. What
a template is declared with before its definition, `template<class = int> struct A;`, may stand at
the definition: then the declaration goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.together.token_text import ENDS, TokenChanges, TokenText

_TEMPLATE: Final = b"template"
_AUTO: Final = b"auto"


def without_empty_bodies(text: TokenText) -> Iterator[TokenChanges]:
    """Yield the text with all empty bodies of functions as semicolons, then with each."""
    found = [*_empty_bodies(text)]
    for every in (found, *([one] for one in found if len(found) > 1)):
        changes = {at: new for one in every for at, new in one.items()}
        if changes:
            yield changes


def _empty_bodies(text: TokenText) -> Iterator[TokenChanges]:
    for start, end in sorted(text.partners.items()):
        head = text.head(start)
        if end != start + 1 or text.texts[start] != b"{" or b"(" not in text.texts[head:start]:
            continue
        changes: TokenChanges = {start: (b";",), end: ()}
        name = next(at for at in range(head, start) if text.texts[at] == b"(")
        for at in range(head, name):
            if text.texts[at] == _AUTO:
                changes[at] = (b"void",)
        yield changes


def as_declared_before(text: TokenText) -> Iterator[TokenChanges]:
    """Yield the text without each declaration of a template whose definition follows."""
    heads = [*_heads(text)]
    for at, (start, end, name) in enumerate(heads):
        if text.text(name + 1) != b";":
            continue
        for other, other_end, defined in heads[at + 1 :]:
            if text.texts[defined] == text.texts[name] and text.text(defined + 1) != b";":
                changes: TokenChanges = dict.fromkeys(range(start, name + 2), ())
                changes |= dict.fromkeys(range(other, other_end + 1), ())
                changes[other] = tuple(text.texts[start : end + 1])
                yield changes
                break


def _heads(text: TokenText) -> Iterator[tuple[int, int, int]]:
    """Yield where `template<...>` begins and ends in front of a class, and the class's name."""
    for at, word in enumerate(text.texts):
        end = text.end_of(at + 1) if word == _TEMPLATE and text.text(at + 1) == b"<" else None
        if end is None:
            continue
        here = end + 1
        while text.text(here) and text.texts[here] not in (*ENDS, b"(", b"<", b":"):
            here += 1
        if here - 1 > end + 1 and text.named[here - 1]:
            yield at, end, here - 1
