"""Comments that matter: they go one by one, lose words, and leave the node that they were in."""

from __future__ import annotations

import ast
import io
import re
import tokenize

import pytest

import marrow

TRY = """\
import os  # the environment

def load(path):
    # Nobody has both.
    try:
        import tomllib  # isort:skip
        with open(path, "rb") as file:  # binary
            values = tomllib.load(file)
        import json  # isort:skip
    except ImportError:  # old
        # Nothing to read it with.
        values = {}
    finally:
        print("done")  # isort:skip
    return values
"""


def two_skips_in_a_try(text: bytes) -> bool:
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text.decode()).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return False
    lines = [one.start[0] for one in tokens if one.string == "# isort:skip"]
    return any(
        isinstance(one, ast.Try)
        and sum(one.lineno <= line <= (one.end_lineno or 0) for line in lines) > 1
        for one in ast.walk(tree)
    )


@pytest.mark.parametrize("jobs", [1, 2])
def test_two_directives_in_a_statement(jobs: int) -> None:
    result = marrow.reduce(TRY, two_skips_in_a_try, name="a.py", jobs=jobs)
    assert result.text == b"try:# isort:skip\n a# isort:skip\nexcept:\n a\n"
    fewest = marrow.reduce(TRY, two_skips_in_a_try, name="a.py", jobs=jobs, objective="bytes")
    assert fewest.text == b"try:# isort:skip\n a# isort:skip\nexcept:a\n"
    again = marrow.reduce(result.text, two_skips_in_a_try, name="a.py", jobs=jobs)
    assert again.text == result.text


@pytest.mark.parametrize(
    ("name", "text", "keeps", "left"),
    [
        (
            "a.c",
            "int a; /* one */\nint f(void) { /* two */ return 1; /* keep */ }\n",
            "keep",
            "/*keep*/",
        ),
        ("a.js", "// eslint-disable a, b\nf(/* x */ 1 /* y */);\n", "disable a", "// disable a"),
        (
            "a.sql",
            "-- +goose Up\nSELECT 1;\n-- no\n-- +goose Down\n",
            r"-- \+goose D",
            "-- +goose Down",
        ),
        ("a.rs", "/// One.\nfn f() { /* two */ }\n/// keep this\nfn g() {}\n", "keep", "/// keep"),
        ("a.py", "# noqa: E501, W503 (long)\nx = 1\n", "noqa: E501", "# noqa: E501"),
    ],
)
def test_words_of_comments(name: str, text: str, keeps: str, left: str) -> None:
    needed = re.compile(keeps)
    result = marrow.reduce(
        text, lambda some: needed.search(some.decode()) is not None and b"\n" in some, name=name
    )
    assert len(result.text.strip()) <= len(left) + 2, result.text


def test_a_comment_leaves_the_node_that_contains_it() -> None:
    text = "def f(a):\n    if a:\n        while a:  # keep\n            a = 2\n    return needle\n"

    def test(some: bytes) -> bool:
        try:
            tree = ast.parse(some)
        except (SyntaxError, ValueError):
            return False
        function = any(isinstance(one, ast.FunctionDef) for one in ast.walk(tree))
        return function and b"# keep" in some and b"needle" in some

    result = marrow.reduce(text, test, name="a.py")
    assert b"while" not in result.text
    assert b"if" not in result.text


@pytest.mark.parametrize("name", ["a.c", "a.py", "a.js", "a.html", "a.json", "a.tex", "a.txt"])
def test_comments_in_odd_places(name: str) -> None:
    for text in (
        "a /* x */ . /* y */ b",
        "/* x",
        "# x",
        "// x",
        "<!-- x",
        '"/* x */',
        "(# x\n)",
        "%x",
    ):
        result = marrow.reduce(text, lambda some: b"x" in some, name=name)
        assert b"x" in result.text
        assert len(result.text) <= len(text)
