"""Reads grammars in the JSON form of the fuzzing community.

An object from `<name>` to a list of alternatives. An alternative is a list of strings, each a name
or a text (`["<expr>", "+", "<expr>"]`), or one string with the names inside (`"<expr>+<expr>"`).
Also understood: alternatives with annotations (`["<a>+<b>", {"prob": 0.5}]`), and an object around
it, `{"[start]": "<start>", "[grammar]": {...}}`. Such grammars are scannerless.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import END_OF_INPUT, Expression, Grammar, Position, Reference, Rule
from marrow.grammar.readers.scan import (
    END,
    Lexeme,
    Loader,
    Scanner,
    Source,
    joined_pairs,
    plain_name,
    stem,
    text_expression,
)

_PATTERN: Final = re.compile(
    r"""
    (?P<blank> [ \t\r\n]+ )
  | (?P<string> "(?:[^"\\\x00-\x1f]|\\.)*" )
  | (?P<number> -?\d+(?:\.\d+)?(?:[eE][-+]?\d+)? )
  | (?P<word> true | false | null )
  | (?P<sign> [][{}:,] )
    """,
    re.VERBOSE,
)

_UNCLOSED: Final = {'"': 'this string is never closed on its line. Add a `"`.'}

#: A name inside a text, as the fuzzing community writes it.
_NAME: Final = re.compile(r"(<[^<> \t\r\n]+>)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A string of the file, decoded."""

    text: str
    lexeme: Lexeme


@dataclass(frozen=True, slots=True)
class _Alternative:
    """An alternative; `split` if names are to be looked for inside the strings."""

    pieces: tuple[_Piece, ...]
    split: bool


def read_json(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `<start>`, or else at the first name."""
    return _Reader(Source(text, name)).read(start)


class _Reader:
    """Reads the file; the nesting is fixed, so that no recursion is needed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scanner = Scanner(source, _PATTERN, _UNCLOSED)
        self._start: str | None = None
        self._table: dict[str, list[_Alternative]] = {}
        self._positions: dict[str, Position] = {}
        self._names: dict[str, str] = {}
        self._literal_names: set[str] = set()

    def read(self, start: str | None) -> Grammar:
        scanner = self._scanner
        self._object(wrapped=False)
        end = scanner.take()
        if end.kind != END:
            scanner.fail(end, f"expected the end of the file, found {end}.")
        if not self._table:
            scanner.fail(end, 'the grammar has no names. Add one: `"<start>": [["text"]]`.')
        self._names = {key: plain_name(key, self._table) for key in self._table}
        rules: dict[str, Rule] = {}
        for key, found in self._table.items():
            body = choice([self._expression(one) for one in found])
            rules[self._names[key]] = Rule(self._names[key], body, self._positions[key])
        first = "<start>" if "<start>" in self._table else next(iter(self._table))
        chosen = start or self._start or first
        chosen = self._names.get(chosen, chosen)
        return Grammar(stem(self._source.name), chosen, rules, {}, tuple(scanner.notes))

    def _object(self, wrapped: bool) -> None:
        """Read the object of names, or the object around it."""
        scanner = self._scanner
        scanner.expect("{", "to begin the grammar")
        if scanner.accept("}"):
            return
        while True:
            key = self._string('a name, as in `"<start>": [...]`')
            scanner.expect(":", f"after {key.text!r}")
            if not wrapped and key.text == "[start]":
                self._start = self._string("the start rule's name").text
            elif not wrapped and key.text == "[grammar]":
                self._object(wrapped=True)
            elif not wrapped and key.text.startswith("[") and key.text.endswith("]"):
                self._skip_value()
            else:
                self._definition(key)
            if not self._more("}"):
                return

    def _definition(self, key: _Piece) -> None:
        scanner = self._scanner
        if key.text in self._table:
            where = f"line {self._positions[key.text].line}"
            scanner.fail(key.lexeme, f"{key.text} is already defined in {where}. Join the two.")
        if key.text == END_OF_INPUT:
            scanner.fail(key.lexeme, "EOF means the end of the input. Choose another name.")
        self._positions[key.text] = scanner.position(key.lexeme)
        self._table[key.text] = found = []
        scanner.expect("[", f"to begin the alternatives of {key.text}")
        if scanner.accept("]"):
            message = f"{key.text} has no alternatives, so that nothing matches it."
            scanner.fail(key.lexeme, f'{message} Write `[""]` for the empty text.')
        while True:
            found.append(self._alternative(key.text))
            if not self._more("]"):
                return

    def _alternative(self, name: str) -> _Alternative:
        scanner = self._scanner
        what = f"an alternative of {name}: a string or a list of strings"
        if scanner.peek().text != "[":
            return _Alternative((self._string(what),), split=True)
        scanner.take()
        pieces: list[_Piece] = []
        annotated = False
        if scanner.accept("]"):
            return _Alternative((), split=False)
        while True:
            if len(pieces) == 1 and scanner.peek().text == "{":
                lexeme = scanner.peek()
                scanner.note(lexeme, f"the annotation of an alternative of {name} is passed over.")
                self._skip_value()
                annotated = True
            else:
                pieces.append(self._string(what))
            if not self._more("]"):
                return _Alternative(tuple(pieces), split=annotated)

    def _more(self, closing: str) -> bool:
        """Take a comma (true) or what closes the list (false)."""
        lexeme = self._scanner.take()
        if lexeme.text not in (",", closing) or lexeme.kind == END:
            self._scanner.fail(lexeme, f"expected ',' or {closing!r}, found {lexeme}.")
        return lexeme.text == ","

    def _string(self, what: str) -> _Piece:
        lexeme = self._scanner.expect_kind("string", what)
        try:
            text = json.loads(lexeme.text)
        except ValueError:
            self._scanner.fail(lexeme, r"this string has an escape that JSON has not. Write `\\`.")
        return _Piece(joined_pairs(str(text)), lexeme)

    def _skip_value(self) -> None:
        """Go past a value of any kind."""
        depth = 0
        while True:
            lexeme = self._scanner.take()
            if lexeme.kind == END:
                self._scanner.fail(lexeme, "the file ends too early. Add what closes the lists.")
            depth += (lexeme.text in "[{") - (lexeme.text in "]}")
            if depth <= 0:
                return

    def _expression(self, alternative: _Alternative) -> Expression:
        items: list[Expression] = []
        for piece in alternative.pieces:
            position = self._scanner.position(piece.lexeme)
            pending = ""
            for part in _NAME.split(piece.text) if alternative.split else [piece.text]:
                if part in self._table:
                    items += [text_expression(pending, False, position)] if pending else []
                    items.append(Reference(self._names[part], position))
                    pending = ""
                    continue
                if _NAME.fullmatch(part):
                    self._say_literal(part, piece)
                pending += part
            items += [text_expression(pending, False, position)] if pending else []
        return sequence(items)

    def _say_literal(self, name: str, piece: _Piece) -> None:
        if name not in self._literal_names:
            self._literal_names.add(name)
            message = f"{name} is not defined, and so taken for text."
            self._scanner.note(piece.lexeme, message, f"Define {name} if it is meant as a name.")
