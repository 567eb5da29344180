r"""Reads ABNF, the notation of the RFCs (RFC 5234, with the case of texts after RFC 7405).

    greeting = "hello" 1*WSP name CRLF
    name     = 1*ALPHA / %x61-7A *4DIGIT ; letters, or

Names and texts ignore case (`%s"..."` does not). A rule begins on a line that is not indented
further than the first one. The core rules (`ALPHA`, `CRLF`, ...) are there unless the file defines
them. Such grammars are scannerless; a number means the character with that code.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from marrow.grammar.model.expressions import choice, references, renamed, repeated
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

#: The core rules: RFC 5234, Appendix B.1.
_CORE: Final = """
ALPHA = %x41-5A / %x61-7A
BIT = "0" / "1"
CHAR = %x01-7F
CR = %x0D
CRLF = CR LF
CTL = %x00-1F / %x7F
DIGIT = %x30-39
DQUOTE = %x22
HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
HTAB = %x09
LF = %x0A
LWSP = *(WSP / CRLF WSP)
OCTET = %x00-FF
SP = %x20
VCHAR = %x21-7E
WSP = SP / HTAB
"""


def read_abnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at the first rule."""
    file = _RuleReader(Source(text, name))
    found = file.rules()
    names = {key: rule.name for key, rule in found.items()}
    core = _RuleReader(Source(_CORE, "core rules")).rules()
    waiting = [one.name for rule in found.values() for one in references(rule.body)]
    for key in waiting:
        if key in core and key not in found:
            found[key] = core[key]
            names[key] = core[key].name
            waiting += [one.name for one in references(core[key].body)]
    rules = {
        one.name: Rule(one.name, renamed(one.body, names), one.position) for one in found.values()
    }
    chosen = next(iter(rules)) if start is None else names.get(start.lower(), start)
    return Grammar(stem(name), chosen, rules, notes=tuple(file.scanner.notes))


class _RuleReader:
    """Reads a file rule by rule; rules are known by their names in small letters."""

    def __init__(self, source: Source) -> None:
        self.text: Final = source.text
        self.scanner: Final = Scanner(source, _PATTERN, _UNCLOSED)
        found = _HEAD.search(source.text)
        self._indent = len(found[1].expandtabs()) if found else 0

    def rules(self) -> dict[str, Rule]:
        """Read all rules."""
        scanner, found = self.scanner, dict[str, Rule]()
        while (lexeme := scanner.take()).kind != END:
            if lexeme.kind != "name":
                advice = "Rules look like `name = elements`."
                scanner.fail(lexeme, f"expected the name of a rule, found {lexeme}. {advice}")
            sign, position = scanner.take(), scanner.position(lexeme)
            name, before = lexeme.text.strip("<>"), found.get(_key(lexeme))
            if sign.text not in ("=", "=/"):
                scanner.fail(sign, f"expected `=` after the name {lexeme.text}, found {sign}.")
            if before is not None and before.position is not None and sign.text == "=":
                line = f"line {before.position.line}. Write `=/` to add."
                scanner.fail(lexeme, f"{lexeme.text} is already defined in {line}")
            body = _BodyReader(scanner, self, name).read()
            if before is not None:
                name, position = before.name, before.position or position
                body = [before.body, *body]
            found[_key(lexeme)] = Rule(name, choice(body), position)
        if not found:
            scanner.fail(lexeme, 'the grammar has no rules. Add one: `start = "text"`.')
        return found

    def at_rule(self) -> bool:
        """Whether the next rule begins here, or the file ends."""
        lexeme = self.scanner.peek()
        if lexeme.kind == END:
            return True
        line = max(self.text.rfind(end, 0, lexeme.start) for end in "\r\n") + 1
        if lexeme.kind != "name" or self.text[line : lexeme.start].strip():
            return False
        head = _HEAD.match(self.text, line)
        return head is not None and len(head[1].expandtabs()) <= self._indent


#: How often the next element is repeated; without an end if the second is None.
_Repetition: TypeAlias = tuple[int, int | None]


class _BodyReader(BodyReader):
    """Reads the body of one rule; groups keep how often they are repeated."""

    def __init__(self, scanner: Scanner, reader: _RuleReader, name: str) -> None:
        super().__init__(scanner, f"the rule {name}")
        self._reader = reader

    def read(self) -> list[Expression]:
        scanner = self.scanner
        how: _Repetition | None = None
        while not self._reader.at_rule():
            lexeme = scanner.take()
            if lexeme.kind == "repeat" and how is None:
                least, star, most = lexeme.text.partition("*")
                most = most if star else least
                how = int(least[:9] or 0), int(most[:9]) if most else None
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
        least, most = how or (1, 1)
        if most is not None and most < least:
            self.scanner.fail(lexeme, "this repeat runs backwards. Write the lower number first.")
        found = EPSILON if most == 0 else repeated(item, least, most)
        if found is None:
            self.scanner.note(lexeme, "a large counted repeat is taken for one without an end.")
            found = Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        self.add(found)

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
