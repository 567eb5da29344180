"""Cases whose tests are functions: the small ones of `small.toml`, tall trees, real programs.

On the small ones the published setting is compared with Picireny. Those that are `developed` are
the ones it was written with; the others were written down before it was first run on any of them,
and have changed nothing in it. Both programs see the same verdicts in no time.
"""

from __future__ import annotations

import ast
import json
import random
import re
import sqlite3
import sysconfig
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class SmallCase:
    """An input, the shipped grammar that describes it, and its test."""

    name: str
    grammar: str
    text: str
    test: Callable[[str], bool]
    developed: bool = False


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _all(*patterns: str) -> Callable[[str], bool]:
    """Return the test that all patterns are found, in this order or another, white space aside."""
    compiled = [re.compile(one) for one in patterns]
    return lambda text: all(one.search(_squeezed(text)) for one in compiled)


def _c(*patterns: str) -> Callable[[str], bool]:
    """Return such a test for C in which moreover every function that is called is known."""
    found = _all(*patterns)

    def test(text: str) -> bool:
        if not found(text) or text.count("{") != text.count("}"):
            return False
        defined = set(re.findall(r"\b\w+\s+\**(\w+)\s*\([^()]*\)\s*\{", text))
        called = set(re.findall(r"\b(\w+)\s*\(", text))
        known = {"printf", "if", "while", "for", "switch", "return", "sizeof"}
        return called <= defined | known

    return test


def _json(expression: str) -> Callable[[str], bool]:
    """Return the test that an expression on the `value` of a text holds."""

    def test(text: str) -> bool:
        try:
            return bool(eval(expression, {"json": json, "value": json.loads(text)}))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            return False

    return test


def _sqlite(query: str, expression: str) -> Callable[[str], bool]:
    """Return the test that a script runs, and an expression on the `rows` of a query holds."""

    def test(text: str) -> bool:
        connection = sqlite3.connect(":memory:")
        try:
            connection.executescript(text)
            return bool(eval(expression, {"rows": connection.execute(query).fetchall()}))
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return False
        finally:
            connection.close()

    return test


def _balanced(*patterns: str) -> Callable[[str], bool]:
    """Return such a test as `_all`, in which moreover parentheses match."""
    found = _all(*patterns)

    def test(text: str) -> bool:
        depth = 0
        for character in text:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth < 0:
                return False
        return depth == 0 and found(text)

    return test


_TESTS: Final[dict[str, Callable[..., Callable[[str], bool]]]] = {
    "all": _all,
    "balanced": _balanced,
    "c": _c,
    "json": _json,
    "sqlite": _sqlite,
}


def _case(test: list[str], **given: Any) -> SmallCase:
    kind, *words = test
    return SmallCase(test=_TESTS[kind](*words), **given)


SMALL: Final = tuple(
    _case(**row)
    for row in tomllib.loads(Path(__file__).with_name("small.toml").read_text())["case"]
)

#: Functions of Python's standard library whose syntax trees, as JSON, are 170 to 190 high, and the
#: kinds of nodes that have to stay, each inside of the one before it.
_TALL: Final = {
    "help": ("pydoc.py", "help", ("FunctionDef", "If", "Compare", "Constant")),
    "page": ("pydoc.py", "get_html_page", ("FunctionDef", "If", "Call", "Attribute")),
    "action": ("optparse.py", "take_action", ("If", "If", "If", "Call", "Constant")),
    "quoting": ("quopri.py", "decode", ("While", "If", "While", "Assign")),
}


def _plain(node: Any) -> Any:
    """Return a syntax tree as lists and objects: each node by its kind."""
    if isinstance(node, list):
        return [_plain(one) for one in node]
    if not isinstance(node, ast.AST):
        return node if isinstance(node, str | int | float | bool) else repr(node)
    return {
        type(node).__name__: {
            name: _plain(value)
            for name, value in ast.iter_fields(node)
            if value not in (None, []) and name not in ("ctx", "type_comment", "kind")
        }
    }


def _nested(value: Any, kinds: tuple[str, ...]) -> bool:
    """Whether there are nodes of these kinds, each inside of the one before it."""
    pending = [(value, kinds)]
    while pending:
        one, left = pending.pop()
        if isinstance(one, list):
            pending += [(part, left) for part in one]
        elif isinstance(one, dict):
            for name, part in one.items():
                rest = left[1:] if name == left[0] else left
                if not rest:
                    return True
                pending.append((part, rest))
    return False


def tall_cases() -> list[SmallCase]:
    """Return the cases with trees of a height of 150 and more, from real programs."""
    return [_tall(name, *rest) for name, rest in _TALL.items()]


def _tall(name: str, module: str, function: str, kinds: tuple[str, ...]) -> SmallCase:
    source = Path(sysconfig.get_paths()["stdlib"], module).read_text(encoding="utf-8")
    found = next(
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
        and node.name == function
        and _nested(_plain(node), kinds)
    )

    def test(text: str) -> bool:
        try:
            return _nested(json.loads(text), kinds)
        except (ValueError, RecursionError):
            return False

    return SmallCase(name, "json", json.dumps(_plain(found), indent=1), test)


#: How many words of a real program have to stay.
_KEPT: Final = 4

#: What the trees of both tools leave out.
_SKIPPED: Final = re.compile(r"/\*.*?\*/|//[^\n]*|^#(?:[^\n]*\\\n)*[^\n]*$", re.S | re.M)


def program_case(path: Path) -> SmallCase:
    """Return a real program in C of which words drawn by lot have to stay, in their order."""
    text = _SKIPPED.sub("", path.read_text(encoding="ascii"))
    words = re.findall(r"\w+", text)
    chosen = sorted(random.Random(path.name).sample(range(len(words)), _KEPT))
    kept = [words[at] for at in chosen]

    def test(candidate: str) -> bool:
        rest = iter(re.findall(r"\w+", candidate))
        return all(word in rest for word in kept)

    return SmallCase(path.name, "c", text, test)
