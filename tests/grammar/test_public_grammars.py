"""What public grammars do that textbooks do not: snippets of them, and the general case behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.grammar.language import Language
from marrow.grammar.notations import read_grammar_text, write_grammar


def language(text: str, notation: str = "g4", start: str | None = None) -> Language:
    return Language(read_grammar_text(text, notation, "test", start), cache=None)


def symbols(one: Language, text: bytes) -> list[str]:
    return [token.symbol for token in one.parser.tokens(text)]


# -- start rules of grammars in two files


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    (tmp_path / "L.g4").write_text("lexer grammar L; A:'a'; B:'b';")
    parser = tmp_path / "P.g4"
    parser.write_text(
        "parser grammar P; options{tokenVocab=L;} item: A; file: B item* EOF; other: B EOF;"
    )
    return parser


@pytest.mark.parametrize("start", [None, "file", "item", "other"])
def test_a_grammar_in_two_files_keeps_its_start_rule_in_one(
    two_files: Path, start: str | None
) -> None:
    whole = Language.from_file(two_files, start)
    alone = whole.self_contained
    assert alone.start == whole.start == alone.grammar.start
    for text in (b"baa", b"b", b"a", b"ab"):
        assert alone.matches(text) is whole.matches(text)


# -- case


def test_a_literal_takes_the_case_of_the_token_it_names() -> None:
    text = """grammar I; options { caseInsensitive=true; } s: 'let' ID EOF;
        LET options { caseInsensitive=false; } : 'let';
        ID : [a-z]+; WS: ' ' -> skip;"""
    one = language(text)
    again = language(write_grammar(one.grammar, "g4").text)
    for each in (one, again):
        assert symbols(each, b"let x") == ["LET", "ID"]
        assert symbols(each, b"LET x") == ["ID", "ID"]
        assert each.matches(b"let LET")
        assert not each.matches(b"LET x")


def test_a_literal_of_any_case_is_not_written_as_a_second_token() -> None:
    text = """grammar I; s: LET 'b' EOF;
        LET options { caseInsensitive=true; } : 'let'; B: 'b'; s2: 'let'; WS: ' ' -> skip;"""
    one = language(text)
    again = language(write_grammar(one.grammar, "g4").text)
    assert again.matches(b"lEt b")
    assert not again.matches(b"let B")


# -- literals and predicates


def test_a_literal_is_the_token_without_a_predicate() -> None:
    one = language(
        "grammar T; s: '{' '}' EOF; Open: '{';TClose: {p()}? '}' -> popMode; Close: '}' {a();};"
    )
    assert symbols(one, b"{}") == ["Open", "Close"]
    assert one.matches(b"{}")


# -- the end of the input


@pytest.mark.parametrize(
    "text",
    [
        "grammar E; file: line+; line: A (NL | EOF); A: 'a'+; NL: '\\n';",
        "grammar E; file: (x end)*; x: 'x' '=' e; end: ';' | EOF;"
        " e: A | '{' (x end)+ '}'; A: 'a'+;",
        "grammar E; s: a b | EOF; a: A | EOF A? ; b: A* EOF; A: 'a';",
    ],
)
def test_a_generated_text_ends_where_the_input_ends(text: str) -> None:
    one = language(text)
    drawn = [one.generator().tree(seed, size=30) for seed in range(60)]
    assert all(one.matches(tree.text) for tree in drawn)
    assert max(tree.token_count for tree in drawn) > 1


def test_the_start_rule_may_end_with_a_rule_that_ends_the_input() -> None:
    assert language("grammar E; line: A (NL | EOF); file: line+; A: 'a'; NL: 'n';").start == "file"
