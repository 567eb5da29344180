"""Masking: what compilers take and tree-sitter's C and C++ do not, hidden from the parser.

Preprocessed headers are full of constructs that the parser takes for syntax errors, such as
`namespace std __attribute__ ((__visibility__ ("default"))) {`, and what follows one may be misread
for lines. So the parser is given a text in which they are blanks of the same length: offsets stay
as they are. Each hidden range comes back into the tree as a token of its own that can be deleted
(`marrow.syntax.tokens`). Line markers (`# 12 "file.h"`) are layout, as comments are.

What is hidden depends on the text alone, so a candidate is masked as its tree was. The rules are a
table of words, and of a few signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.syntax.hidden_words import HIDDEN_WORDS, Hide


class Range(NamedTuple):
    """A range of bytes that is hidden from the parser."""

    start: int
    end: int


class Masked(NamedTuple):
    """A text as the parser gets it, and the ranges that are hidden in it, in order."""

    text: bytes
    ranges: tuple[Range, ...] = ()


# Texts and comments, in which nothing is hidden; lines of the preprocessor; words; signs.
_PIECES: Final = re.compile(
    rb'R"([^\s()\\]{0,16})\(.*?(?:\)\1"|\Z)|(?<!\\)(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')'
    rb"|//[^\n]*|/\*.*?(?:\*/|\Z)"
    rb"|(?P<marker>^[ \t]*#(?:[ \t]*line)?[ \t]+\d[^\n]*)"
    rb"|(?P<pragma>^[ \t]*#[ \t]*pragma\b[^\n]*)|^[ \t]*#[^\n]*"
    rb"|(?P<word>\b[_a-z]\w*)|(?P<sign>::\s*\*|\.\.\.|=\s*\{\s*\}|->\*|(?<![\d.])\.\*|[*&>]\s+=(?!=)"
    rb"|(?:->|\.)~\w+<[^;()]{0,500}>(?=\()|>=(?=\s*[\w:]+\s*>)|(?<=\w)\s*:\s*\d+(?=\s*[;=][^=])"
    rb"|(?:\.|->)\s*template\s+(?=\w+\())",
    re.DOTALL | re.MULTILINE,
)
_BRACKETS: Final = re.compile(rb'(?<!\\)(?:"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\')|[()]')
_ROUND_OR_COMMA: Final = re.compile(rb'(?<!\\)"(?:[^"\\\n]|\\.)*"|[][(){},]')
# With more angle brackets than these in it, `decltype` looks like a name.
_DEEP: Final = 2
_SPACE: Final = re.compile(rb"\s*")
_DEFAULT: Final = re.compile(
    rb"(?:typename|class)(?:\s+\w+)?\s*=[\w:\s]++(?:<[^<>(){};]*>)?[\w:\s]*+([*&]+)\s*[,>]"
)
# Arguments of a template, with others in them, as deep as headers have them.
_ARGUMENTS: Final = rb"<(?:[^<>;{}]|<(?:[^<>;{}]|<(?:[^<>;{}]|<[^<>;{}]*+>)*+>)*+>)*+>"
# `typename T::type(0)`, which is an operand.
_CONVERSION: Final = re.compile(
    rb"typename\s+(?:\w++\s*+(?:"
    + _ARGUMENTS
    + rb"\s*+)?::\s*+)++(?:template\s+)?\w++\s*+(?:"
    + _ARGUMENTS
    + rb"\s*+)?[({]"
)
_FOLLOWED: Final[Mapping[Hide, re.Pattern[bytes]]] = {
    Hide.FRIEND: re.compile(rb"\s++(?!class\b|struct\b|union\b|enum\b|[\w\s:*&]*\w::\w+\s*\()"),
    Hide.EXTERN: re.compile(rb"\s+template\b(?!\s*<)"),
}
# The default of a parameter without a name.
_UNNAMED_DEFAULT: Final = re.compile(
    rb"=\s*(?:\w+|\{\s*\}|static_cast<[^()]*>\(\w*\)|\w+\(\))(?=\s*[,)>])"
)
# What stands in front of a call of an operator, and not of its declaration.
_STARTS: Final = frozenset({b"(", b",", b"=", b"{", b";", b"}"})
_CALLED_OPERATOR: Final = re.compile(rb"operator\s*(?:\+\+|--|[~*!+-])(?=\s*\(\s*\))")
# The end of a path of names: `Class<T>::`.
_PATH: Final = re.compile(rb"(?:[A-Za-z_]\w*\s*(?:<[^<>(){};]*>\s*)?::\s*)+\*\Z")
# What stands in front of a second `...`; of `...` in a declaration; of the width of a bit field
# that has no name.
_MORE: Final = re.compile(rb"\.\.\.\s+\Z")
_USING: Final = re.compile(rb"\busing\s[^;{}]*\Z")
_SIZED_TYPE: Final = re.compile(rb"\b(?:int|unsigned|long|short|char|bool)\s*\Z")
# How far in front of a sign it is looked at.
_NEAR: Final = 20
# No path is longer.
_LONGEST_PATH: Final = 200
# What stands in front of an operand, and not of the type of a function or an enumeration.
_OPERAND: Final = b"(,=+-*/%&|!<?["
_MARKER: Final = re.compile(rb'^# \d+ "', re.MULTILINE)
_BLANKED: Final = re.compile(rb"[^\n]")


class Looks(Enum):
    """What the parser sees in the place of a range."""

    #: Nothing; the range is a token of its own.
    HIDDEN = auto()
    #: Nothing; the range is layout, as a comment is.
    LAYOUT = auto()
    #: A name.
    NAME = auto()
    #: `==`.
    EQUALS = auto()


class Mask(NamedTuple):
    """A range, and what the parser sees in its place."""

    start: int
    end: int
    looks: Looks = Looks.HIDDEN


def needs_masking(text: bytes, language: str, *, errors: bool) -> bool:
    """Return whether a text is masked: it has errors as it is, or is a preprocessor's output."""
    return language in HIDDEN_WORDS and (errors or _MARKER.search(text) is not None)


def masked(text: bytes, language: str) -> Masked:
    """Return a text as the parser of a language gets it."""
    words = HIDDEN_WORDS.get(language)
    if words is None:
        return Masked(text)
    shown: list[bytes] = []
    ranges: list[Range] = []
    position = 0
    for start, end, looks in _changes(text, words, cpp=language == "cpp"):
        if start < position:
            continue  # inside of the one before
        shown.append(text[position:start])
        if looks is Looks.NAME:
            shown.append(b"_" * (end - start))
        elif looks is Looks.EQUALS:
            shown.append(b"==")
        else:
            # Line breaks stay, as directives end at them.
            shown.append(_BLANKED.sub(b" ", text[start:end]))
        if looks is Looks.HIDDEN:
            ranges.append(Range(start, end))
        position = end
    shown.append(text[position:])
    return Masked(b"".join(shown), tuple(ranges))


def _changes(text: bytes, words: Mapping[bytes, Hide], *, cpp: bool) -> Iterator[Mask]:
    previous = b""
    for count, piece in enumerate(_PIECES.finditer(text)):
        if not count & 0xFFF:
            look()
        kind = piece.lastgroup
        if kind == "word":
            hide = words.get(piece[0])
            if hide is not None:
                yield from _word(text, hide, piece, previous)
            previous = piece[0]
        elif kind == "marker":
            yield Mask(piece.start(), piece.end(), Looks.LAYOUT)
        elif kind == "pragma":
            if not _between_declarations(text, piece.start()):
                yield Mask(piece.start(), piece.end())
        elif kind == "sign":
            yield from _sign(text, piece, cpp=cpp)


def _word(text: bytes, hide: Hide, piece: re.Match[bytes], previous: bytes) -> Iterator[Mask]:
    start, end = piece.span()
    if hide is Hide.WORD:
        if text[start - 2 : start] != b"::":  # of an attribute: [[gnu::__const__]]
            yield Mask(start, end)
    elif hide in _FOLLOWED:
        if _FOLLOWED[hide].match(text, end):
            yield Mask(start, end)
    elif hide is Hide.TEMPLATE:
        if _next(text, end) != b"<" and _before(text, start) not in (b":", b".", b">"):
            yield Mask(start, end)
    elif hide is Hide.SIZED:
        if _next(text, end) == b"{" and (before := _before(text, start)) in _OPERAND and before:
            yield Mask(start, end, Looks.NAME)
    elif hide is Hide.CONST:
        if _before(text, start) == b"=":
            yield Mask(start, end)
    elif hide is Hide.OPERATOR:
        called = _CALLED_OPERATOR.match(text, start)
        if called and (previous == b"return" or _before(text, start) in _STARTS):
            yield Mask(start, called.end(), Looks.NAME)
    elif hide is Hide.ASSIGNED:
        if _before(text, start) == b"=":
            yield Mask(text.rindex(b"=", 0, start), end)
    elif hide is Hide.TYPENAME and (previous == b"using" or _CONVERSION.match(text, start)):
        yield Mask(start, end)
    elif hide in (Hide.PARAMETER, Hide.TYPENAME):
        if default := _DEFAULT.match(text, start):
            yield Mask(*default.span(1))
    else:
        brackets = _brackets(text, end)
        if brackets is None:
            return
        if hide is Hide.NAME_OF_VALUE and not _is_hard(text, brackets):
            return
        looks = Looks.HIDDEN if hide is Hide.CALL else Looks.NAME
        yield Mask(start, brackets.end, looks)


def _sign(text: bytes, piece: re.Match[bytes], *, cpp: bool) -> Iterator[Mask]:
    start, end = piece.span()
    sign = piece[0]
    if sign == b"...":
        # Behind a pack, and behind what is used from the bases in one: `using B::f...;`.
        pack = text[end : end + 3] == b"..." or _MORE.search(text, max(0, start - _NEAR), start)
        used = _USING.search(text, max(0, start - _LONGEST_PATH), start)
        if pack or (used and _next(text, end) == b";"):
            yield Mask(start, end)
    elif b":" in sign[:-1] and sign[-1:].isdigit():
        if text[end : end + 3].lstrip()[:1] == b"=" or _SIZED_TYPE.search(
            text, max(0, start - _NEAR), start
        ):
            yield Mask(start + sign.index(b":"), end)
    elif cpp and sign == b">=":
        yield Mask(start, end, Looks.EQUALS)
    elif cpp and b"template" in sign:
        yield Mask(start + sign.index(b"template"), end)
    elif sign == b"={}" or (sign[:1] == b"=" and sign[-1:] == b"}"):
        if _next(text, end) in (b",", b")"):
            yield Mask(start, end)
    elif cpp and sign[:2] == b"::":
        path = _PATH.search(text, max(0, start - _LONGEST_PATH), end)
        before = b"" if path is None else _before(text, path.start())
        if path is not None and (before.isalnum() or before in (b"_", b">", b"*", b"&")):
            yield Mask(path.start(), end)
        elif path is not None and before == b"(":
            yield Mask(path.start(), end - 1)
    elif cpp and sign[-1:] == b"=":
        if (default := _UNNAMED_DEFAULT.match(text, end - 1)) and sign[:1] in b"*&>":
            yield Mask(end - 1, default.end())
    elif cpp and sign[-1:] == b">":
        yield Mask(start + sign.index(b"<"), end)
    elif cpp and sign[-2:] in (b">*", b".*"):
        yield Mask(end - 1, end)


def _brackets(text: bytes, position: int) -> Range | None:
    """Return the range of the round brackets that follow; None if none do."""
    start = _after(text, position)
    if text[start : start + 1] != b"(":
        return None
    depth = 0
    for sign in _BRACKETS.finditer(text, start):
        if sign[0] == b"(":
            depth += 1
        elif sign[0] == b")":
            depth -= 1
            if not depth:
                return Range(start, sign.end())
    return None


def _is_hard(text: bytes, brackets: Range) -> bool:
    """Return whether the parser has trouble with `decltype` and these brackets."""
    inside = text[brackets.start + 1 : brackets.end - 1]
    if _next(text, brackets.end) in (b"{", b"(") or inside.count(b"<") > _DEEP:
        return True
    depth = 0
    for sign in _ROUND_OR_COMMA.finditer(inside):
        depth += (sign[0] in b"([{") - (sign[0] in b")]}")
        if not depth and sign[0] == b",":
            return True
    return False


def _after(text: bytes, position: int) -> int:
    space = _SPACE.match(text, position)
    assert space is not None
    return space.end()


def _next(text: bytes, position: int) -> bytes:
    """Return the next sign from a position on that is no white space."""
    at = _after(text, position)
    return text[at : at + 1]


def _before(text: bytes, position: int) -> bytes:
    """Return the last sign in front of a position that is no white space."""
    while position and text[position - 1 : position].isspace():
        position -= 1
    return text[position - 1 : position] if position else b""


def _between_declarations(text: bytes, position: int) -> bool:
    """Return whether a line of the preprocessor stands where the parser takes it."""
    while position > 0:
        line = text.rfind(b"\n", 0, position - 1) + 1
        above = text[line:position].strip()
        if above and not above.startswith(b"#"):
            return above[-1:] in b";}"
        position = line
    return True
