"""Reads the body of a rule or terminal in a Lark grammar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Expression,
    Quantifier,
    Reference,
    Repeat,
)
from marrow.grammar.model.transform import joined, repeated
from marrow.grammar.readers.build import QUANTIFIERS, Builder
from marrow.grammar.readers.lark_file import Definition, LarkFile, TemplateUse
from marrow.grammar.readers.regex import read_regex
from marrow.grammar.readers.scan import Lexeme, Source, escaped, joined_pairs, text_expression

if TYPE_CHECKING:
    from marrow.grammar.readers.lark_parse import LarkScanner


@dataclass(frozen=True, slots=True)
class _Group:
    """The bracket that opened a group, and the template that the group has the arguments of."""

    start: Lexeme | None = None
    template: str = ""


_PAIRS = {"(": ")", "[": "]", "{": "}"}


class LarkBodyReader:
    """Reads one body; regular expressions and ranges in rules become terminals of their own."""

    def __init__(self, scanner: LarkScanner, file: LarkFile, name: str) -> None:
        self._scanner = scanner
        self._file = file
        self._name = name
        self._terminal = name.lstrip("_")[:1].isupper()
        self._builder: Builder[_Group] = Builder(_Group())
        self.guarded = False
        self.uses: dict[str, TemplateUse] = {}

    def read(self) -> Expression:
        """Read up to where the next definition begins."""
        scanner, builder = self._scanner, self._builder
        while not scanner.at_definition():
            self._element(scanner.take())
        opened = builder.mark.start
        if opened is not None:
            advice = f"Add {_PAIRS[opened.text]!r}."
            scanner.fail(opened, f"this {opened} in {self._name} is never closed. {advice}")
        return builder.finish()

    def _element(self, lexeme: Lexeme) -> None:
        match lexeme.kind:
            case "string":
                self._builder.add(self._string(lexeme))
            case "regex":
                self._builder.add(self._regex(lexeme))
            case "rule" | "terminal":
                self._reference(lexeme)
            case "sign":
                self._sign(lexeme)
            case _:
                self._unexpected(lexeme)

    def _sign(self, lexeme: Lexeme) -> None:
        scanner, builder = self._scanner, self._builder
        match lexeme.text:
            case "|":
                builder.next_alternative()
            case "(" | "[":
                builder.open(_Group(lexeme))
            case ")" | "]" | "}":
                self._close(lexeme)
            case ",":
                if not builder.mark.template:
                    self._unexpected(lexeme)
                builder.next_alternative()
            case "*" | "+" | "?":
                if not builder.quantify(QUANTIFIERS[lexeme.text]):
                    advice = "Quote it if it is text."
                    scanner.fail(lexeme, f"there is nothing that {lexeme} could repeat. {advice}")
            case "~":
                self._counted(lexeme)
            case "->":
                alias = scanner.take()
                if alias.kind not in ("rule", "terminal"):
                    scanner.fail(alias, f"expected an alias after `->`, found {alias}.")
                builder.label(alias.text)
            case _:
                self._unexpected(lexeme)

    def _unexpected(self, lexeme: Lexeme) -> None:
        advice = "Quote it if it is text."
        self._scanner.fail(lexeme, f"{lexeme} does not fit in {self._name}. {advice}")

    def _reference(self, lexeme: Lexeme) -> None:
        name = lexeme.text.lstrip("!?")
        following = self._scanner.peek()
        if following.text == "{":
            self._builder.open(_Group(self._scanner.take(), name))
        else:
            self._builder.add(Reference(name, self._scanner.position(lexeme)))

    def _close(self, lexeme: Lexeme) -> None:
        scanner, builder = self._scanner, self._builder
        group = builder.mark
        if group.start is None or _PAIRS[group.start.text] != lexeme.text:
            scanner.fail(lexeme, f"this {lexeme} closes nothing. Remove it, or add what opens it.")
        if group.template:
            arguments, _ = builder.close_alternatives()
            position = scanner.position(group.start)
            hole = f"{{{len(self.uses)}}}"  # no name has braces
            self.uses[hole] = TemplateUse(group.template, tuple(arguments), position)
            builder.add(Reference(hole, position))
            return
        body, _ = builder.close()
        builder.add(body if lexeme.text == ")" else Repeat(body, Quantifier.OPTIONAL))

    def _counted(self, lexeme: Lexeme) -> None:
        """Read `~n` or `~n..m`."""
        scanner, builder = self._scanner, self._builder
        least = most = self._count()
        if scanner.accept(".."):
            most = self._count()
        item = builder.pop()
        if item is None:
            scanner.fail(lexeme, "there is nothing that '~' could repeat. Put it after an item.")
        if most < least:
            scanner.fail(lexeme, "this repeat runs backwards. Write the lower number first.")
        body = repeated(item, least, most, nested=not self._terminal)
        if body is None:
            scanner.note(lexeme, "this large counted repeat is taken for one without an end.")
            body = Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        builder.add(body)

    def _count(self) -> int:
        lexeme = self._scanner.expect_kind("number", "a number after '~'")
        return max(0, int(lexeme.text[:9]))

    # Texts

    def _string(self, lexeme: Lexeme) -> Expression:
        scanner = self._scanner
        text, ignore_case = self._text(lexeme)
        position = scanner.position(lexeme)
        if not scanner.accept(".."):
            return text_expression(text, ignore_case, position) if text else EPSILON
        last, _ = self._text(scanner.expect_kind("string", "the end of the range, in quotes"))
        if len(text) != 1 or len(last) != 1 or text > last:
            advice = "Each end is one character, the lower one first."
            scanner.fail(lexeme, f"this is not a range of characters. {advice}")
        ranges = Characters(((ord(text), ord(last)),), position)
        return ranges if self._terminal else self._anonymous(lexeme, ranges, False)

    def _text(self, lexeme: Lexeme) -> tuple[str, bool]:
        ignore_case = lexeme.text.endswith("i")
        bare = Lexeme(lexeme.kind, lexeme.text, lexeme.start, lexeme.end - ignore_case)
        return _unescaped(self._scanner.source, bare), ignore_case

    def _regex(self, lexeme: Lexeme) -> Expression:
        scanner = self._scanner
        closing = lexeme.text.rindex("/")
        flags = lexeme.text[closing + 1 :]
        found = read_regex(scanner.source, lexeme.start + 1, lexeme.start + closing, flags)
        for remark in found.remarks:
            advice = "Check that what remains is what you want."
            scanner.note(lexeme, f"in {self._name}, {remark}", advice)
        if self._terminal:
            self.guarded = self.guarded or found.guarded
            return found.body
        return self._anonymous(lexeme, found.body, found.guarded)

    def _anonymous(self, lexeme: Lexeme, body: Expression, guarded: bool) -> Reference:
        """Return a reference to a terminal made for an expression in a rule."""
        body = joined(body)
        position = self._scanner.position(lexeme)
        base = self._name.strip("_").upper() or "ANONYMOUS"
        number = 1
        while f"{base}_{number}" in self._file.definitions:
            number += 1
        name = f"{base}_{number}"
        self._file.definitions[name] = Definition(name, body, position, guarded=guarded)
        return Reference(name, position)


#: What has a meaning behind a backslash in Lark's texts; before anything else it is a character.
_ESCAPES: Final = frozenset('Uuxnftr"\\')


def _unescaped(source: Source, lexeme: Lexeme) -> str:
    r"""Return the text of a quoted lexeme; `"\ "` is a backslash and a blank, as in Lark."""
    found: list[str] = []
    offset, end = lexeme.start + 1, lexeme.end - 1
    while offset < end:
        character = source.text[offset]
        if character == "\\" and source.text[offset + 1 : offset + 2] in _ESCAPES:
            one = escaped(source, offset, end, '"\\')
            found.append(one.text)
            offset = one.end
        else:
            found.append(character)
            offset += 1
    return joined_pairs("".join(found))
