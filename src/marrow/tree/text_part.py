"""Parts of definitions that a text may do without: ranges of it, and what stands there instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias


class TextPart(NamedTuple):
    """A part of a definition: where it is, which type of part, and what a declaration has there.

    One that is a `scope` declares names of its own, which others may need.
    """

    start: int
    end: int
    type: str
    form: bytes = b""
    scope: bool = False


#: Gives the parts of the definitions in a text, in textual order, those around others first.
SeeParts: TypeAlias = Callable[[bytes], tuple[TextPart, ...]]


def without_parts(text: bytes, parts: Iterable[TextPart]) -> bytes:
    """Return a text without some parts; those inside others go with them."""
    pieces: list[bytes] = []
    position = 0
    for part in sorted(parts, key=lambda one: (one.start, -one.end)):
        if part.start >= position:
            # A blank keeps the words on both sides apart.
            pieces += (text[position : part.start], part.form or b" ")
            position = part.end
    return b"".join((*pieces, text[position:]))
