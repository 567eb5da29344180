"""Patterns as JSON, and back.

The tree is not written: the pattern's own language reads it again from the input. Marks have the
places of their nodes in it, and a digest of the tree says whether it still is the same. Texts are
UTF-8; bytes that are not are kept as lone surrogates (`\\udc80` for byte 0x80), as Python does.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

from marrow.abstraction.conditions import KINDS, Condition
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import Counts, Evidence, Marked, Pattern, compact
from marrow.abstraction.pattern_language import PatternLanguage
from marrow.base.bounded_file import read_bounded
from marrow.base.errors import MarrowError
from marrow.engine.journal.journal import digest
from marrow.grammar.language import GrammarSource, Language
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.syntax.views import view_of
from marrow.tree import ROOT, Kind, Node, Place, Tree
from marrow.tree.node import render

#: What the file says it is, and the version of what follows.
_FORMAT: Final = "marrow pattern"
_VERSION: Final = 2

#: How many pieces are written for a slot: as many as `produce` needs for some variety.
_PIECES: Final = 60


class PatternError(MarrowError, ValueError):
    """This is not a pattern, or not one of this version; the message says what is wrong."""


def to_json(pattern: Pattern) -> str:
    """Return a pattern as JSON."""
    tree = pattern.tree
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "pattern": compact(pattern),
        "input": _text(tree.text),
        **{name: plain(getattr(pattern, name)) for name in _FACTS},
        "tree": _shape(tree),
        "marks": [
            _mark(place, node, pattern.marks[place])
            for place, node in tree.walk()
            if place in pattern.marks
        ],
        **_language(pattern),
    }
    return json.dumps(content, indent=1) + "\n"


def _language(pattern: Pattern) -> dict[str, Any]:
    """Return the grammar of a pattern; without one the parser, and pieces to draw from."""
    language = pattern.language
    if isinstance(language, Language):
        source = language.source
        return {"grammar": {**asdict(source), "digest": source.digest}}
    slots = {hole.symbol for hole in pattern.holes()}
    return {
        "parser": {
            "name": language.name,
            "lenient": language.lenient,
            "pieces": {
                slot: [
                    [node.symbol, node.kind.value, _text(render((node,)))]
                    for node in language.pieces(slot)[:_PIECES]
                ]
                for slot in sorted(slots)
            },
        }
    }


def _read_language(content: dict[str, Any]) -> PatternLanguage:
    if "parser" in content:
        parser = content["parser"]
        front = view_of("", b"", _string(parser["name"])).fronts[0]
        language = ParserLanguage(front, lenient=bool(parser["lenient"]), bare=True)
        for slot, pieces in parser["pieces"].items():
            for symbol, kind, text in pieces:
                language.add_piece(slot, _string(symbol), Kind(kind), _bytes(text))
        return language
    source = content["grammar"]
    names = ("name", "start", "notation", "text")
    return Language(GrammarSource(*(_string(source[name]) for name in names)))


def from_json(text: str) -> Pattern:
    """Return the pattern that a JSON text describes; raise `PatternError` if it is none."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise PatternError(f"not JSON: {error}") from error
    except RecursionError as error:
        raise PatternError("not a pattern: it nests deeper than patterns do") from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise PatternError("not a pattern: `marrow abstract` writes them")
    if content.get("version") != _VERSION:
        raise PatternError(f"a pattern of version {content.get('version')}, not {_VERSION}")
    try:
        return _pattern(content)
    except (GrammarError, ParseError) as error:
        raise PatternError(f"its grammar cannot be used: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise PatternError(f"damaged: {type(error).__name__}: {error}") from error


def read_pattern(path: Path) -> Pattern:
    """Read a pattern from a file; raise `PatternError` if it cannot be read or is none."""
    try:
        return from_json(read_bounded(path).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise PatternError(f"{path}: cannot be read: {why}") from error
    except PatternError as error:
        raise PatternError(f"{path}: {error}") from error


def _pattern(content: dict[str, Any]) -> Pattern:
    language = _read_language(content)
    tree = language.parse(_bytes(content["input"]))
    if _shape(tree) != content["tree"]:
        raise ValueError("its input is read otherwise now: look for the pattern again")
    facts = {
        name: _read(kind, content[name])
        for name, kind in _FACTS.items()
        if name in content or name not in _LATER
    }
    marks = dict(_read_mark(tree, row) for row in content["marks"])
    return Pattern(tree, marks, language, **facts)


def _shape(tree: Tree) -> str:
    """Return a digest of a tree: its symbols with their depths."""
    return digest(repr([(place.depth, one.symbol) for place, one in tree.walk()]).encode()).hex()


def _mark(place: Place, node: Node, marked: Marked) -> dict[str, Any]:
    # What is as usual is left out, so that people can read the rest.
    found: dict[str, Any] = {"place": place.path(), "symbol": node.symbol}
    for one in fields(Marked):
        value = getattr(marked, one.name)
        if value != one.default and not (one.name == "key" and value == node.symbol):
            found[_NAMES.get(one.name, one.name)] = plain(value)
    return found


def plain(value: object) -> object:
    """Return a value as JSON has it."""
    match value:
        case Decimal():
            return str(value)
        case bytes():
            return _text(value)
        case Place():
            return value.path()
        case Enum():
            return value.value
        case tuple():
            return [plain(one) for one in value]
        case Evidence() | Counts() | Condition():
            inner = {one.name: plain(getattr(value, one.name)) for one in fields(value)}
            found = {name: one for name, one in inner.items() if one not in (None, "")}
            if isinstance(value, Condition):
                return {"kind": type(value).__name__.lower(), **found}
            more = {"confidence": round(value.confidence, 4)} if isinstance(value, Evidence) else {}
            return found | more
        case _:
            return value


def _read(kind: Any, value: Any) -> Any:
    """Return the value of a type that JSON has."""
    inner = get_args(kind)
    if value is None:
        return None
    if get_origin(kind) is tuple:
        return tuple(_read(inner[0], one) for one in value)
    if inner:
        return _read(inner[0], value)  # a type or None
    if kind is Condition:
        return _read(KINDS[value["kind"]], value)
    if kind in (Evidence, Counts, Marked, *KINDS.values()):
        types = get_type_hints(kind)
        return kind(**{name: _read(types[name], value[name]) for name in types if name in value})
    read = {Place: _place, bytes: _bytes}
    return read.get(kind, kind)(value)


def _read_mark(tree: Tree, row: dict[str, Any]) -> tuple[Place, Marked]:
    place = _place(row["place"])
    node = tree.at(place)
    if node is None or node.symbol != row["symbol"]:
        raise ValueError(f"the input has no {row['symbol']} where a mark says so")
    named = {one.name: row.get(_NAMES.get(one.name, one.name)) for one in fields(Marked)}
    marked = _read(Marked, {name: one for name, one in named.items() if one is not None})
    return place, marked


def _place(path: list[int]) -> Place:
    """Return the place at the end of a way from the root."""
    place = ROOT
    for key in path:
        place = place.child(int(key))
    return place


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


#: The names in JSON of what is called otherwise in code.
_NAMES: Final = {"key": "nonterminal"}

#: What a pattern has besides its tree and its language, with the types of these.
_FACTS: Final[dict[str, Any]] = {
    "seed": int,
    "checks": int,
    "naive": bool,
    "stopped": str,
    "counts": Counts,
    "joint": Evidence,
    "together": tuple[tuple[bytes | None, ...], ...],
    "origin": str,
    "passing": int,
    "core": Place | None,
}

#: What older patterns do not have.
_LATER: Final = {"together", "origin", "passing", "core"}
