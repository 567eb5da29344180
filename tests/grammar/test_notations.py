"""A notation is a reader and a row: everything else takes it from the table."""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name

import pytest

from marrow.grammar import notations
from marrow.grammar.language import Language
from marrow.grammar.model.rules import Grammar, Literal, Rule
from marrow.grammar.notations import NOTATIONS, Notation, notation_of, read_file
from marrow.grammar.readers.scan import Loader
from tests.cli.running import marrow as run


def read_words(text: str, name: str, start: str | None, _: Loader) -> Grammar:
    """Read a grammar of one word."""
    return Grammar(name, start or "word", {"word": Rule("word", Literal(text.split()[1]))})


WORDS = Notation(
    name="words",
    title="Words",
    suffixes=(".word",),
    help="grammars of one word",
    reader=f"{__name__}:read_words",
)


def test_a_new_notation_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notations, "NOTATIONS", (*NOTATIONS, WORDS))
    file = tmp_path / "hello.word"
    file.write_text("word hello")
    assert Language.from_file(file).parse(b"hello").text == b"hello"
    assert read_file(file).grammar.start == "word"
    assert notation_of(file) == "words"
    ended = run("grammar", file)
    assert (ended.code, ended.out) == (0, '<word> ::= "hello"\n')
    shown = run("help", "notations").out
    assert ".word" in shown
    assert "grammars of one word" in shown


@pytest.mark.parametrize("notation", NOTATIONS, ids=lambda notation: notation.name)
def test_rows_lead_to_functions(notation: Notation) -> None:
    assert callable(resolve_name(notation.reader))
