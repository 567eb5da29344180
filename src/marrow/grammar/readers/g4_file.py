"""One ANTLR file: its lexemes, and its content before imports and vocabularies are resolved."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from marrow.grammar.model.charset import Ranges, complement
from marrow.grammar.model.rules import DEFAULT_MODE, Command, Expression, Note, Position, Rule
from marrow.grammar.readers.predicates import Assumptions
from marrow.grammar.readers.regex import unicode_property
from marrow.grammar.readers.scan import Lexeme, Scanner, Source, escaped, set_ranges


@dataclass(frozen=True, slots=True)
class Excluded:
    """`~` or `.` in a parser rule: any token but these. Known only once all tokens are."""

    position: Position
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class G4Token:
    """A lexer rule: its alternatives, each with its commands, and whether it has a predicate."""

    name: str
    alternatives: tuple[Expression, ...]
    commands: tuple[tuple[Command, ...], ...]
    guarded: tuple[bool, ...]
    fragment: bool
    mode: str
    position: Position


@dataclass(slots=True)
class G4File:
    """A grammar file. `kind` is "lexer", "parser", or empty for a combined grammar."""

    name: str
    kind: str
    source: str
    options: dict[str, str] = field(default_factory=dict)
    imports: list[tuple[str, Position]] = field(default_factory=list)
    vocabulary: tuple[str, Position] | None = None
    named_tokens: dict[str, Position] = field(default_factory=dict)
    rules: dict[str, Rule] = field(default_factory=dict)
    tokens: dict[str, G4Token] = field(default_factory=dict)
    modes: list[str] = field(default_factory=lambda: [DEFAULT_MODE])
    excluded: dict[str, Excluded] = field(default_factory=dict)
    #: The code of every predicate.
    calls: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    #: What the user says about predicates, by the names of the calls in them.
    assume: Assumptions = field(default_factory=dict)


_PATTERN: Final = re.compile(
    r"""
    (?P<blank> [\s\ufeff]+ | //[^\r\n]* | /\*.*?\*/ )
  | (?P<name> [^\W\d]\w* )
  | (?P<number> \d+ )
  | (?P<text> '(?:[^'\\\r\n]|\\.)*' )
  | (?P<double> "(?:[^"\\\r\n]|\\.)*" )
  | (?P<sign> -> | \.\.\. | \.\. | \+= | :: | [][(){}<>|:;,.=*+?~@\#$\-^!&%] )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    "/*": "this comment is never closed. Add `*/`.",
    "'": "this text is never closed. Add a `'` on the same line.",
    '"': 'this text is never closed. Add a `"`; literals of a grammar have single quotes.',
}

#: What has a meaning of its own inside an action: texts and comments may hold braces. A quote
#: that is not closed on its line is an apostrophe.
_IN_ACTION: Final = re.compile(
    r"""
    \\. | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' | //[^\r\n]* | /\*.*?\*/ | [{}]
    """,
    re.VERBOSE | re.DOTALL,
)

_IN_SET: Final = re.compile(r"(?:\\.|[^\]\\\r\n])*\]")

#: The second half of a character that is escaped as two.
_LOW_HALF: Final = re.compile(r"\\u([Dd][C-Fc-f][0-9A-Fa-f]{2})")

_IN_ARGUMENTS: Final = re.compile(
    r"""\\. | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*' | [\[\]]""", re.VERBOSE | re.DOTALL
)


class G4Scanner(Scanner):
    """A scanner that also reads actions, rule arguments and character sets."""

    def __init__(self, source: Source) -> None:
        super().__init__(source, _PATTERN, _UNCLOSED)

    def skip_action(self, brace: Lexeme) -> str:
        """Go past an action whose opening brace was taken; return its code."""
        return self._skip_nested(brace, _IN_ACTION, "{", "}", "this action is never closed")

    def skip_arguments(self, bracket: Lexeme) -> str:
        """Go past arguments whose opening bracket was taken."""
        what = "these arguments are never closed"
        return self._skip_nested(bracket, _IN_ARGUMENTS, "[", "]", what)

    def _skip_nested(
        self, start: Lexeme, pattern: re.Pattern[str], opening: str, closing: str, what: str
    ) -> str:
        depth, offset = 1, start.end
        while depth:
            found = pattern.search(self.source.text, offset)
            if found is None:
                self.fail(start, f"{what}. Add the missing {closing!r}.")
            depth += (found.group() == opening) - (found.group() == closing)
            offset = found.end()
        self.go_to(offset)
        return self.source.text[start.end : offset - 1]

    def character_set(self, bracket: Lexeme) -> Ranges:
        """Read a character set whose opening bracket was taken."""
        found = _IN_SET.match(self.source.text, bracket.end)
        if found is None:
            self.fail(bracket, "this character set is never closed. Add `]`.")
        self.go_to(found.end())
        read = partial(self._member, bracket)
        return set_ranges(self.source, bracket.end, found.end() - 1, read)

    def _member(self, bracket: Lexeme, offset: int) -> tuple[Ranges, int]:
        """Read one character of a set, or a property."""
        source = self.source
        code = ord(source.text[offset])
        if code != ord("\\"):
            return ((code, code),), offset + 1
        if source.text.startswith(("\\p", "\\P"), offset):
            return self._property(bracket, offset)
        one = escaped(source, offset, len(source.text), "]\\-'\"[^")
        if not one.known:
            self.note(
                bracket,
                f"the escape \\{one.text} in a character set has no meaning: it is taken for "
                f"{one.text!r}.",
                "Leave out the backslash.",
            )
        code, end = ord(one.text), one.end
        low = _LOW_HALF.match(source.text, end) if 0xD800 <= code <= 0xDBFF else None
        if low:
            code = 0x10000 + ((code - 0xD800) << 10) + int(low[1], 16) - 0xDC00
            end = low.end()
        return ((code, code),), end

    def _property(self, bracket: Lexeme, offset: int) -> tuple[Ranges, int]:
        r"""Read `\p{...}` or `\P{...}`."""
        source = self.source
        found = re.compile(r"\\([pP])(?:\{([^{}\]\r\n]*)\}|(\w))").match(source.text, offset)
        if found is None:
            source.fail(offset, r"`\p` needs the name of a property, as in `\p{Lu}`.")
        name = found[2] if found[2] is not None else found[3]
        known = unicode_property(name)
        if known is None:
            self.note(
                bracket,
                f"the Unicode property {name!r} is not known: no character is taken for it.",
                "Write its characters as ranges.",
            )
            return (), found.end()
        return complement(known) if found[1] == "P" else known, found.end()
