"""Predicates: what is assumed, and what messages say."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import marrow
from marrow.base.errors import UsageError
from marrow.cli.commands.tree import tree_command
from marrow.grammar.check import check
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.notations import write_grammar
from marrow.grammar.readers.predicates import parse_assumptions
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from tests.grammar.snippets import language, symbols


def test_a_keyword_with_a_predicate_wins_over_the_names_behind_it() -> None:
    one = language(
        "grammar K; s: (LET | ID | NUM)+ EOF; LET: 'let' {p()}?; NUM: {q()}? [0-9a]+;"
        " ID: [a-z]+; WS: ' ' -> skip;"
    )
    assert symbols(one, b"let lets a") == ["LET", "ID", "ID"]  # NUM loses the tie


def test_a_message_names_the_predicates(tmp_path: Path) -> None:
    (tmp_path / "p.g4").write_text("grammar p; s: A B EOF; A: 'a' {p()}?; B: {q()}? 'b'+;")
    (tmp_path / "x").write_text("aa")
    front = GrammarFrontEnd(Language.from_file(tmp_path / "p.g4"))
    error = front.error(b"aa")
    assert error is not None
    assert "{q()}? in B, {p()}? in A" in front.blame(error)
    done = CliRunner().invoke(
        tree_command, [str(tmp_path / "x"), "--grammar", str(tmp_path / "p.g4")]
    )
    assert "perhaps because of predicates" in str(done.exception)
    assert GrammarFrontEnd(language("grammar N; s: 'a' EOF;")).blame(error) == ""


ASSUMED = """grammar J; s: (StrictLet | NonStrictLet | ID | e)+ EOF;
    e: {a()}? 'x' | {!b() && this.c()}? 'y' | {q.a() == false || c()}? 'z';
    StrictLet: 'let' {this.IsStrictMode()}?; NonStrictLet: 'let' {!this.IsStrictMode()}?;
    ID: [a-w]+; WS: ' ' -> skip;"""


def test_predicates_are_assumed(tmp_path: Path) -> None:
    file = tmp_path / "J.g4"
    file.write_text(ASSUMED)
    plain = Language.from_file(file)
    assert plain.matches(b"let x y z")
    sloppy = Language.from_file(file, assume={"IsStrictMode": False}).self_contained
    assert symbols(sloppy, b"let") == ["NonStrictLet"]
    strict = Language.from_file(file, assume={"IsStrictMode": True}).self_contained
    assert symbols(strict, b"let") == ["StrictLet"]
    for assume, right, wrong in (
        ({"a": False}, b"y z", b"x"),
        ({"a": True, "c": False}, b"x", b"z"),
        ({"b": True}, b"x z", b"y"),
        ({"c": False}, b"x", b"y"),
    ):
        one = Language.from_file(file, assume=assume).self_contained
        assert one.matches(right), assume
        assert not one.matches(wrong), assume


SCRIPT_LEXER = """lexer grammar ScriptLexer;
    Regex: '/' ~[/\\n ]+ {this.regexAllowed()}? '/';
    Return: 'return'; Name: [a-z]+; Number: [0-9]+;
    Quote: '`' -> pushMode(TEXT);
    Sign: [-+=;:,()/]; Space: [ \\t\\n]+ -> channel(HIDDEN);
    mode TEXT;
    QuoteEnd: '`' -> type(Quote), popMode; Text: ~[`]+;
    """

SCRIPT_PARSER = """parser grammar ScriptParser; options { tokenVocab=ScriptLexer; }
    file: (Regex | Return | Name | Number | Quote | Sign | Text)* EOF;"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    (tmp_path / "ScriptLexer.g4").write_text(SCRIPT_LEXER)
    (tmp_path / "ScriptParser.g4").write_text(SCRIPT_PARSER)
    return tmp_path / "ScriptParser.g4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"/a/", "Regex"),
        (b"a /b/ c", "Name Sign Name Sign Name"),
        (b"1/b/2", "Number Sign Name Sign Number"),
        (b"return /b/", "Return Regex"),
        (b"return\n  /b/", "Return Regex"),
        (b"= /b/ /c/", "Sign Regex Regex"),
        (b"`a` /b/ c", "Quote Text Quote Sign Name Sign Name"),
    ],
)
def test_lexer_rules_that_match_after_some_tokens(script: Path, text: bytes, expected: str) -> None:
    one = Language.from_file(script, assume=parse_assumptions(("regexAllowed=!Name,Number,Quote",)))
    for each in (one, one.self_contained):
        assert " ".join(symbols(each, text)) == expected
        assert each.parse(text).text == text


def test_generated_texts_of_such_lexers_parse(script: Path) -> None:
    assume = parse_assumptions(("regexAllowed=!Name,Number,Quote",))
    one = Language.from_file(script, assume=assume).self_contained
    drawn = [one.generator().tree(seed, size=30).text for seed in range(20)]
    assert all(one.matches(text) for text in drawn)


def test_a_predicate_holds_after_tokens_that_are_named(script: Path) -> None:
    def read(text: bytes, assumed: str) -> str:
        one = Language.from_file(script, assume=parse_assumptions((assumed,)))
        return " ".join(symbols(one.self_contained, text))

    assert read(b"a /b/", "regexAllowed=Name,Sign") == "Name Regex"
    assert read(b"1 /b/", "regexAllowed=Name,Sign") == "Number Sign Name Sign"
    assert read(b"1 /b/", "regexAllowed = !Name, Sign") == "Number Regex"
    assert read(b"/b/", "regexAllowed=!Name") == "Regex"
    assert read(b"= /b/", "regexAllowed=false") == "Sign Sign Name Sign"


STATEMENTS = """grammar S;
    file: statement* EOF;
    statement: 'return' ({this.noLineTerminator()}? expression)? eos
        | {this.expressionAhead()}? expression eos | block | 'function' Name block;
    block: '{' statement* '}';
    expression: expression {this.noLineTerminator()}? '++' | '++' expression
        | expression '-' expression | '{' '}' | Name | 'function' block;
    eos: ';' | EOF | {this.lineTerminatorAhead()}? | {this.closeBrace()}?;
    OpenBrace: '{'; CloseBrace: '}'; Function_: 'function';
    Name: [a-z]+; Space: [ \\n]+ -> channel(HIDDEN);"""

ASSUMPTIONS = (
    "noLineTerminator=!LINE_BREAK",
    "lineTerminatorAhead=LINE_BREAK",
    "expressionAhead=!OpenBrace,Function_",
    "closeBrace=CloseBrace",
)


@pytest.fixture
def statements(tmp_path: Path) -> Language:
    file = tmp_path / "S.g4"
    file.write_text(STATEMENTS)
    return Language.from_file(file, assume=parse_assumptions(ASSUMPTIONS))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"a\nb", 2),
        (b"a;b", 2),
        (b"a b", 0),
        (b"return a", 1),
        (b"return\na", 2),
        (b"a\n++\nb", 2),
        (b"a++\nb", 2),
        (b"a ++ b", 0),
        (b"{a}{b\nc}", 2),
        (b"function a {}", 1),
        (b"a - function {}", 1),
        (b"function {}", 0),
        (b"{}", 1),
    ],
)
def test_parser_rules_that_depend_on_the_next_token(
    statements: Language, text: bytes, count: int
) -> None:
    for each in (statements, language(write_grammar(statements.grammar, "g4").text)):
        assert each.matches(text) == bool(count)
        if count:
            tree = each.parse(text)
            assert tree.text == text
            top = next(node for _, node in tree.walk() if node.symbol == "statement_star")
            assert len(top.children) == count


def test_statements_by_line_breaks_are_drawn_and_reduced(
    statements: Language, tmp_path: Path
) -> None:
    drawn = [statements.generator().tree(seed, size=30).text for seed in range(30)]
    assert all(statements.matches(text) for text in drawn)
    seen: list[bytes] = []

    def test(text: bytes) -> bool:
        seen.append(text)
        return b"up" in text

    found = marrow.reduce(
        b"a\nreturn b\nup\n{c\n}",
        test,
        grammar=tmp_path / "S.g4",
        assume=ASSUMPTIONS,
        allow_empty=False,
    )
    assert found.text.strip() == b"up"
    assert all(statements.matches(text) for text in seen if text)


def test_the_predicate_that_did_not_hold_is_named_first(
    statements: Language, tmp_path: Path
) -> None:
    front = GrammarFrontEnd(statements)
    error = front.error(b"a b")
    assert error is not None
    assert "not run: {this.lineTerminatorAhead()}? in eos" in front.blame(error)
    some = parse_assumptions(ASSUMPTIONS[:-1])
    one = Language.from_file(tmp_path / "S.g4", assume=some)
    assert one.predicates[0] == "{this.closeBrace()}? in eos"  # nothing is known of it


def test_predicates_that_are_joined() -> None:
    one = language(
        "grammar J; s: ({nextToken(A) || !nextToken(C, D) && !(true) == false}? w | {!(true)}? X)+"
        " EOF; w: A | B | C | D; A: 'a'; B: 'b'; C: 'c'; D: 'd'; X: 'x';"
    )
    for text, right in ((b"a", 1), (b"b", 1), (b"ab", 1), (b"c", 0), (b"ad", 0), (b"x", 0)):
        assert one.matches(text) == bool(right), text


def test_wrong_assumptions_are_refused(tmp_path: Path) -> None:
    (tmp_path / "J.g4").write_text(ASSUMED)
    (tmp_path / "b.bnf").write_text('<s> ::= "x"')
    (tmp_path / "x").write_text("x")
    for given in (["--grammar", "J.g4", "--assume", "a"], ["--assume", "a=true"]):
        given = [str(tmp_path / one) if one == "J.g4" else one for one in given]
        done = CliRunner().invoke(tree_command, [str(tmp_path / "x"), *given])
        assert isinstance(done.exception, UsageError)
    with pytest.raises(GrammarError, match="has none"):
        Language.from_file(tmp_path / "b.bnf", assume={"a": True})


def test_a_guarded_keyword_is_not_said_to_be_hidden() -> None:
    one = language("grammar K; s: (LET | ANY)+ EOF; ANY: .; LET: {p()}? '}'; ID: [a-z]+;")
    assert symbols(one, b"}") == ["ANY"]
    two = language("grammar K; s: (LET | ANY)+ EOF; LET: {p()}? '}'; ANY: .; ID: [a-z]+;")
    assert symbols(two, b"}") == ["LET"]
    hidden = [
        any("LET never matches" in note.message for note in check(each.grammar))
        for each in (one, two)
    ]
    assert hidden == [True, False]
