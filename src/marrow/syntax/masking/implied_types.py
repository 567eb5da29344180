"""Implied types: declarations of C that leave out `int`, which tree-sitter's C takes for errors.

Compilers of C take `main() {}`, `f(a, b) char *b; {}`, `static a;` and `const *p = 0;`: the type is
`int`. The parser is shown the text with an `int` in each such place, and what it says of the longer
text is told of the text itself: the words that were put in vanish from its tree, and all positions
are those of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from marrow.base.deadline import look
from marrow.syntax.concrete_tree import ConcreteNode
from marrow.tree import Splice

# After `static*` and its like the word needs a blank before it, too.
_IMPLIED: Final = b" int "
_LENGTH: Final = len(_IMPLIED)

_TEXTS: Final = (
    rb'(?<!\\)(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')|//[^\n]*|/\*.*?(?:\*/|\Z)'
    rb"|^[ \t]*#[^\n]*"
)
_PIECES: Final = re.compile(_TEXTS + rb"|[][(){};]|[\w*]+", re.DOTALL | re.MULTILINE)
_SIGNS: Final = re.compile(_TEXTS + rb"|[()]", re.DOTALL | re.MULTILINE)
# What may precede a type.
_SPECIFIERS: Final = (
    rb"(?:(?:static|extern|register|auto|typedef|inline|__inline|__inline__|const|volatile)\b\s*+)"
)
# Words that are not names: they begin statements, or are types.
_NO_NAME: Final = (
    rb"(?!(?:if|for|while|switch|do|else|return|goto|case|default|sizeof|asm|__asm__|int|char|long"
    rb"|short|float|double|void|unsigned|signed|_Bool|struct|union|enum|static|extern|register"
    rb"|auto|typedef|inline|const|volatile)\b)[A-Za-z_]\w*"
)
# A function: what follows its name in brackets must be looked at.
_FUNCTION: Final = re.compile(
    rb"(?P<specifiers>" + _SPECIFIERS + rb"*+)[*\s]*+" + _NO_NAME + rb"\s*(?=\()"
)
_VARIABLE: Final = re.compile(
    rb"(?P<specifiers>" + _SPECIFIERS + rb"++)[*\s]*+" + _NO_NAME + rb"\s*(?=[;,=\[(])"
)
_SPACE: Final = re.compile(rb"\s*")


@dataclass(frozen=True, slots=True)
class Implied:
    """Where words were put into a text for the parser: positions of the text, in order."""

    places: tuple[int, ...] = ()

    def told(self, text: bytes) -> bytes:
        """Return a text with the words in it."""
        parts, position = [], 0
        for place in self.places:
            parts += [text[position:place], _IMPLIED]
            position = place
        return b"".join((*parts, text[position:]))

    def before(self, position: int) -> int:
        """Return where a position is in the longer text: before a word that was put there."""
        return position + _LENGTH * bisect_left(self.places, position)

    def after(self, position: int) -> int:
        """Return where a position is in the longer text: after a word that was put there."""
        return position + _LENGTH * bisect_right(self.places, position)

    def starts(self, position: int) -> Sequence[int]:
        """Return where a node of the longer text may start that starts at a position of the text.

        The word may be its first one, or precede it.
        """
        before, after = self.before(position), self.after(position)
        return (before,) if before == after else (before + 1, after)

    def splice(self, splice: Splice) -> Splice:
        """Return a splice of the text as one of the longer text."""
        return Splice(self.before(splice.start), self.before(splice.end), splice.text)

    def forget(self, root: ConcreteNode) -> None:
        """Take the words out of the tree of the longer text, so that it is one of the text."""
        if not self.places:
            return
        starts = [place + _LENGTH * at for at, place in enumerate(self.places)]

        def original(position: int) -> int:
            at = bisect_left(starts, position)
            if not at:
                return position
            inside = min(_LENGTH, position - starts[at - 1])
            return position - _LENGTH * (at - 1) - inside

        order = [root]
        for count, raw in enumerate(order):
            if not count & 0xFF:
                look()
            order.extend(raw.children)
            # What has nothing but the word in it becomes empty, and empty nodes are not tokens.
            raw.move(original)


def implied(text: bytes) -> Implied:
    """Return where a text of C leaves out a type."""
    places: list[int] = []
    braces = brackets = 0
    first = True
    for count, piece in enumerate(_PIECES.finditer(text)):
        if not count & 0xFFF:
            look()
        sign = piece[0]
        if sign[:1] in b"\"'/#":
            continue
        if first and not brackets and sign not in b"()[]{};":
            place = _implied_at(text, piece.start(), file=not braces)
            if place is not None:
                places.append(place)
        braces += (sign == b"{") - (sign == b"}")
        brackets += (sign in (b"(", b"[")) - (sign in (b")", b"]"))
        first = sign in (b";", b"{", b"}")
        if first:
            brackets = 0
    return Implied(tuple(places))


def _implied_at(text: bytes, start: int, *, file: bool) -> int | None:
    """Return where the type is missing in a declaration that begins at a position, if it is.

    `file`: it is outside of functions, where it may be the definition of one.
    """
    if variable := _VARIABLE.match(text, start):
        return variable.end("specifiers")
    function = _FUNCTION.match(text, start) if file else None
    end = None if function is None else _closing(text, function.end())
    # The body, or the types of the parameters.
    if function is None or end is None or not re.match(rb"[{A-Za-z_]", text[end : end + 1]):
        return None
    return function.end("specifiers")


def _closing(text: bytes, start: int) -> int | None:
    """Return where the text after a pair of round brackets begins; None without one."""
    depth = 0
    for sign in _SIGNS.finditer(text, start):
        depth += (sign[0] == b"(") - (sign[0] == b")")
        if not depth and sign[0] == b")":
            space = _SPACE.match(text, sign.end())
            return sign.end() if space is None else space.end()
    return None
