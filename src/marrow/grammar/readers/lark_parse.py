"""Reads one Lark file: directives, rules and terminals with their bodies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from marrow.grammar.model.expressions import joined, repeated
from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Expression,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
)
from marrow.grammar.readers.build import QUANTIFIERS, Builder
from marrow.grammar.readers.regex import read_regex
from marrow.grammar.readers.scan import (
    END,
    Lexeme,
    Scanner,
    Source,
    escaped,
    joined_pairs,
    text_expression,
)

_PATTERN: Final = re.compile(
    r"""
    (?P<blank> [\s\ufeff]+ | //[^\r\n]* | \#[^\r\n]* | \\[ \t]*\r?\n )
  | (?P<rule> [!?]{0,2}_*[a-z]\w* )
  | (?P<terminal> _*[A-Z]\w* )
  | (?P<string> "(?:[^"\\\r\n]|\\.)*"i? )
  | (?P<regex> /(?!/)(?:\\.|[^/\\])*/[imslux]* )
  | (?P<number> [+-]?\d+ )
  | (?P<directive> %[a-z]+ )
  | (?P<sign> \.\. | -> | [+*?~:|(){}\[\],.] )
    """,
    re.VERBOSE | re.DOTALL,
)

_UNCLOSED: Final = {
    '"': 'this text is never closed on its line. Add a `"`.',
    "/": "this regular expression is never closed. Add a `/`.",
    "'": 'texts have double quotes here. Write `"..."`.',
}

_HEAD: Final = re.compile(r"[!?]{0,2}_*[A-Za-z]\w*\s*(?:\{[^{}]*\}\s*)?(?:\.\s*[+-]?\d+\s*)?:")


def parse_lark(text: str, name: str) -> LarkFile:
    """Read a grammar file; `name` is the file's name for messages."""
    return _FileReader(Source(text, name)).read()


class LarkScanner(Scanner):
    """A scanner that knows where definitions begin."""

    def at_definition(self) -> bool:
        """Whether a definition ends here, because the next one begins or the file ends."""
        lexeme = self.peek()
        if lexeme.kind in ("rule", "terminal"):
            return _HEAD.match(self.source.text, lexeme.start) is not None
        return lexeme.kind in (END, "directive")


class _FileReader:
    """Reads a file from top to bottom."""

    def __init__(self, source: Source) -> None:
        self._scanner = LarkScanner(source, _PATTERN, _UNCLOSED)
        self._file = LarkFile(source.name)

    def read(self) -> LarkFile:
        scanner, file = self._scanner, self._file
        while (lexeme := scanner.take()).kind != END:
            if lexeme.kind == "directive":
                self._directive(lexeme)
            elif lexeme.kind in ("rule", "terminal"):
                self._add(lexeme, self._definition(lexeme))
            else:
                advice = "Rules look like `name: ...`."
                scanner.fail(lexeme, f"expected a rule or terminal, found {lexeme}. {advice}")
        file.notes.extend(scanner.notes)
        return file

    def _add(self, lexeme: Lexeme, definition: Definition) -> None:
        earlier = self._file.definitions.get(definition.name)
        if earlier is not None:
            where = f"line {earlier.position.line}"
            name = definition.name
            self._scanner.fail(lexeme, f"{name} is already defined in {where}. Rename one.")
        self._file.definitions[definition.name] = definition

    def _definition(self, lexeme: Lexeme) -> Definition:
        """Read a rule or terminal, of which the name was taken."""
        scanner = self._scanner
        name = lexeme.text.lstrip("!?")
        parameters: list[str] = []
        if scanner.accept("{"):
            while not scanner.accept("}"):
                one = scanner.take()
                if one.kind not in ("rule", "terminal"):
                    scanner.fail(one, f"expected a parameter of the template, found {one}.")
                parameters.append(one.text)
                if not scanner.accept(",") and scanner.peek().text != "}":
                    scanner.fail(scanner.peek(), f"expected ',' or '}}', found {scanner.peek()}.")
        priority = 0
        if scanner.accept("."):
            number = scanner.expect_kind("number", "a priority after '.'")
            priority = int(number.text[:9])
        scanner.expect(":", f"after the name {name}")
        definition = self._body(name, lexeme)
        return replace(definition, parameters=tuple(parameters), priority=priority)

    def _body(self, name: str, lexeme: Lexeme) -> Definition:
        reader = LarkBodyReader(self._scanner, self._file, name)
        body = reader.read()
        terminal = name.lstrip("_")[:1].isupper()
        return Definition(
            name,
            joined(body) if terminal else body,
            self._scanner.position(lexeme),
            guarded=reader.guarded,
            uses=reader.uses,
        )

    def _directive(self, lexeme: Lexeme) -> None:
        scanner, file = self._scanner, self._file
        match lexeme.text:
            case "%ignore":
                definition = self._body(self._free("IGNORED"), lexeme)
                if isinstance(definition.body, Reference) and not definition.uses:
                    file.ignored[definition.body.name] = None
                else:
                    file.definitions[definition.name] = definition
                    file.ignored[definition.name] = None
            case "%import":
                self._import(lexeme)
            case "%declare":
                while scanner.peek().kind in ("rule", "terminal") and not scanner.at_definition():
                    name = scanner.take()
                    file.declared[name.text] = scanner.position(name)
            case "%override" | "%extend":
                name = scanner.take()
                if name.kind not in ("rule", "terminal"):
                    scanner.fail(name, f"expected a rule or terminal, found {name}.")
                file.overrides.append((lexeme.text, self._definition(name)))
            case _:
                known = "%import, %ignore, %declare, %override, %extend"
                scanner.fail(lexeme, f"{lexeme} is not known. There are {known}.")

    def _free(self, name: str) -> str:
        number = 1
        while f"{name}_{number}" in self._file.definitions:
            number += 1
        return f"{name}_{number}"

    def _import(self, lexeme: Lexeme) -> None:
        """Read `%import .a.b.NAME -> ALIAS` or `%import a (NAME, ...)`."""
        scanner, file = self._scanner, self._file
        local = scanner.accept(".") is not None
        path = [self._import_name()]
        while scanner.accept("."):
            path.append(self._import_name())
        position = scanner.position(lexeme)
        if scanner.accept("("):
            while True:
                name = self._import_name()
                file.imports.append(Import(tuple(path), name, name, local, position))
                if not scanner.accept(","):
                    break
            scanner.expect(")", "after the names to import")
            return
        if len(path) == 1:
            scanner.fail(lexeme, "name what to import, as in `%import common.NUMBER`.")
        alias = self._import_name() if scanner.accept("->") else path[-1]
        file.imports.append(Import(tuple(path[:-1]), path[-1], alias, local, position))

    def _import_name(self) -> str:
        lexeme = self._scanner.take()
        if lexeme.kind not in ("rule", "terminal"):
            self._scanner.fail(lexeme, f"expected a name to import, found {lexeme}.")
        return lexeme.text


@dataclass(frozen=True, slots=True)
class TemplateUse:
    """A template with its arguments; the arguments may refer to earlier uses."""

    name: str
    arguments: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or terminal. `uses` holds what the placeholders in the body mean, inner first."""

    name: str
    body: Expression
    position: Position
    parameters: tuple[str, ...] = ()
    priority: int = 0
    guarded: bool = False
    uses: dict[str, TemplateUse] = field(default_factory=dict)

    @property
    def terminal(self) -> bool:
        """Whether this is a terminal: they are written in capitals."""
        return self.name.lstrip("_")[:1].isupper()


@dataclass(frozen=True, slots=True)
class Import:
    """`%import module.name -> alias`; the module is beside the file if `local`."""

    module: tuple[str, ...]
    name: str
    alias: str
    local: bool
    position: Position


@dataclass(slots=True)
class LarkFile:
    """A grammar file."""

    name: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    ignored: dict[str, None] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    declared: dict[str, Position] = field(default_factory=dict)
    overrides: list[tuple[str, Definition]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


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


#: What has a meaning after a backslash in Lark's texts; before anything else it is a character.
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
