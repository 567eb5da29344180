"""Writes a grammar in the JSON form of the fuzzing community: names to lists of lists of strings.

The form knows neither quantifiers nor character sets nor tokens. Quantifiers and groups become
names of their own, sets are written out character by character, tokens become names like any other,
and layout is left out: the texts that the result derives have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from typing import Final

from marrow.grammar.model.charset import Ranges, intersection, other_cases, size
from marrow.grammar.model.expressions import fold, references
from marrow.grammar.model.interning import Keys
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Characters,
    Choice,
    Expression,
    Grammar,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.grammar.writers.write_style import Names, Written

#: The most characters of a set that are written out; larger sets are cut to ASCII, which is what
#: grammars of the fuzzing community do.
_MOST_CHARACTERS: Final = 256

#: The characters that are left of a large set: printable ASCII, tab and newline.
_PLAIN: Final[Ranges] = ((9, 10), (32, 126))


def write_json(grammar: Grammar) -> Written:
    """Write a grammar."""
    writer = _Writer(grammar)
    return Written(writer.text(), tuple(writer.notes))


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self.notes: list[Note] = []
        self._names = Names()
        for name in (*grammar.rules, *grammar.tokens):
            self._names.add(name, re.sub(r"[<>\s]", "_", name) or "_")
        self._table: dict[str, list[list[str]]] = {}
        self._keys = Keys()
        self._made: dict[Hashable, str] = {}

    def text(self) -> str:
        grammar = self._grammar
        definitions = {rule.name: rule.body for rule in grammar.rules.values()}
        for name in self._needed_tokens():
            definitions[name] = grammar.tokens[name].body
        hidden = [token.name for token in grammar.tokens.values() if token.hidden]
        if hidden:
            message = f"layout is not written ({', '.join(hidden)}): JSON has no word for it."
            self.notes.append(Note(grammar.tokens[hidden[0]].position, message))
        order = [grammar.start, *(name for name in definitions if name != grammar.start)]
        for name in order:
            if name in definitions:
                self._table[self._name(name)] = []
        for name in order:
            if name in definitions:
                self._table[self._name(name)] = self._alternatives(definitions[name], name)
        start = self._name(grammar.start)
        named = "<start>" in self._table and start != "<start>"
        return _dumped(self._table, start if named else None)

    def _needed_tokens(self) -> list[str]:
        """Return the tokens that rules lead to."""
        grammar = self._grammar
        found: dict[str, None] = {}
        stack = [one.name for rule in grammar.rules.values() for one in references(rule.body)]
        while stack:
            name = stack.pop()
            if name in grammar.tokens and name not in found:
                found[name] = None
                stack.extend(one.name for one in references(grammar.tokens[name].body))
        return [name for name in grammar.tokens if name in found]

    def _name(self, name: str) -> str:
        return f"<{self._names[name]}>"

    # Expressions to lists of strings

    def _alternatives(self, body: Expression, name: str) -> list[list[str]]:
        numbers = self._keys.keys(body)

        def combine(one: Expression, inner: tuple[list[list[str]], ...]) -> list[list[str]]:
            match one:
                case Literal():
                    return [self._literal(one, name)]
                case Characters(ranges=ranges, position=position):
                    members = [[one] for one in self._members(ranges, position)]
                    return members or [[self._nothing()]]
                case Reference(name=other):
                    return [[]] if other == END_OF_INPUT else [[self._name(other)]]
                case Sequence():
                    parts = [self._single(part, name) for part in inner]
                    return [[piece for part in parts for piece in part]]
                case Choice():
                    return [alternative for part in inner for alternative in part]
                case Repeat(quantifier=quantifier):
                    item = self._single(inner[0], name)
                    return self._repeat(one, item, quantifier, name, numbers[id(one)])

        return fold(body, combine)

    def _single(self, alternatives: list[list[str]], name: str) -> list[str]:
        """Return one list of strings for alternatives; several become a name of their own."""
        if len(alternatives) == 1:
            return alternatives[0]
        key = ("choice", json.dumps(alternatives))
        return [self._auxiliary(key, f"{name}_part", alternatives)]

    def _nothing(self) -> str:
        """Return a name that derives no text at all."""
        own = self._auxiliary("nothing", "nothing", None)
        self._table[own] = [[own]]
        return own

    def _repeat(
        self, one: Repeat, item: list[str], quantifier: Quantifier, name: str, number: int
    ) -> list[list[str]]:
        if not one.greedy:
            message = f"that a repeat in {name} ends early is not written: JSON has no word for it."
            self.notes.append(Note(self._position(name), message))
        if quantifier is Quantifier.OPTIONAL:
            return [item, []] if item else [[]]
        if not item:
            return [[]]
        suffix = "_star" if quantifier is Quantifier.STAR else "_plus"
        key = (suffix, number)
        again = [[], item][quantifier is Quantifier.PLUS]
        own = self._auxiliary(key, f"{name}{suffix}", None)
        self._table[own] = [[*item, own], again]
        return [[own]]

    def _auxiliary(self, key: Hashable, wanted: str, alternatives: list[list[str]] | None) -> str:
        """Return the name of a definition made here, the same for the same thing."""
        found = self._made.get(key)
        if found is None:
            allowed = re.sub(r"[<>\s]", "_", wanted)
            self._made[key] = found = f"<{self._names.free(allowed)}>"
        if alternatives is not None:
            self._table[found] = alternatives
        return found

    def _position(self, name: str) -> Position:
        grammar = self._grammar
        rule = grammar.rules.get(name) or grammar.tokens[name]
        return rule.position

    # Characters

    def _literal(self, literal: Literal, name: str) -> list[str]:
        if not literal.ignore_case:
            return _text(literal.text)
        found: list[str] = []
        for character in literal.text:
            cases = sorted({character, *other_cases(character)})
            found.extend(self._single([[one] for one in cases], name))
        return found

    def _members(self, ranges: Ranges, position: Position) -> list[str]:
        if size(ranges) > _MOST_CHARACTERS:
            ranges = intersection(ranges, _PLAIN) or ranges
            message = "a large character set is cut to ASCII: JSON lists every character."
            self.notes.append(Note(position, message))
        codes = (code for first, last in ranges for code in range(first, last + 1))
        return [chr(code) for code, _ in zip(codes, range(_MOST_CHARACTERS), strict=False)]


def _text(text: str) -> list[str]:
    """Return the strings for a text: in two parts if it could be taken for a name."""
    if len(text) > 2 and text[0] == "<" and text[-1] == ">":
        return [text[:1], text[1:]]
    return [text] if text else []


def _dumped(table: dict[str, list[list[str]]], start: str | None) -> str:
    """Write the table with one alternative a line, so that people can read it."""
    entries = [
        f"{json.dumps(name)}: [\n    "
        + ",\n    ".join(json.dumps(alternative) for alternative in found)
        + "\n  ]"
        for name, found in table.items()
    ]
    body = "{\n  " + ",\n  ".join(entries) + "\n}"
    if start is not None:
        return f'{{"[start]": {json.dumps(start)}, "[grammar]": {body}}}\n'
    return body + "\n"
