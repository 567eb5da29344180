"""Implied types: declarations of C that leave out `int`, which tree-sitter's C takes for errors.

Compilers of C take `main() {}`, `f(a, b) char *b; {}`, `static a;` and `const *p = 0;`: the type is
`int`. The parser is shown the text with an `int` in each such place, and what it says of the longer
text is told of the text itself: the words that were put in vanish from its tree, and all positions
are those of the text. The words are those of the language's file.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.languages.language_facts import facts_of
from marrow.syntax.concrete_tree import ConcreteNode
from marrow.syntax.masking.mask import brackets_after
from marrow.tree import Splice


@dataclass(frozen=True, slots=True)
class Implied:
    """Where a word was put into a text for the parser: positions of the text, in order."""

    word: bytes = b""
    places: tuple[int, ...] = ()

    def told(self, text: bytes) -> bytes:
        """Return a text with the words in it."""
        parts, position = [], 0
        for place in self.places:
            parts += [text[position:place], self.word]
            position = place
        return b"".join((*parts, text[position:]))

    def before(self, position: int) -> int:
        """Return where a position is in the longer text: before a word that was put there."""
        return position + len(self.word) * bisect_left(self.places, position)

    def after(self, position: int) -> int:
        """Return where a position is in the longer text: after a word that was put there."""
        return position + len(self.word) * bisect_right(self.places, position)

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
        length = len(self.word)
        starts = [place + length * at for at, place in enumerate(self.places)]

        def original(position: int) -> int:
            at = bisect_left(starts, position)
            if not at:
                return position
            inside = min(length, position - starts[at - 1])
            return position - length * (at - 1) - inside

        order = [root]
        for count, raw in enumerate(order):
            if not count & 0xFF:
                look()
            order.extend(raw.children)
            # What has nothing but the word in it becomes empty, and empty nodes are not tokens.
            raw.move(original)


# The body of a function, or the types of its parameters, after its brackets.
_BODY_OR_TYPES: Final = re.compile(rb"\s*[{A-Za-z_]")


class _Patterns(NamedTuple):
    """The pieces of a text, and declarations without a type up to where it is missing."""

    word: bytes
    pieces: re.Pattern[bytes]
    function: re.Pattern[bytes]
    variable: re.Pattern[bytes]


@cache
def _patterns(language: str) -> _Patterns:
    signs, types = facts_of(language).signs, facts_of(language).types
    pieces = rf"{signs.texts}|^[ \t]*{signs.directives}[^\n]*|[][(){{}};]|[\w*]+"
    before = rf"(?:(?:{'|'.join(types.specifiers)})\b\s*+)"
    name = rf"(?!(?:{'|'.join((*types.reserved, *types.specifiers))})\b)[A-Za-z_]\w*"
    return _Patterns(
        # After `static*` and its like the word needs a blank before it, too.
        f" {types.number} ".encode(),
        re.compile(pieces.encode(), re.DOTALL | re.MULTILINE),
        # What follows the name of a function in brackets must be looked at.
        re.compile(rf"(?P<specifiers>{before}*+)[*\s]*+{name}\s*(?=\()".encode()),
        re.compile(rf"(?P<specifiers>{before}++)[*\s]*+{name}\s*(?=[;,=\[(])".encode()),
    )


def implied(text: bytes, language: str) -> Implied:
    """Return where a text leaves out a type."""
    patterns = _patterns(language)
    places: list[int] = []
    braces = brackets = 0
    first = True
    for count, piece in enumerate(patterns.pieces.finditer(text)):
        if not count & 0xFFF:
            look()
        sign = piece[0]
        if sign[:1] in b"\"'/#" or piece.lastgroup:
            continue
        if first and not brackets and sign not in b"()[]{};":
            place = _implied_at(text, piece.start(), patterns, language, file=not braces)
            if place is not None:
                places.append(place)
        braces += (sign == b"{") - (sign == b"}")
        brackets += (sign in (b"(", b"[")) - (sign in (b")", b"]"))
        first = sign in (b";", b"{", b"}")
        if first:
            brackets = 0
    return Implied(patterns.word, tuple(places))


def _implied_at(
    text: bytes, start: int, patterns: _Patterns, language: str, *, file: bool
) -> int | None:
    """Return where the type is missing in a declaration that begins at a position, if it is.

    `file`: it is outside of functions, where it may be the definition of one.
    """
    if variable := patterns.variable.match(text, start):
        return variable.end("specifiers")
    function = patterns.function.match(text, start) if file else None
    brackets = None if function is None else brackets_after(text, function.end(), language)
    if function is None or brackets is None:
        return None
    found = _BODY_OR_TYPES.match(text, brackets.end)
    return None if found is None else function.end("specifiers")
