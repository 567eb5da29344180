"""Lexemes of BNF and EBNF files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from marrow.grammar.readers.scan import END, Lexeme, Scanner, Source, escaped

#: The signs between a rule's name and its body.
DEFINES: Final = ("::=", ":=", "=", ":", "->", "→", "⟶")

_DEFINE: Final = r"::=|:=|=|:|->|→|⟶"
_NAME: Final = r"<[\w$][^<>|\"\r\n]*>|⟨[^⟨⟩\r\n]+⟩"
_WORD: Final = r"[^\W]\w*(?:-\w+)*"
_BLANK: Final = r"[\s\ufeff]+|//[^\r\n]*|/\*.*?\*/|\(\*.*?\*\)|\#(?!x[0-9A-Fa-f])[^\r\n]*"

#: A text in quotes: with escapes, or with a backslash that is a character like others.
_ESCAPED: Final = r"""(?: "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' )"""
_RAW: Final = r"""(?: "[^"\r\n]*" | '[^'\r\n]*' )"""


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
    (?P<blank> {_BLANK} )
  | (?P<name> {_NAME} )
  | (?P<text> {text} (?:i(?!\w))? )
  | (?P<hex> \#x[0-9A-Fa-f]{{1,8}} )
  | (?P<directive> %(?:token|skip|fragment|start|encoding)\b )
  | (?P<define> {_DEFINE} )
  | (?P<word> {_WORD} | &epsilon; )
  | (?P<quantifier> \^?[*+?∗⁺]\?? )
  | (?P<sign> \.\. | … | \((?!\*) | [][){{}}|,;.\-] )
    """,
        re.VERBOSE | re.DOTALL,
    )


_PATTERN: Final = _pattern(_ESCAPED)
_RAW_PATTERN: Final = _pattern(_RAW)

_UNCLOSED: Final = {
    "/*": "this comment is never closed. Add `*/`.",
    "(*": "this comment is never closed. Add `*)`.",
    "'": r"this text is never closed on its line. Add a `'`; write `\\` for a backslash.",
    '"': r'this text is never closed on its line. Add a `"`; write `\\` for a backslash.',
    "<": "this is not a name: names look like `<name>`. Quote it if it is text.",
}

#: Character sets, after the bracket. Signs that an optional part would have need an escape.
_PLAIN_SET: Final = re.compile(r"""((?:\\.|[^\]\\\s<>⟨⟩"'{}()|])+)\]""", re.DOTALL)
_NEGATED_SET: Final = re.compile(r"\^((?:\\.|[^\]\\\r\n])*)\]", re.DOTALL)

#: A rule's name and its define sign; everything else is passed over.
_HEADS: Final = re.compile(
    rf"""{_BLANK}|"(?:[^"\\\r\n]|\\.)*"|'(?:[^'\\\r\n]|\\.)*'"""
    rf"""|(?P<head>{_NAME}|{_WORD})\s*(?P<define>{_DEFINE})|{_WORD}""",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Outline:
    """The names that a file defines, angle brackets included, and the sign it defines them with."""

    names: frozenset[str]
    define: str


def outline(text: str) -> Outline:
    """Take a first look at a file, before it is read.

    All rules use the sign that the first one uses. Character sets are not known yet, so that there
    may be a few names too many.
    """
    heads = [found for found in _HEADS.finditer(text) if found["head"]]
    define = heads[0]["define"] if heads else DEFINES[0]
    names = (found["head"] for found in heads if found["define"] == define)
    return Outline(frozenset(re.sub(r"\s+", " ", name) for name in names), define)


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """A character set in square brackets: ranges, excluded ones if `negated`."""

    ranges: tuple[tuple[int, int], ...]
    negated: bool


class BnfScanner(Scanner):
    """A scanner that knows where rules begin, and character sets."""

    def __init__(self, source: Source, define: str, *, raw: bool) -> None:
        """Make a scanner; in `raw` files a backslash is a character like any other."""
        super().__init__(source, _RAW_PATTERN if raw else _PATTERN, _UNCLOSED)
        self.raw = raw
        self.define = define
        self._head = re.compile(rf"(?:{_NAME}|{_WORD})\s*{re.escape(define)}")

    def at_rule(self) -> bool:
        """Whether a rule ends here, because the next one begins or the file ends."""
        lexeme = self.peek()
        if lexeme.kind in ("name", "word"):
            return self._head.match(self.source.text, lexeme.start) is not None
        return lexeme.kind in (END, "directive")

    def code(self, lexeme: Lexeme) -> int:
        """Return the code point of `#x41`."""
        code = int(lexeme.text[2:], 16)
        if code > 0x10FFFF:
            self.fail(lexeme, f"there is no character {lexeme.text}. The last one is #x10FFFF.")
        return code

    def character_set(
        self, bracket: Lexeme, is_defined: Callable[[Lexeme], bool]
    ) -> CharacterSet | None:
        """Read the character set whose bracket was taken; None if it is an optional part."""
        text = self.source.text
        negated = text.startswith("^", bracket.end)
        found = (_NEGATED_SET if negated else _PLAIN_SET).match(text, bracket.end)
        if found is None:
            return None
        inside = Lexeme("word", found[1], found.start(1), found.end(1))
        if not negated and is_defined(inside):
            return None
        ranges = self._ranges(inside)
        self.go_to(found.end())
        return CharacterSet(ranges, negated)

    def _ranges(self, inside: Lexeme) -> tuple[tuple[int, int], ...]:
        text = self.source.text
        ranges: list[tuple[int, int]] = []
        offset = inside.start
        while offset < inside.end:
            first, offset = self._character(offset, inside.end)
            last = first
            if text[offset : offset + 1] == "-" and offset + 1 < inside.end:
                last, offset = self._character(offset + 1, inside.end)
                if last < first:
                    self.fail(
                        inside, "a range in this set runs backwards. Write the lower end first."
                    )
            ranges.append((first, last))
        return tuple(ranges)

    def _character(self, offset: int, end: int) -> tuple[int, int]:
        text = self.source.text
        if text[offset] == "\\" and not self.raw:
            one = escaped(self.source, offset, end, "]\\-^")
            return ord(one.text), one.end
        found = re.compile(r"#x[0-9A-Fa-f]{1,8}").match(text, offset, end)
        if found:
            lexeme = Lexeme("hex", found.group(), found.start(), found.end())
            return self.code(lexeme), found.end()
        return ord(text[offset]), offset + 1
