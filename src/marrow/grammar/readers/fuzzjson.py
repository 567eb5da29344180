"""Reads grammars in the JSON form of the fuzzing community.

An object from `<name>` to a list of alternatives. An alternative is a list of strings, each a name
or a text (`["<expr>", "+", "<expr>"]`), or one string with the names inside (`"<expr>+<expr>"`).
Also understood: alternatives with annotations (`["<a>+<b>", {"prob": 0.5}]`), and an object around
it, `{"[start]": "<start>", "[grammar]": {...}}`. Such grammars are scannerless.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from marrow.grammar.model.expressions import choice, sequence
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Expression,
    Grammar,
    Note,
    Reference,
    Rule,
)
from marrow.grammar.readers.scan import (
    Loader,
    Source,
    joined_pairs,
    plain_name,
    stem,
    text_expression,
)

#: A name inside a text, as the fuzzing community writes it.
_NAME: Final = re.compile(r"(<[^<> \t\r\n]+>)")


class _Object(list[tuple[str, Any]]):
    """An object of the file, as pairs: a name may be there twice."""


def read_json(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `<start>`, or else at the first name."""
    source = Source(text, name)
    try:
        found = json.loads(text, object_pairs_hook=_Object)
    except json.JSONDecodeError as error:
        source.fail(error.pos, f"this is not JSON: {error.msg}.")
    except RecursionError:
        source.fail(0, "this nests too deep for a grammar.")
    if not isinstance(found, _Object):
        source.fail(0, 'expected an object of names, `{"<start>": [...]}`.')
    return _Reader(source).read(found, start)


class _Reader:
    """Turns the table of names into rules."""

    def __init__(self, source: Source) -> None:
        self._source: Final = source
        self._table: Final[dict[str, list[Any]]] = {}
        self._places: Final[dict[str, int]] = {}
        self._names: dict[str, str] = {}
        self._notes: Final[dict[str, Note]] = {}

    def read(self, found: _Object, start: str | None) -> Grammar:
        wrapped = [value for key, value in found if key == "[grammar]"]
        given = next((value for key, value in found if key == "[start]"), None)
        if wrapped and isinstance(wrapped[0], _Object):
            found = wrapped[0]
        for key, value in found:
            if wrapped or not (key.startswith("[") and key.endswith("]")):
                self._define(key, value)
        if not self._table:
            self._source.fail(0, 'the grammar has no names. Add one: `"<start>": [["text"]]`.')
        self._names = {key: plain_name(key, self._table) for key in self._table}
        rules: dict[str, Rule] = {}
        for key, options in self._table.items():
            name = self._names[key]
            body = choice([self._alternative(key, one) for one in options])
            rules[name] = Rule(name, body, self._source.position(self._places[key]))
        first = "<start>" if "<start>" in self._table else next(iter(self._table))
        chosen = start or (given if isinstance(given, str) else first)
        chosen = self._names.get(chosen, chosen)
        notes = tuple(self._notes.values())
        return Grammar(stem(self._source.name), chosen, rules, {}, notes)

    def _define(self, key: str, value: object) -> None:
        quoted = re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:"
        earlier = self._places.get(key)
        place = re.compile(quoted).search(self._source.text, 0 if earlier is None else earlier + 1)
        offset = place.start() if place else 0
        if earlier is not None:
            where = f"line {self._source.position(earlier).line}"
            self._source.fail(offset, f"{key} is already defined in {where}. Join the two.")
        if key == END_OF_INPUT:
            self._source.fail(offset, "EOF means the end of the input. Choose another name.")
        if not isinstance(value, list) or isinstance(value, _Object):
            self._source.fail(offset, f"expected a list of the alternatives of {key}.")
        if not value:
            message = f"{key} has no alternatives, so that nothing matches it."
            self._source.fail(offset, f'{message} Write `[""]` for the empty text.')
        self._places[key] = offset
        self._table[key] = value

    def _alternative(self, key: str, given: object) -> Expression:
        position, split = self._source.position(self._places[key]), isinstance(given, str)
        pieces = [given] if split else given
        if isinstance(pieces, list) and len(pieces) == 2 and isinstance(pieces[1], _Object):
            message = f"the annotation of an alternative of {key} is passed over."
            self._notes[key] = Note(position, message)
            pieces, split = pieces[:1], True
        if not isinstance(pieces, list) or not all(isinstance(one, str) for one in pieces):
            what = "is a string or a list of strings"
            self._source.fail(self._places[key], f"an alternative of {key} {what}.")
        items: list[Expression] = []
        for piece in map(joined_pairs, pieces):
            pending = ""
            for part in (*_NAME.split(piece), None) if split else (piece, None):
                if pending and (part is None or part in self._table):
                    items.append(text_expression(pending, False, position))
                    pending = ""
                if part in self._table:
                    items.append(Reference(self._names[part], position))
                elif part is not None:
                    pending += part
                    if _NAME.fullmatch(part) and part not in self._notes:
                        message = f"{part} is not defined, and so taken for text."
                        advice = f"Define {part} if it is meant as a name."
                        self._notes[part] = Note(position, message, advice)
        return sequence(items)
