"""Reads ABNF, the notation of the RFCs (RFC 5234, with the case of texts after RFC 7405).

    greeting = "hello" 1*WSP name CRLF
    name     = 1*ALPHA / %x61-7A *4DIGIT ; letters, or

Names and texts ignore case (`%s"..."` does not). A rule begins on a line that is not indented
further than the first one. The core rules (`ALPHA`, `CRLF`, ...) are there unless the file defines
them. Such grammars are scannerless; a number means the character with that code.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from marrow.grammar.model.expressions import choice, references, renamed
from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Expression,
    Grammar,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
)
from marrow.grammar.readers.build import BodyReader
from marrow.grammar.readers.scan import (
    END,
    Lexeme,
    Loader,
    Scanner,
    Source,
    library,
    stem,
    text_expression,
)

_WORD: Final = r"[A-Za-z][A-Za-z0-9_-]*"

_PATTERN: Final = re.compile(
    rf"""
    (?P<blank> [\s\ufeff]+ | ;[^\r\n]* )
  | (?P<name> {_WORD} | <{_WORD}> )
  | (?P<text> (?:%[sSiI])?"[^"\r\n]*" )
  | (?P<number> %[xX][0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)+)?
              | %[dD]\d+(?:-\d+|(?:\.\d+)+)? | %[bB][01]+(?:-[01]+|(?:\.[01]+)+)? )
  | (?P<repeat> \d*\*\d* | \d+ )
  | (?P<prose> <[^>\r\n]*> )
  | (?P<sign> =/ | [=/()\[\]] )
    """,
    re.VERBOSE,
)

_UNCLOSED: Final = {
    '"': 'this text is never closed on its line. Add a `"`; write a quote as %x22.',
    "<": "this description is never closed on its line. Add `>`.",
    "%": 'expected a number, as in %x41 or %d65, or a text, as in %s"a".',
}

_HEAD: Final = re.compile(rf"^([ \t]*)(?:<{_WORD}>|{_WORD})[ \t]*=", re.MULTILINE)

_BASES: Final = {"x": 16, "d": 10, "b": 2}


def read_abnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at the first rule."""
    reader = _Reader(Source(text, name))
    reader.read()
    shipped = library("core.abnf")
    assert shipped is not None
    core = _Reader(Source(shipped.text, shipped.name))
    core.read()
    return reader.grammar(start, core)


class _Reader:
    """Reads the file rule by rule."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scanner = Scanner(source, _PATTERN, _UNCLOSED)
        found = _HEAD.search(source.text)
        self._indent = len(found[1].expandtabs()) if found else 0
        #: The alternatives of each rule by its name in small letters, and the name as written.
        self._found: dict[str, list[Expression]] = {}
        self._names: dict[str, str] = {}
        self._positions: dict[str, Position] = {}

    def read(self) -> None:
        """Read all rules."""
        scanner = self._scanner
        while (lexeme := scanner.take()).kind != END:
            if lexeme.kind != "name":
                advice = "Rules look like `name = elements`."
                scanner.fail(lexeme, f"expected the name of a rule, found {lexeme}. {advice}")
            key = _key(lexeme)
            sign = scanner.take()
            if sign.text not in ("=", "=/"):
                scanner.fail(sign, f"expected `=` after the name {lexeme.text}, found {sign}.")
            if key in self._found and sign.text == "=":
                line = self._positions[key].line
                scanner.fail(
                    lexeme, f"{lexeme.text} is already defined in line {line}. Write `=/` to add."
                )
            body = _BodyReader(scanner, self, lexeme.text).read()
            self._names.setdefault(key, lexeme.text.strip("<>"))
            self._positions.setdefault(key, scanner.position(lexeme))
            self._found.setdefault(key, []).extend(body)
        if not self._found:
            scanner.fail(lexeme, 'the grammar has no rules. Add one: `start = "text"`.')

    def grammar(self, start: str | None, core: _Reader) -> Grammar:
        """Return the grammar, with the core rules that it uses."""
        rules: dict[str, Rule] = {}
        waiting = list(self._found)
        while waiting:
            key = waiting.pop(0)
            home = self if key in self._found else core
            name = self._names.get(key) or core._names[key]
            if name in rules:
                continue
            body = renamed(choice(home._found[key]), core._names | self._names)
            rules[name] = Rule(name, body, home._positions[key])
            found = [one for one in home._references(key) if one in core._found]
            waiting.extend(one for one in found if one not in self._found)
        chosen = next(iter(rules)) if start is None else self._names.get(start.lower(), start)
        return Grammar(stem(self._source.name), chosen, rules, notes=tuple(self._scanner.notes))

    def _references(self, key: str) -> list[str]:
        return [one.name for body in self._found[key] for one in references(body)]

    def at_rule(self) -> bool:
        """Whether the next rule begins here, or the file ends."""
        lexeme = self._scanner.peek()
        if lexeme.kind == END:
            return True
        text = self._source.text
        line = max(text.rfind("\n", 0, lexeme.start), text.rfind("\r", 0, lexeme.start)) + 1
        if lexeme.kind != "name" or text[line : lexeme.start].strip():
            return False
        head = _HEAD.match(text, line)
        return head is not None and len(head[1].expandtabs()) <= self._indent


#: How often the next element is repeated; without an end if the second is None.
_Repetition: TypeAlias = tuple[int, int | None]


class _BodyReader(BodyReader):
    """Reads the body of one rule; groups keep how often they are repeated."""

    def __init__(self, scanner: Scanner, reader: _Reader, name: str) -> None:
        super().__init__(scanner, f"the rule {name}")
        self._reader = reader

    def read(self) -> list[Expression]:
        scanner = self.scanner
        how: _Repetition | None = None
        while not self._reader.at_rule():
            lexeme = scanner.take()
            if lexeme.kind == "repeat" and how is None:
                how = _repetition(lexeme)
                continue
            if lexeme.text in ("(", "["):
                self.open(lexeme, how)
            elif lexeme.text == "/" and how is None:
                self.next_alternative()
            elif lexeme.text in (")", "]") and how is None:
                how = self.kept
                item = choice(self.close(lexeme))
                item = Repeat(item, Quantifier.OPTIONAL) if lexeme.text == "]" else item
                self._repeat(lexeme, item, how)
            else:
                self._repeat(lexeme, self._element(lexeme), how)
            how = None
        if how is not None:
            scanner.fail(lexeme, f"{self.where} ends with a repetition of nothing.")
        return self.finish()

    def _repeat(self, lexeme: Lexeme, item: Expression, how: _Repetition | None) -> None:
        self.add(item if how is None else self.counted(lexeme, item, *how))

    def _element(self, lexeme: Lexeme) -> Expression:
        position = self.scanner.position(lexeme)
        match lexeme.kind:
            case "name":
                return Reference(_key(lexeme), position)
            case "text":
                exact = lexeme.text[:2] in ("%s", "%S")
                text = lexeme.text[lexeme.text.index('"') + 1 : -1]
                cased = not exact and text.lower() != text.upper()
                return text_expression(text, cased, position) if text else EPSILON
            case "number":
                return self._number(lexeme, position)
            case "prose":
                message = f"the description {lexeme} is taken for any characters of a line."
                self.scanner.note(lexeme, message, "Write it as rules.")
                line = Characters(((0, 9), (11, 12), (14, 0x10FFFF)), position)
                return Repeat(line, Quantifier.PLUS)
            case _:
                return self.unexpected(lexeme)

    def _number(self, lexeme: Lexeme, position: Position) -> Expression:
        """Read `%x41`, `%x41-5A` or `%d13.10`."""
        base = _BASES[lexeme.text[1].lower()]
        codes = [int(digits[:24], base) for digits in re.split(r"[-.]", lexeme.text[2:])]
        if max(codes) > 0x10FFFF:
            self.scanner.fail(lexeme, f"there is no character {lexeme}. The last is %x10FFFF.")
        if "-" in lexeme.text:
            if codes[0] > codes[1]:
                self.scanner.fail(lexeme, "this range runs backwards. Write the lower end first.")
            return Characters(((codes[0], codes[1]),), position)
        return text_expression("".join(map(chr, codes)), False, position)


def _key(lexeme: Lexeme) -> str:
    return lexeme.text.strip("<>").lower()


def _repetition(lexeme: Lexeme) -> _Repetition:
    least, star, most = lexeme.text.partition("*")
    if not star:
        return int(least[:9]), int(least[:9])
    return int(least[:9] or 0), int(most[:9]) if most else None
