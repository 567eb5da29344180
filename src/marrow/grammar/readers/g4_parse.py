"""Reads one ANTLR v4 grammar file: prequels, rules, modes. Bodies are read by `g4_body`."""

from __future__ import annotations

from typing import Final

from marrow.grammar.model.rules import Position
from marrow.grammar.readers.g4_body import G4BodyReader
from marrow.grammar.readers.g4_file import G4File, G4Scanner
from marrow.grammar.readers.predicates import Assumptions
from marrow.grammar.readers.scan import END, Lexeme, Source

_MODIFIERS: Final = ("fragment", "public", "private", "protected")

_HEADS: Final = "`grammar`, `lexer grammar` or `parser grammar`"


def parse_g4(
    text: str, name: str, *, imported: bool = False, assume: Assumptions | None = None
) -> G4File:
    """Read a grammar file; `name` is the file's name for messages.

    Only a grammar that others import may be without rules: some hold nothing but actions.
    """
    return _FileReader(Source(text, name), assume or {}).read(imported)


class _FileReader:
    """Reads a file from top to bottom."""

    def __init__(self, source: Source, assume: Assumptions) -> None:
        self._scanner = G4Scanner(source)
        self._file = G4File("", "", source.name, assume=assume)
        self._mode = self._file.modes[0]

    def read(self, imported: bool) -> G4File:
        scanner, file = self._scanner, self._file
        self._head()
        while (lexeme := scanner.take()).kind != END:
            self._item(lexeme)
        if not (imported or file.rules or file.tokens or file.imports):
            scanner.fail(lexeme, "the grammar has no rules. Add one: `name : 'text' ;`.")
        file.notes.extend(scanner.notes)
        return file

    def _head(self) -> None:
        scanner, file = self._scanner, self._file
        lexeme = scanner.take()
        while lexeme.text == "@":  # some put the header in front
            self._named_action()
            lexeme = scanner.take()
        if lexeme.text in ("lexer", "parser"):
            file.kind = lexeme.text
            lexeme = scanner.take()
        elif lexeme.text == "tree":
            scanner.fail(lexeme, "tree grammars belong to ANTLR 3. Give marrow an ANTLR 4 grammar.")
        if lexeme.text != "grammar":
            scanner.fail(lexeme, f"a .g4 file begins with {_HEADS}, not with {lexeme}.")
        file.name = scanner.expect_kind("name", "the name of the grammar").text
        scanner.expect(";", "after the name of the grammar")

    def _item(self, lexeme: Lexeme) -> None:
        """Read one item at the top level of the file."""
        scanner = self._scanner
        following = scanner.peek().text
        if lexeme.text == "options" and following == "{":
            self._file.options.update(self._options())
        elif lexeme.text == "tokens" and following == "{":
            self._file.named_tokens.update(self._names_in_braces())
        elif lexeme.text == "channels" and following == "{":
            self._names_in_braces()
        elif lexeme.text == "import" and following != ":":
            self._imports()
        elif lexeme.text == "mode" and following != ":":
            self._mode = scanner.expect_kind("name", "the name of the mode").text
            scanner.expect(";", "after the name of the mode")
            if self._mode not in self._file.modes:
                self._file.modes.append(self._mode)
        elif lexeme.text == "@":
            self._named_action()
        elif lexeme.text in ("catch", "finally") and following in ("[", "{"):
            self._handler()
        elif lexeme.text == ";":
            return  # one too many does no harm
        elif lexeme.kind == "name":
            self._rule(lexeme)
        else:
            scanner.fail(lexeme, f"expected a rule, `name : ... ;`, found {lexeme}.")

    def _named_action(self) -> None:
        """Go past `@header {...}` or `@parser::members {...}`."""
        scanner = self._scanner
        name = scanner.expect_kind("name", "the name of the action after `@`")
        if scanner.accept("::"):
            name = scanner.expect_kind("name", "the name of the action after `::`")
        scanner.skip_action(scanner.expect("{", f"after `@{name.text}`"))

    def _handler(self) -> None:
        """Go past `catch [...] {...}` or `finally {...}`."""
        scanner = self._scanner
        if bracket := scanner.accept("["):
            scanner.skip_arguments(bracket)
        scanner.skip_action(scanner.expect("{", "to begin the action of `catch` or `finally`"))

    def _options(self) -> dict[str, str]:
        """Read `options { name = value; ... }`, of which the first word was taken."""
        scanner = self._scanner
        found: dict[str, str] = {}
        scanner.expect("{", "after `options`")
        while not scanner.accept("}"):
            if scanner.accept(";", ","):
                continue
            name = scanner.expect_kind("name", "the name of an option, or `}`")
            scanner.expect("=", f"after the option {name.text!r}")
            value = scanner.take()
            if value.kind == END:
                scanner.fail(value, f"the option {name.text!r} has no value.")
            written = value.text
            if value.text == "{":
                written = scanner.skip_action(value)
            while scanner.peek().text in (".", "-", "::"):  # names with dots: a superClass
                written += scanner.take().text + scanner.take().text
            found[name.text] = written.strip("'\"")
            if name.text == "tokenVocab" and self._file.vocabulary is None:
                self._file.vocabulary = (found[name.text], scanner.position(value))
        return found

    def _names_in_braces(self) -> dict[str, Position]:
        """Read `{ A, B }`, also in the older form `{ A; B = 'b'; }`."""
        scanner = self._scanner
        found: dict[str, Position] = {}
        scanner.expect("{", "to begin the list")
        while not scanner.accept("}"):
            if scanner.accept(",", ";"):
                continue
            name = scanner.expect_kind("name", "a name, or `}`")
            found[name.text] = scanner.position(name)
            if scanner.accept("="):
                value = scanner.take()
                message = f"the text of {name.text} in `tokens` is not used: ANTLR 4 has none."
                scanner.note(value, message, f"Write a rule, `{name.text} : {value.text} ;`.")
        return found

    def _imports(self) -> None:
        """Read `import A, B = C;`, of which the first word was taken."""
        scanner = self._scanner
        while True:
            name = scanner.expect_kind("name", "the name of a grammar to import")
            if scanner.accept("="):
                name = scanner.expect_kind("name", "the name of a grammar to import")
            self._file.imports.append((name.text, scanner.position(name)))
            if not scanner.accept(","):
                break
        scanner.expect(";", "after the imports")

    def _rule(self, lexeme: Lexeme) -> None:
        """Read a rule, of which the first word was taken."""
        scanner, file = self._scanner, self._file
        fragment = False
        while lexeme.text in _MODIFIERS and scanner.peek().kind == "name":
            fragment = fragment or lexeme.text == "fragment"
            lexeme = scanner.take()
        name = lexeme.text
        position = scanner.position(lexeme)
        earlier = file.rules.get(name) or file.tokens.get(name)
        if earlier is not None:
            where = f"line {earlier.position.line}"
            scanner.fail(lexeme, f"the rule {name} is already defined in {where}. Rename one.")
        options = self._prequel(name)
        scanner.expect(":", f"after the name of the rule {name}")
        reader = G4BodyReader(scanner, file, name, self._ignore_case(options))
        if name[0].isupper():
            file.tokens[name] = reader.token(fragment, self._mode, position)
        else:
            if file.kind == "lexer":
                scanner.fail(lexeme, f"{name} is a parser rule, in a lexer grammar. Rename it.")
            file.rules[name] = reader.rule(position)
        while scanner.peek().text in ("catch", "finally"):
            handler = scanner.take()
            if scanner.peek().text not in ("[", "{"):
                self._rule(handler)  # a rule of that name: ends this rule's handlers
                return
            self._handler()

    def _prequel(self, name: str) -> dict[str, str]:
        """Read what follows a rule's name, up to its colon; return the rule's options."""
        scanner = self._scanner
        options: dict[str, str] = {}
        while (lexeme := scanner.peek()).text != ":":
            if lexeme.kind == END:
                scanner.fail(lexeme, f"expected ':' after the name of the rule {name}.")
            scanner.take()
            if lexeme.text == "[":
                scanner.skip_arguments(lexeme)
                scanner.note(lexeme, f"the arguments of {name} are passed over.")
            elif lexeme.text in ("returns", "locals"):
                scanner.skip_arguments(scanner.expect("[", f"after `{lexeme.text}`"))
            elif lexeme.text == "throws":
                scanner.expect_kind("name", "an exception's name after `throws`")
                while scanner.accept(",", "."):
                    scanner.expect_kind("name", "an exception's name after `throws`")
            elif lexeme.text == "options":
                options = self._options()
            elif lexeme.text == "@":
                self._named_action()
            elif lexeme.text == "!":
                scanner.note(lexeme, "`!` belongs to ANTLR 3 and is passed over.")
            else:
                scanner.fail(lexeme, f"expected ':' after the name {name}, found {lexeme}.")
        return options

    def _ignore_case(self, options: dict[str, str]) -> bool:
        own = options.get("caseInsensitive")
        return (own or self._file.options.get("caseInsensitive", "false")).lower() == "true"
