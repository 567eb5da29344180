"""Grammars in the JSON form of the fuzzing community."""

from __future__ import annotations

import pytest

from marrow.grammar.model.rules import (
    EPSILON,
    Choice,
    Grammar,
    GrammarError,
    Literal,
    Reference,
    Sequence,
)
from marrow.grammar.notations import read_grammar_text


def fuzzing(text: str, start: str | None = None) -> Grammar:
    return read_grammar_text(text, "json", "g.json", start)


def test_lists_of_strings_and_strings_with_names_inside() -> None:
    grammar = fuzzing(
        '{"<expr>": [["<int>", "+", "<expr>"], "<int>*<expr>", ["<int>"], [], ""],'
        ' "<start>": [["<expr>"]], "<int>": ["1", "2"]}'
    )
    number, expr = Reference("int"), Reference("expr")
    assert grammar.start == "start"
    assert grammar.scannerless
    assert grammar.rules["expr"].body == Choice((
        Sequence((number, Literal("+"), expr)), Sequence((number, Literal("*"), expr)),
        number, EPSILON, EPSILON,
    ))  # fmt: skip
    assert grammar.rules["int"].body == Choice((Literal("1"), Literal("2")))
    position = grammar.rules["start"].position
    assert (position.source, position.line, position.column) == ("g.json", 1, 75)


def test_names_that_are_not_defined_are_text() -> None:
    grammar = fuzzing('{"<a>": ["x<b>y", ["<c>"]]}')
    assert grammar.rules["a"].body == Choice((Literal("x<b>y"), Literal("<c>")))
    assert ["<b>" in note.message or "<c>" in note.message for note in grammar.notes] == [True] * 2


def test_annotations_and_the_object_around() -> None:
    grammar = fuzzing(
        '{"[start]": "<b>", "[cost]": {"x": [1, 2]}, "[grammar]": '
        '{"<a>": [["<b>x", {"prob": 0.5}]], "<b>": ["\\u00e9\\ud83d\\ude00"]}}'
    )
    assert grammar.start == "b"
    assert grammar.rules["a"].body == Sequence((Reference("b"), Literal("x")))
    assert grammar.rules["b"].body == Literal("é😀")


def test_the_start_rule() -> None:
    assert fuzzing('{"<a>": ["x"], "<b>": ["y"]}').start == "a"
    assert fuzzing('{"<a>": ["x"], "<b>": ["y"]}', "b").start == "b"
    assert fuzzing('{"<a>": ["x"], "<b>": ["y"]}', "<b>").start == "b"
    assert fuzzing('{"a": ["x"], "<a>": [["a"]]}', "<a>").start == "<a>"


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "this is not JSON"),
        ("[]", 1, 1, "expected an object"),
        ("{}", 1, 1, "no names"),
        ('{"<a>": []}', 1, 2, "no alternatives"),
        ('{"<a>": {}}', 1, 2, "expected a list of the alternatives"),
        ('{"<a>": ["x"}', 1, 13, "this is not JSON"),
        ('{"<a>": [1]}', 1, 2, "a string or a list of strings"),
        ('{"<a>": ["x"],\n"<a>": ["y"]}', 2, 1, "already defined in line 1"),
        ('{"<a>": ["\\q"]}', 1, 11, "this is not JSON"),
        ('{"<a>": ["x"]} x', 1, 16, "this is not JSON"),
        ('{"EOF": ["x"]}', 1, 2, "end of the input"),
        ("[" * 100_000, 1, 1, "nests too deep"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(GrammarError) as caught:
        fuzzing(text)
    assert what in str(caught.value)
    assert (caught.value.position.line, caught.value.position.column) == (line, column)
