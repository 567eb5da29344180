"""Predicates: what is assumed, and what messages say."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from marrow.base.errors import UsageError
from marrow.cli.commands.tree import tree_command
from marrow.grammar.check import check
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
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
    e: {a()}? 'x' | {!b()}? 'y' | {!(q->a(1, "||"))}? 'z' | {this.c()}? 'xx';
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
        ({"c": False}, b"x", b"xx"),
    ):
        one = Language.from_file(file, assume=assume).self_contained
        assert one.matches(right), assume
        assert not one.matches(wrong), assume


def test_what_is_no_call_is_taken_to_be_true(tmp_path: Path) -> None:
    file = tmp_path / "J.g4"
    file.write_text("grammar J; s: ({p() && q()}? 'a' | {false}? 'b' | {!(false)}? 'c')+ EOF;")
    one = Language.from_file(file, assume={"p": False})
    for text, right in ((b"a", 1), (b"b", 0), (b"c", 1), (b"ac", 1)):
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
