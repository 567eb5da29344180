"""What public grammars do that textbooks do not: snippets of them, and the general case behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import marrow
from marrow.abstraction.pattern import compact
from marrow.base.errors import InputError
from marrow.cli.commands.tree import tree_command
from marrow.grammar.language import GrammarSource, Language
from tests.grammar.snippets import language, symbols

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


@pytest.mark.parametrize("start", [None, "file"])
def test_a_grammar_in_two_files_is_used_from_python(two_files: Path, start: str | None) -> None:
    def test(text: bytes) -> bool:
        return b"ba" in text

    pattern = marrow.abstract(b"baaa", test, grammar=two_files, start=start, seed=1)
    assert isinstance(pattern.language, Language)
    assert (compact(pattern), pattern.language.start) == ("ba", "file")
    assert marrow.reduce(b"baaa", test, grammar=two_files, start=start).text == b"ba"


# -- case


def test_a_literal_takes_the_case_of_the_token_it_names() -> None:
    text = """grammar I; options { caseInsensitive=true; } s: 'let' ID EOF;
        LET options { caseInsensitive=false; } : 'let';
        ID : [a-z]+; WS: ' ' -> skip;"""
    one = language(text)
    again = Language(GrammarSource.of(one.grammar))
    for each in (one, again):
        assert symbols(each, b"let x") == ["LET", "ID"]
        assert symbols(each, b"LET x") == ["ID", "ID"]
        assert each.matches(b"let LET")
        assert not each.matches(b"LET x")


def test_a_literal_of_any_case_is_not_written_as_a_second_token() -> None:
    text = """grammar I; s: LET 'b' EOF;
        LET options { caseInsensitive=true; } : 'let'; B: 'b'; s2: 'let'; WS: ' ' -> skip;"""
    one = language(text)
    again = Language(GrammarSource.of(one.grammar))
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


# -- words of the notations


def test_a_lexer_command_with_a_capital() -> None:
    one = language("grammar C; s: A+ EOF; A: 'a'; W: ' ' -> Channel(HIDDEN);")
    assert one.matches(b"a a")


def test_an_imported_grammar_may_be_without_rules(tmp_path: Path) -> None:
    (tmp_path / "Empty.g4").write_text("grammar Empty; @members { int x; }")
    (tmp_path / "M.g4").write_text("grammar M; import Empty; s: 'a' EOF;")
    assert Language.from_file(tmp_path / "M.g4").matches(b"a")


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("Alphabetic=Yes", "a", "1"),
        ("Alphabetic=No", "1", "a"),
        ("^Lu", "a", "A"),
        ("XID_Start", "a", "1"),
        ("General_Category=Lu", "A", "a"),
        ("Script=Greek", "\u03b1", "a"),
    ],
)
def test_properties_with_values(name: str, inside: str, outside: str) -> None:
    one = language(f"grammar U; s: A EOF; A: [\\p{{{name}}}]; B: .;")
    assert one.matches(inside.encode())
    assert not one.matches(outside.encode())


# -- Lark


def test_an_imported_name_that_is_overridden_is_seen_by_what_came_with_it(tmp_path: Path) -> None:
    (tmp_path / "m.lark").write_text('list: item+\nitem: WORD | "(" list ")"\nWORD: /[a-z]/\n')
    main = tmp_path / "g.lark"
    for change, right, wrong in (
        ('%override item: "1" WORD', b"1a1b", b"a"),
        ('%extend item: "2"', b"a2(a2)", b"3"),
        ("%extend WORD: /[A-Z]/", b"aB(C)", b"3"),
    ):
        main.write_text(f"%import .m (list, item, WORD)\nstart: list\n{change}\n")
        one = Language.from_file(main)
        assert one.matches(right)
        assert not one.matches(wrong)


def test_a_template_may_be_an_argument_of_a_template() -> None:
    one = language(
        'start: twice{many, "a"} twice{pair, "b"}\ntwice{t, x}: t{x} "-" t{x}\n'
        "many{x}: x+\npair{x}: x x\n",
        "lark",
    )
    assert one.matches(b"aa-abb-bb")
    assert not one.matches(b"a-ab-bb")


def test_an_unknown_escape_keeps_its_backslash_in_lark() -> None:
    one = language('start: "\\ " "\\d" "\\n" "\\\\" "\\""\n', "lark")
    assert one.matches(b'\\ \\d\n\\"')


def test_tree_says_where_a_text_does_not_match(tmp_path: Path) -> None:
    (tmp_path / "s.g4").write_text("grammar s; s: 'a' 'b' EOF; W: [ \\n] -> skip;")
    (tmp_path / "x").write_text("a\n c")
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "s.g4")]
    )
    assert isinstance(done.exception, InputError)
    assert "line 2, column 2" in str(done.exception)
    (tmp_path / "x").write_text("a\n b")
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "s.g4")]
    )
    assert done.exit_code == 0
