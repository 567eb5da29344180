"""The messages of errors: each is used, with the values that it has places for."""

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import marrow
from marrow.base.errors import _texts, error_text

SOURCES = [
    ast.parse(path.read_text(encoding="utf-8"))
    for path in Path(marrow.__file__).parent.rglob("*.py")
]


def calls() -> Iterator[ast.Call]:
    for source in SOURCES:
        for node in ast.walk(source):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == error_text.__name__:
                yield node


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_all_are_used() -> None:
    words = {
        node.value
        for source in SOURCES
        for node in ast.walk(source)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert _texts().keys() <= words


def test_values_have_their_places() -> None:
    found = 0
    for call in calls():
        name = call.args[0]
        if isinstance(name, ast.Constant) and all(one.arg for one in call.keywords):
            found += 1
            given = {str(one.arg) for one in call.keywords}
            assert given == fields(_texts()[str(name.value)]), name.value
    assert found > 50


def test_a_message_has_its_values() -> None:
    assert error_text("empty_input", name="x.c").startswith("x.c is empty: ")
