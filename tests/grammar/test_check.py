"""What is said about grammars that have something wrong in them."""

from __future__ import annotations

import pytest

from marrow.grammar.check import check
from marrow.grammar.model.rules import Note
from marrow.grammar.notations import read_grammar_text


def found(text: str, format: str = "g4") -> list[Note]:
    return check(read_grammar_text(text, format, "G"))


def messages(rules: str) -> list[str]:
    return [note.message for note in found(f"grammar G;\n{rules}")]


@pytest.mark.parametrize(
    ("rules", "line", "column", "what", "error"),
    [
        ("a : b ;", 2, 5, "'b', which rule 'a' uses, is not defined", True),
        ("a : T ; T : U ;", 2, 13, "'U', which the token 'T' uses, is not defined", True),
        ("a : T ; T : a ;", 2, 13, "uses 'a', which is a parser rule", True),
        ("a : T ; T : 't' -> mode(M) ;", 2, 9, "no mode M", True),
        ("a : a 'x' ;", 2, 1, "derives no text", True),
        ("a : 'x' ;\nb : 'y' ;", 3, 1, "cannot be reached from 'a'", False),
        ("a : 'x' | b ;\nb : b 'y' ;", 3, 1, "derives no text", False),
        ("a : ID IF ;\nID : [a-z]+ ;\nIF : 'if' ;", 4, 1, "IF never matches: ID takes", False),
        ("a : S T ;\nS : 's' ;\nT : 's' ;", 4, 1, "T never matches: S takes its text", False),
        ("a : 'x' T ;\nT : 'x' | 'x' ;", 3, 1, "T never matches: 'x' takes its text", False),
        ("a : T ;\nT : 't'* ;", 3, 1, "T matches the empty text", False),
        ("tokens { T }\na : T ;", 2, 10, "no text makes the token T", False),
        ("a : F ;\nfragment F : 'f' ;", 2, 5, "F is a fragment: the parser never sees it", False),
        ("a : W ;\nW : ' ' -> skip ;", 2, 5, "W is hidden: the parser never sees it", False),
    ],
)
def test_findings(rules: str, line: int, column: int, what: str, error: bool) -> None:
    matching = [note for note in found(f"grammar G;\n{rules}") if what in note.message]
    assert len(matching) == 1
    note = matching[0]
    assert (note.position.line, note.position.column) == (line, column)
    assert note.error is error
    assert note.advice


@pytest.mark.parametrize(
    "rules",
    [
        "a : 'x' b? EOF ; b : ID (',' ID)* ; IF : 'if' ; ID : [a-z]+ ; W : ' ' -> skip ;"
        " c : IF a ;",
        "a : IF ID ; IF : 'if' ; ID : [a-z]+ | {p()}? [A-Z]+ ;",
        "a : OPEN T ; OPEN : '<' -> mode(M) ; mode M ; T : '<' ; U : EOF -> popMode ;",
        "a : T ; T : 'a' -> more ; U : 'b' -> type(T) ;",
        "a : 'if' ; IF : 'if' ;",
    ],
)
def test_nothing_is_said_of_good_grammars(rules: str) -> None:
    said = [one for one in messages(rules) if "predicate" not in one]
    assert [one for one in said if "reached" not in one and "U" not in one] == []


def test_errors_come_first_and_nothing_is_said_twice() -> None:
    notes = found("grammar G;\na : a 'x' | 'x' | 'x' | c | c ;\nb : d ;")
    assert [note.error for note in notes] == sorted((note.error for note in notes), reverse=True)
    assert len(set(notes)) == len(notes)


def test_scannerless_grammars() -> None:
    assert found('<a> ::= "x" <b>\n<b> ::= [0-9]+', "bnf") == []
    assert found('<a> ::= <a> "x" | "y"', "bnf") == []
