"""Reads one Lark grammar file: rules, terminals and directives."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from marrow.grammar.model.rules import Reference
from marrow.grammar.model.transform import joined
from marrow.grammar.readers.lark_body import LarkBodyReader
from marrow.grammar.readers.lark_file import Definition, Import, LarkFile
from marrow.grammar.readers.scan import END, Lexeme, Scanner, Source

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
    "'": 'texts stand in double quotes here. Write `"..."`.',
}

_HEAD: Final = re.compile(r"[!?]{0,2}_*[A-Za-z]\w*\s*(?:\{[^{}]*\})?\s*(?:\.\s*[+-]?\d+)?\s*:")


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
