"""Functions and templates as C and C++ declare them: with as little as a declaration needs.

`T f() {}` is `T f();`, and `auto f() {}` is `void f();`, as nothing else says what it returns. What
a template is declared with before its definition, `template<class = int> struct A;`, may stand at
the definition: then the declaration goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reducers.coupled.parameters import TEMPLATE, template_at
from marrow.reducers.coupled.token_text import TokenChanges, TokenText

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
    words = (at for at, word in enumerate(text.texts) if word == TEMPLATE)
    templates = [one for at in words if (one := template_at(text, at)) is not None]
    for at, one in enumerate(templates):
        if text.text(one.name + 1) != b";":
            continue
        for other in templates[at + 1 :]:
            defined = other.name
            if text.texts[defined] == text.texts[one.name] and text.text(defined + 1) != b";":
                changes: TokenChanges = dict.fromkeys(range(one.start - 1, one.name + 2), ())
                changes |= dict.fromkeys(range(other.start, other.end + 1), ())
                changes[other.start] = tuple(text.texts[one.start : one.end + 1])
                yield changes
                break
