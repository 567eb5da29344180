"""Reads ANTLR v4 grammars: their files, put together and turned into the grammar model.

Imports and the token vocabulary are looked up beside the file. Rules of the importing grammar win
over imported ones, as in ANTLR.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.grammar.model.analysis import default_start
from marrow.grammar.model.rules import Grammar, GrammarError, Note, Position
from marrow.grammar.readers.g4_body import G4BodyReader
from marrow.grammar.readers.g4_file import G4File, G4Scanner
from marrow.grammar.readers.g4_linking import RuleLinker, TokenLinker
from marrow.grammar.readers.predicates import Assumptions
from marrow.grammar.readers.scan import END, Lexeme, Loader, Source

#: Words in the code of predicates that are not calls.
_WORDS: Final = frozenset(("this", "self", "true", "false", "not"))


def read_g4(
    text: str,
    name: str,
    start: str | None,
    load: Loader,
    assume: Assumptions | None = None,
) -> Grammar:
    """Read a grammar; `name` is the file's name, `load` finds the files it needs.

    `assume` says which predicates hold, by the names of the calls in them.
    """
    file = parse_g4(text, name, assume=assume)
    if file.kind == "lexer" and not file.imports:
        other = file.name.removesuffix("Lexer") + "Parser.g4"
        raise GrammarError(
            f"this is a lexer grammar: it has no parser rules. Give marrow the parser grammar "
            f"({other}?), which finds this one by `options {{ tokenVocab = {file.name}; }}`.",
            Position(name, 1, 1),
        )
    _import(file, load)
    _add_vocabulary(file, load)
    return _linked(file, start)


def _load(name: str, position: Position, load: Loader, why: str, assume: Assumptions) -> G4File:
    found = load(f"{name}.g4")
    if found is None:
        raise GrammarError(f"cannot find {name}.g4, {why}. Put it beside this file.", position)
    file = parse_g4(found.text, found.name, imported=True, assume=assume)
    file.notes.extend([found.note] if found.note else [])
    return file


def _import(file: G4File, load: Loader) -> None:
    """Add what a grammar imports, and what that imports, each file once."""
    seen = {file.name}
    waiting = list(file.imports)
    while waiting:
        name, position = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        imported = _load(name, position, load, "which this grammar imports", file.assume)
        _merge(file, imported)
        waiting[:0] = imported.imports


def _merge(file: G4File, other: G4File) -> None:
    """Add what another file has and this one has not."""
    for name, rule in other.rules.items():
        file.rules.setdefault(name, rule)
    for name, token in other.tokens.items():
        file.tokens.setdefault(name, token)
    for name, position in other.named_tokens.items():
        file.named_tokens.setdefault(name, position)
    file.modes.extend(mode for mode in other.modes if mode not in file.modes)
    file.excluded.update(other.excluded)
    file.calls.extend(other.calls)
    file.notes.extend(other.notes)
    file.vocabulary = file.vocabulary or other.vocabulary


def _add_vocabulary(file: G4File, load: Loader) -> None:
    """Add the lexer grammar that a parser grammar takes its tokens from."""
    if file.vocabulary is not None:
        name, position = file.vocabulary
        name = name.replace("\\", "/").rpartition("/")[2].removesuffix(".tokens")
        if name == file.name:
            return
        why = "which this grammar takes its tokens from"
        lexer = _load(name, position, load, why, file.assume)
    elif file.kind == "parser" and not file.tokens:
        name = file.name.removesuffix("Parser") + "Lexer"
        found = load(f"{name}.g4")
        if found is None:
            return
        position = Position(file.source, 1, 1)
        file.notes.append(Note(position, f"the tokens are taken from {name}.g4 beside this file."))
        lexer = parse_g4(found.text, found.name, imported=True, assume=file.assume)
    else:
        return
    _import(lexer, load)
    lexer.rules.clear()
    _merge(file, lexer)


def _linked(file: G4File, start: str | None) -> Grammar:
    """Turn a file with all it needs into the model."""
    if not file.rules:
        raise GrammarError(
            "the grammar has no parser rules. Add one: `name : TOKEN* EOF ;`.",
            Position(file.source, 1, 1),
        )
    notes = list(file.notes)
    tokens = TokenLinker(file, notes).linked()
    _check_assumptions(file)
    rules = RuleLinker(file, tokens, notes).linked()
    return Grammar(
        file.name,
        start if start is not None else default_start(rules),
        rules,
        tokens,
        tuple(notes),
        encoding=file.options.get("encoding", "utf-8"),
    )


def _check_assumptions(file: G4File) -> None:
    """Refuse what the user assumes of calls that are not there."""
    called = {name for text in file.calls for name in re.findall(r"[^\W\d]\w*", text)}
    for name in file.assume:
        if name not in called:
            some = ", ".join(sorted(called - _WORDS)) or "none"
            raise GrammarError(
                f"no predicate of the grammar calls {name!r}, which ⟦assume⟧ names. Names in "
                f"predicates: {some}."
            )


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
