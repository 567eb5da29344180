"""Patterns as JSON, and back.

The derivation tree is a list of nodes, parents first, each with the number of its children: trees
nest deeper than readers of JSON do. Texts are UTF-8; bytes that are not are kept as lone
surrogates (`\\udc80` for byte 0x80), as Python does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from marrow.abstraction.conditions import condition_data, read_condition
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import Counts, Evidence, Mark, Marked, Pattern, compact
from marrow.abstraction.pattern_language import PatternLanguage
from marrow.base.bounded_file import read_bounded
from marrow.base.errors import MarrowError
from marrow.grammar.language import GrammarSource, Language
from marrow.syntax.views import view_of
from marrow.tree import ROOT, Branch, Kind, Node, Place, Token, Tree
from marrow.tree.node import render

#: What the file says it is, and the version of what follows.
_FORMAT: Final = "marrow pattern"
_VERSION: Final = 1

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
        "seed": pattern.seed,
        "checks": pattern.checks,
        "naive": pattern.naive,
        "stopped": pattern.stopped,
        "counts": asdict(pattern.counts),
        "joint": _evidence(pattern.joint),
        "together": [
            [None if text is None else _text(text) for text in row] for row in pattern.together
        ],
        "origin": pattern.origin,
        "passing": pattern.passing,
        "core": None if pattern.core is None else pattern.core.path(),
        "tree": {
            "head": _text(tree.head),
            "tail": _text(tree.tail),
            "nodes": [_node(node, pattern.marks.get(place)) for place, node in tree.walk()],
        },
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
    tree = content["tree"]
    root, marks = _read_nodes(tree["nodes"])
    return Pattern(
        tree=Tree(root, _bytes(tree["head"]), _bytes(tree["tail"])),
        marks=marks,
        language=_read_language(content),
        joint=_read_evidence(content["joint"]),
        together=tuple(
            tuple(None if text is None else _bytes(text) for text in row)
            for row in content.get("together", ())
        ),
        origin=str(content.get("origin", "")),
        passing=int(content.get("passing", 0)),
        core=None if content.get("core") is None else _place(content["core"]),
        seed=int(content["seed"]),
        checks=int(content["checks"]),
        naive=bool(content["naive"]),
        counts=Counts(**content["counts"]),
        stopped=str(content["stopped"]),
    )


def _node(node: Node, marked: Marked | None) -> dict[str, Any]:
    # What is as usual is left out, so that people can read the rest.
    found: dict[str, Any] = {"symbol": node.symbol, "kind": node.kind.value}
    if node.slot != node.symbol:
        found["slot"] = node.slot
    if isinstance(node, Token):
        layout = {name: _text(getattr(node, name)) for name in ("before", "after", "indent")}
        found |= {"text": _text(node.text), **{name: one for name, one in layout.items() if one}}
        found |= {"serial": node.serial, **({"glue": int(node.glue)} if node.glue else {})}
    else:
        found["children"] = len(node.children)
    found["key"] = node.key
    if marked is not None:
        found |= {"mark": marked.mark.value, "name": marked.name}
        found["evidence"] = _evidence(marked.evidence)
        found |= {
            name: write(value)
            for name, (attribute, write, _) in _MARKED.items()
            if (value := getattr(marked, attribute)) != _DEFAULTS[attribute]
            and not (attribute == "key" and value == node.symbol)
        }
    return found


def _evidence(evidence: Evidence) -> dict[str, Any]:
    found = {**asdict(evidence), "confidence": round(evidence.confidence, 4)}
    example = evidence.counterexample
    found["counterexample"] = None if example is None else _text(example)
    return {name: value for name, value in found.items() if value not in (None, "")}


def _read_evidence(content: dict[str, Any]) -> Evidence:
    read: dict[str, Callable[[Any], Any]] = {"reason": str, "counterexample": _bytes}
    names = {one.name for one in fields(Evidence)} & content.keys()
    return Evidence(
        **{
            name: read.get(name, bool if name == "exhaustive" else int)(content[name])
            for name in names
        }
    )


def _read_nodes(rows: list[dict[str, Any]]) -> tuple[Node, dict[Place, Marked]]:
    """Build the tree, from the right to the left, and collect the marks."""
    marks: dict[Place, Marked] = {}
    for row, place in zip(rows, _places(rows), strict=True):
        if "mark" in row:
            marks[place] = _read_mark(row)
    built: list[Node] = []
    for row in reversed(rows):
        count = int(row.get("children", 0))
        children = built[len(built) - count :][::-1]
        del built[len(built) - count :]
        built.append(_read_node(row, children))
    if len(built) != 1:
        raise ValueError("the numbers of children do not make one tree")
    return built[0], marks


def _places(rows: list[dict[str, Any]]) -> Iterator[Place]:
    """Yield the places of nodes that are listed parents first."""
    above: list[tuple[Place, int]] = []
    for row in rows:
        while above and not above[-1][1]:
            above.pop()
        if above:
            parent, left = above[-1]
            above[-1] = (parent, left - 1)
            place = parent.child(int(row["key"]))
        else:
            place = ROOT
        above.append((place, int(row.get("children", 0))))
        yield place


def _read_node(row: dict[str, Any], children: list[Node]) -> Node:
    symbol, kind = str(row["symbol"]), Kind(row["kind"])
    slot, key = str(row.get("slot", symbol)), int(row["key"])
    if kind is not Kind.TOKEN:
        return Branch(kind, symbol, children, slot=slot, key=key)
    return Token(
        symbol,
        _bytes(row["text"]),
        slot=slot,
        key=key,
        before=_bytes(row.get("before", "")),
        after=_bytes(row.get("after", "")),
        serial=int(row["serial"]),
        indent=_bytes(row.get("indent", "")),
        glue=int(row.get("glue", 0)),
    )


def _read_mark(row: dict[str, Any]) -> Marked:
    read = {
        attribute: reader(row[name])
        for name, (attribute, _, reader) in _MARKED.items()
        if name in row
    }
    evidence = _read_evidence(row["evidence"])
    return Marked(Mark(row["mark"]), str(row["name"]), evidence=evidence, **read)


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


def _tuple(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    return lambda values: tuple(map(read, values))


def _list(write: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    return lambda values: list(map(write, values))


_DEFAULTS: Final = {one.name: one.default for one in fields(Marked)}

#: What a mark has besides its name and evidence, by the names in JSON: the attribute, how it is
#: written, and how it is read. What is as usual is left out.
_MARKED: Final[dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]]] = {
    "group": ("group", int, int),
    "samples": ("samples", _list(_text), _tuple(_bytes)),
    "invalid": ("invalid", _list(_text), _tuple(_bytes)),
    "validity": ("validity", float, float),
    "apart": ("apart", _text, _bytes),
    "doubtful": ("doubtful", bool, bool),
    "nonterminal": ("key", str, str),
    "differs": ("differs", _list(Place.path), _tuple(_place)),
    "alike": ("alike", _text, _bytes),
    "passing": ("passing", _list(_text), _tuple(_bytes)),
    "conditions": (
        "conditions",
        _list(condition_data),
        _tuple(lambda r: read_condition(r, _place)),
    ),
    "label": ("label", str, str),
    "open": ("open", int, int),
    "gaps": ("gaps", bool, bool),
}
