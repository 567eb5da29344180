r"""Reads ABNF, the notation of the RFCs (RFC 5234, with the case of texts after RFC 7405).

    greeting = "hello" 1*WSP name CRLF
    name     = 1*ALPHA / %x61-7A *4DIGIT ; letters, or

Names and texts ignore case (`%s"..."` does not). A rule begins on a line that is not indented
further than the first one. The core rules (`ALPHA`, `CRLF`, ...) are there unless the file defines
them. Such grammars are scannerless; a number means the character with that code.
"""

from __future__ import annotations

import re
from collections.abc import Container
from pathlib import Path
from typing import Any, Final

from lark import Token

from marrow.grammar.model.expressions import choice, references, renamed, repeated
from marrow.grammar.model.rules import (
    EPSILON,
    LAST_CHARACTER,
    Characters,
    Expression,
    Grammar,
    Quantifier,
    Reference,
    Repeat,
    Rule,
)
from marrow.grammar.readers.scan import (
    ExpressionBuilder,
    Loader,
    Source,
    Syntax,
    stem,
    text_expression,
)

_WORD: Final = r"(?:[A-Za-z][A-Za-z0-9_-]*|<[A-Za-z][A-Za-z0-9_-]*>)"

_PATTERN: Final = re.compile(
    rf"""
    (?P<blank> [\s\ufeff]+ | ;[^\r\n]* )
  | (?P<head> {_WORD}[ \t]*=/? )
  | (?P<name> {_WORD} )
  | (?P<text> (?:%[sSiI])?"[^"\r\n]*" )
  | (?P<number> %[xX][0-9A-Fa-f]+(?:-[0-9A-Fa-f]+|(?:\.[0-9A-Fa-f]+)+)?
              | %[dD]\d+(?:-\d+|(?:\.\d+)+)? | %[bB][01]+(?:-[01]+|(?:\.[01]+)+)? )
  | (?P<repeat> \d*\*\d* | \d+ )
  | (?P<prose> <[^>\r\n]*> )
  | (?P<sign> [/()\[\]] )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    '"': 'this text is never closed on its line. Add a `"`; write a quote as %x22.',
    "<": "this description is never closed on its line. Add `>`.",
    "%": 'expected a number, as in %x41 or %d65, or a text, as in %s"a".',
    "=": "expected the name of a rule before `=`, at the beginning of a line.",
}

_SYNTAX: Final = Syntax(
    "abnf", _PATTERN, _UNCLOSED, {"HEAD": "the name of a rule", "PROSE": "a description"}
)

_HEAD: Final = re.compile(rf"^([ \t]*){_WORD}[ \t]*=", re.MULTILINE)

#: The core rules.
_CORE: Final = Path(__file__).with_name("core.abnf")

_BASES: Final = {"x": 16, "d": 10, "b": 2}


def read_abnf(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at the first rule."""
    file = _Builder(Source(text, name))
    found = file.rules()
    names = {key: rule.name for key, rule in found.items()}
    core = _Builder(Source(_CORE.read_text(), "core rules")).rules()
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
    return Grammar(stem(name), chosen, rules, notes=tuple(file.notes))


class _Builder(ExpressionBuilder):
    """Collects the rules of a file, by their names in small letters."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        found = _HEAD.search(source.text)
        self._indent: Final = len(found[1].expandtabs()) if found else 0
        self._rules: Final[dict[str, Rule]] = {}

    def rules(self) -> dict[str, Rule]:
        """Read all rules."""
        _SYNTAX.read(self.source, self, self._refine)
        if not self._rules:
            self.source.fail(0, 'the grammar has no rules. Add one: `start = "text"`.')
        return self._rules

    def _refine(
        self, source: Source, found: re.Match[str], _fitting: Container[str]
    ) -> tuple[str, int]:
        """Let rules begin where lines do that are not indented further than the first rule."""
        if found.lastgroup != "head":
            return found.lastgroup or "", found.end()
        line = max(source.text.rfind(end, 0, found.start()) for end in "\r\n") + 1
        before = source.text[line : found.start()]
        if not before.strip(" \t\ufeff") and len(before.expandtabs()) <= self._indent:
            return "head", found.end()
        return "name", found.start() + len(found[0].rstrip("=/ \t"))

    def rule(self, items: list[Any]) -> None:
        """Read a rule, or with `=/` further alternatives of one."""
        head, body = items
        written = head.partition("=")[0].strip()
        key = _key(written)
        before = self._rules.get(key)
        if before is None:
            self._rules[key] = Rule(written.strip("<>"), body, self.position(head))
        elif head.endswith("/"):
            self._rules[key] = Rule(before.name, choice([before.body, body]), before.position)
        else:
            line = f"line {before.position.line}. Write `=/` to add."
            self.fail(head, f"{written} is already defined in {line}")

    def element(self, items: list[Any]) -> Expression:
        """Return an element with its repetition."""
        if len(items) == 1:
            return items[0]  # type: ignore[no-any-return]
        repeat, item = items
        first, star, last = repeat.partition("*")
        least = int(first[:9] or 0)
        most = (int(last[:9]) if last else None) if star else least
        if most is not None and most < least:
            self.fail(repeat, "this repeat runs backwards. Write the lower number first.")
        found = EPSILON if most == 0 else repeated(item, least, most)
        if found is None:
            self.note(repeat, "a large counted repeat is taken for one without an end.")
            found = Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        return found

    def name(self, items: list[Token]) -> Expression:
        """Return a reference; names are told apart in small letters."""
        return Reference(_key(items[0]), self.position(items[0]))

    def text(self, items: list[Token]) -> Expression:
        """Return a text, whose case does not matter unless `%s` says so."""
        prefix, text, _ = items[0].split('"')
        cased = prefix.lower() != "%s" and text.lower() != text.upper()
        return text_expression(text, cased, self.position(items[0])) if text else EPSILON

    def prose(self, items: list[Token]) -> Expression:
        """Return what takes the place of a description: any characters of a line."""
        message = f"the description {str(items[0])!r} is taken for any characters of a line."
        self.note(items[0], message, "Write it as rules.")
        line = Characters(((0, 9), (11, 12), (14, LAST_CHARACTER)), self.position(items[0]))
        return Repeat(line, Quantifier.PLUS)

    def number(self, items: list[Token]) -> Expression:
        """Return `%x41`, `%x41-5A` or `%d13.10`."""
        token = items[0]
        base = _BASES[token[1].lower()]
        codes = [int(digits[:24], base) for digits in re.split(r"[-.]", token[2:])]
        if max(codes) > LAST_CHARACTER:
            self.fail(token, f"there is no character {token}. The last is %x10FFFF.")
        if "-" in token:
            if codes[0] > codes[1]:
                self.fail(token, "this range runs backwards. Write the lower end first.")
            return Characters(((codes[0], codes[1]),), self.position(token))
        return text_expression("".join(map(chr, codes)), False, self.position(token))


def _key(name: str) -> str:
    return name.strip("<>").lower()
