"""Reads one Lark file: directives, rules and terminals with their bodies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

from marrow.grammar.model.expressions import choice, joined
from marrow.grammar.model.rules import (
    Characters,
    Expression,
    Note,
    Position,
    Reference,
)
from marrow.grammar.readers.build import BodyReader
from marrow.grammar.readers.regex import read_regex
from marrow.grammar.readers.scan import END, Lexeme, Scanner, Source

_PATTERN: Final = re.compile(
    r"""
    (?P<blank> [\s\ufeff]+ | //[^\r\n]* | \#[^\r\n]* | \\[ \t]*\r?\n )
  | (?P<rule> [!?]{0,2}_*[a-z]\w* )
  | (?P<terminal> _*[A-Z]\w* )
  | (?P<text> "(?:[^"\\\r\n]|\\.)*"i? )
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

    def take_name(self, what: str) -> str:
        """Take the name of a rule or terminal."""
        lexeme = self.take()
        if lexeme.kind not in ("rule", "terminal"):
            self.fail(lexeme, f"expected {what}, found {lexeme}.")
        return lexeme.text


def is_terminal(name: str) -> bool:
    """Whether a name is that of a terminal: they are written in capitals."""
    return name.lstrip("_")[:1].isupper()


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
                parameters.append(scanner.take_name("a parameter of the template"))
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
        return Definition(
            name,
            joined(body) if is_terminal(name) else body,
            self._scanner.position(lexeme),
            guarded=reader.guarded,
            uses=reader.uses,
        )

    def _directive(self, lexeme: Lexeme) -> None:
        scanner, file = self._scanner, self._file
        match lexeme.text:
            case "%ignore":
                definition = self._body(file.free("IGNORED"), lexeme)
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

    def _import(self, lexeme: Lexeme) -> None:
        """Read `%import .a.b.NAME -> ALIAS` or `%import a (NAME, ...)`."""
        scanner, file = self._scanner, self._file
        local = scanner.accept(".") is not None
        path = [scanner.take_name("a name to import")]
        while scanner.accept("."):
            path.append(scanner.take_name("a name to import"))
        position = scanner.position(lexeme)
        if scanner.accept("("):
            while True:
                name = scanner.take_name("a name to import")
                file.imports.append(Import(tuple(path), name, name, local, position))
                if not scanner.accept(","):
                    break
            scanner.expect(")", "after the names to import")
            return
        if len(path) == 1:
            scanner.fail(lexeme, "name what to import, as in `%import common.NUMBER`.")
        alias = scanner.take_name("a name to import") if scanner.accept("->") else path[-1]
        file.imports.append(Import(tuple(path[:-1]), path[-1], alias, local, position))


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
        return is_terminal(self.name)


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

    def free(self, name: str) -> str:
        """Return a name with the first number that makes it differ from all others."""
        return next(one for n in count(1) if (one := f"{name}_{n}") not in self.definitions)


class LarkBodyReader(BodyReader):
    """Reads one body; regular expressions and ranges in rules become terminals of their own.

    A group of a template's arguments keeps the name of the template.
    """

    escapes = 'Uuxnftr"\\'  # before anything else a backslash is a character, as in Lark

    def __init__(self, scanner: LarkScanner, file: LarkFile, name: str) -> None:
        super().__init__(scanner, name)
        self._scanner = scanner
        self._file = file
        self._terminal = is_terminal(name)
        self.guarded = False
        self.uses: dict[str, TemplateUse] = {}

    def read(self) -> Expression:
        """Read up to where the next definition begins."""
        while not self._scanner.at_definition():
            self._element(self._scanner.take())
        return choice(self.finish())

    def _element(self, lexeme: Lexeme) -> None:
        match lexeme.kind:
            case "text":
                found = self.text(lexeme)
                self.add(self._anonymous(lexeme, found) if self._is_set(found) else found)
            case "regex":
                self.add(self._regex(lexeme))
            case "rule" | "terminal":
                name = lexeme.text.lstrip("!?")
                if self._scanner.peek().text == "{":
                    self.open(self._scanner.take(), name)
                else:
                    self.add(Reference(name, self._scanner.position(lexeme)))
            case _:
                self.sign(lexeme)

    def _is_set(self, expression: Expression) -> bool:
        return isinstance(expression, Characters) and not self._terminal

    def sign(self, lexeme: Lexeme) -> None:
        """Read a sign."""
        match lexeme.text:
            case "}":
                template, start = self.kept, self.start
                arguments = tuple(self.close(lexeme))
                position = self._scanner.position(start or lexeme)
                hole = f"{{{len(self.uses)}}}"  # no name has braces
                self.uses[hole] = TemplateUse(template, arguments, position)
                self.add(Reference(hole, position))
            case "," if self.kept:
                self.next_alternative()
            case "~":
                least = most = self._count()
                if self._scanner.accept(".."):
                    most = self._count()
                item = self.last(lexeme)
                self.add(self.counted(lexeme, item, least, most, nested=not self._terminal))
            case "->":
                self.label(self._scanner.take_name("an alias after `->`"))
            case _:
                super().sign(lexeme)

    def _count(self) -> int:
        lexeme = self._scanner.expect_kind("number", "a number after '~'")
        return max(0, int(lexeme.text[:9]))

    def _regex(self, lexeme: Lexeme) -> Expression:
        scanner = self._scanner
        closing = lexeme.text.rindex("/")
        flags = lexeme.text[closing + 1 :]
        found = read_regex(scanner.source, lexeme.start + 1, lexeme.start + closing, flags)
        for remark in found.remarks:
            advice = "Check that what remains is what you want."
            scanner.note(lexeme, f"in {self.where}, {remark}", advice)
        if self._terminal:
            self.guarded = self.guarded or found.guarded
            return found.body
        return self._anonymous(lexeme, found.body, found.guarded)

    def _anonymous(self, lexeme: Lexeme, body: Expression, guarded: bool = False) -> Reference:
        """Return a reference to a terminal made for an expression in a rule."""
        position = self._scanner.position(lexeme)
        name = self._file.free(self.where.strip("_").upper() or "ANONYMOUS")
        self._file.definitions[name] = Definition(name, joined(body), position, guarded=guarded)
        return Reference(name, position)
