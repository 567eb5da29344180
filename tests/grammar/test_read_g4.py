"""ANTLR v4 grammars: every construct that public grammars use, and what is said of broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.grammar.model.charset import ANY_CHARACTER, complement
from marrow.grammar.model.rules import (
    EPSILON,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.grammar.notations import read_file, read_grammar_text


def g4(text: str, start: str | None = None) -> Grammar:
    return read_grammar_text(f"grammar G; {text}", "g4", "G.g4", start)


def rule(text: str) -> Expression:
    """Return the body of the rule `a`."""
    return g4(f"a : {text} ; A : 'A' ; B : 'B' ;", "a").rules["a"].body


def token(text: str) -> Expression:
    """Return the body of the token `T`."""
    return g4(f"a : T ; T : {text} ; fragment F : 'f' ;").tokens["T"].body


def characters(*ranges: tuple[str, str]) -> Characters:
    return Characters(tuple((ord(first), ord(last)) for first, last in ranges))


A, B = Reference("A"), Reference("B")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("A", A),
        ("A 'x'", Sequence((A, Literal("x")))),
        ("A | B |", Choice((A, B, EPSILON))),
        ("", EPSILON),
        ("A* B+ A?", Sequence((
            Repeat(A, Quantifier.STAR), Repeat(B, Quantifier.PLUS), Repeat(A, Quantifier.OPTIONAL),
        ))),
        ("A*?", Repeat(A, Quantifier.STAR, greedy=False)),
        ("(A | B)+", Repeat(Choice((A, B)), Quantifier.PLUS)),
        ("((A) (B A))", Sequence((A, B, A))),
        ("left=A op+=B", Sequence((A, B))),
        ("x=(A | B)", Choice((A, B))),
        ("A[1, \"]\"] B", Sequence((A, B))),
        ("{doIt(\"}\");} A {/* } */}", A),
        ("{isIt()}? A", A),
        ("{isIt()}?<fail='no'> A", A),
        ("A # first | B # second", Choice((A, B))),
        ("<assoc=right> a A a | B", Choice((
            Sequence((Reference("a"), A, Reference("a")), right=True), B,
        ))),
        ("a A<assoc=right> a | B", Choice((
            Sequence((Reference("a"), A, Reference("a")), right=True), B,
        ))),
        ("(options {greedy=false;} : A)*", Repeat(A, Quantifier.STAR)),
        ("'\\'' '\\u0041\\u{1F600}\\n\\\\'", Sequence((Literal("'"), Literal("A😀\n\\")))),
        ("A EOF", Sequence((A, Reference("EOF")))),
        ("~A", B),
        ("~(A | 'B')", Characters(())),
        (".", Choice((A, B))),
        ("(A | ~B)", Choice((A, A))),
    ],
)  # fmt: skip
def test_parser_rules(text: str, body: Expression) -> None:
    assert rule(text) == body


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("[a-z_]", characters(("_", "_"), ("a", "z"))),
        ("[-a]", characters(("-", "-"), ("a", "a"))),
        ("[a-]", characters(("-", "-"), ("a", "a"))),
        (r"[\]\-\\]", characters(("-", "-"), ("\\", "]"))),
        (r"[\u0041-\u{43}\n]", characters(("\n", "\n"), ("A", "C"))),
        ("['\"]", characters(('"', '"'), ("'", "'"))),
        ("'a'..'f'", characters(("a", "f"))),
        ("~[\"\\\\]", Characters(complement(((34, 34), (92, 92))))),
        ("~('a' | 'b'..'d' | [xy])", Characters(complement(((97, 100), (120, 121))))),
        ("~'a'", Characters(complement(((97, 97),)))),
        (".", Characters(ANY_CHARACTER)),
        ("'/*' .*? '*/'", Sequence((
            Literal("/*"), Repeat(Characters(ANY_CHARACTER), Quantifier.STAR, greedy=False),
            Literal("*/"),
        ))),
        ("F F", Sequence((Reference("F"), Reference("F")))),
        (r"'\uD83D\uDE00'", Literal("😀")),
        (r"'\uD83D'", Characters(((0xD83D, 0xD83D),))),
        (r"[\uD83D\uDE00-\uD83D\uDE02]", Characters(((0x1F600, 0x1F602),))),
    ],
)  # fmt: skip
def test_lexer_rules(text: str, body: Expression) -> None:
    assert token(text) == body


def test_any_token_but_some_is_one_rule_if_there_are_many() -> None:
    tokens = " ".join(f"T{number} : 't{number}' ;" for number in range(20))
    grammar = g4(f"a : ~T1 (~T1 | ~('t1' | ';') | .)* ; {tokens}")
    made = [rule.name for rule in grammar.rules.values() if rule.auxiliary]
    assert made == ["not_T1", "not_t1_or_sign", "any_token"]
    body = grammar.rules["not_T1"].body
    assert isinstance(body, Choice)
    assert Reference("T1") not in body.alternatives
    assert Literal(";") in body.alternatives
    assert len(body.alternatives) == 20
    assert grammar.start == "a"


def test_unicode_properties() -> None:
    upper = token(r"[\p{Lu}]")
    assert isinstance(upper, Characters)
    assert (ord("A"), ord("Z")) in upper.ranges
    assert token(r"[\p{Uppercase_Letter}]") == upper == token(r"[\p{gc=Lu}]")
    assert token(r"[\P{Lu}]") == Characters(complement(upper.ranges))
    assert token(r"[\p{White_Space}]") == token(r"[\p{WhiteSpace}]")
    greek = g4(r"a : T ; T : [\p{Script=Greek}] ;")
    assert greek.tokens["T"].body == token(r"[\p{Greek}]")
    assert token(r"[\p{InBasicLatin}]") == Characters(((0, 127),))
    unknown = g4(r"a : T ; T : [\p{Klingon}x] ;")
    assert unknown.tokens["T"].body == characters(("x", "x"))
    assert any("'Klingon' is not known" in note.message for note in unknown.notes)


def test_case_is_ignored_by_grammar_or_by_rule() -> None:
    grammar = g4("options { caseInsensitive = true; } a : 'if' T ; T : [a-c] ~'x' ;")
    assert grammar.rules["a"].body == Sequence((Literal("if", True), Reference("T")))
    body = grammar.tokens["T"].body
    assert body == Sequence((
        characters(("A", "C"), ("a", "c")), Characters(complement(((88, 88), (120, 120)))),
    ))  # fmt: skip
    own = g4("a : S T ; S options { caseInsensitive = true; } : 's' ; T : 't' ;")
    assert own.tokens["S"].body == Literal("s", True)
    assert own.tokens["T"].body == Literal("t")


def test_lexer_commands_and_modes() -> None:
    grammar = g4("""
        channels { COMMENTS }
        a : OPEN TEXT CLOSE ;
        WS : [ \\t]+ -> skip ;
        C : '#' -> channel(COMMENTS) ;
        D : '!' -> channel(DEFAULT_TOKEN_CHANNEL) ;
        OPEN : '<' -> pushMode(INSIDE) ;
        mode INSIDE ;
        TEXT : ~'>'+ ;
        CLOSE : '>' -> popMode, type(END) ;
        PART : '&' -> more, mode(DEFAULT_MODE) ;
    """)
    tokens = grammar.tokens
    assert tokens["WS"].commands == (Command(Action.SKIP),)
    assert tokens["WS"].hidden
    assert tokens["C"].hidden
    assert tokens["D"].commands == ()
    assert not tokens["OPEN"].hidden
    assert tokens["OPEN"].commands == (Command(Action.PUSH_MODE, "INSIDE"),)
    assert tokens["TEXT"].mode == "INSIDE"
    assert tokens["CLOSE"].commands == (Command(Action.POP_MODE), Command(Action.TYPE, "END"))
    assert tokens["END"].body == Characters(())
    assert tokens["PART"].commands == (
        Command(Action.MORE), Command(Action.MODE, "DEFAULT_MODE"),
    )  # fmt: skip


def test_alternatives_with_commands_of_their_own() -> None:
    with pytest.raises(GrammarError, match="1:22: the alternatives of T have different commands"):
        g4("a : T U ; T : 'a' -> skip | 'b' | 'c' ; U : T 'x' ;")
    same = g4("a : T ; T : 'a' -> type(U) | 'b' -> type(U) ;").tokens["T"]
    assert same.body == Choice((Literal("a"), Literal("b")))
    assert same.commands == (Command(Action.TYPE, "U"),)


def test_predicates_guard_a_token_if_all_its_alternatives_have_one() -> None:
    grammar = g4("a : S T U ; S : {p()}? 's' ; T : 't' | {p()}? 'u' ; U : 'u' {q()}? ;")
    assert grammar.tokens["S"].guarded
    assert not grammar.tokens["T"].guarded
    assert grammar.tokens["U"].guarded
    assert any("predicate in S" in note.message for note in grammar.notes)


def test_what_stands_around_rules_is_passed_over() -> None:
    grammar = read_grammar_text(
        """
        /** A comment. */
        grammar G;
        options { superClass = a.b.C; language=Java; }
        tokens { IMAGINARY, OTHER }
        @header { import x; }
        @parser::members { int f() { return '}'; } /* don't } */ // nor }
        }
        a[int x, String[] y] returns [int z] locals [int w] throws E, F
        options { k = 1; }
        @init { x = "{"; } @after { y = 2; }
            : b["]"] T IMAGINARY ;
            catch [E e] { throw e; } finally { done(); }
        b : 'x' ; ;
        fragment F : 'f' ;
        T : F ;
        """,
        "g4",
        "G.g4",
    )
    assert list(grammar.rules) == ["a", "b"]
    assert grammar.rules["a"].body == Sequence(
        (Reference("b"), Reference("T"), Reference("IMAGINARY"))
    )
    assert grammar.tokens["F"].fragment
    assert grammar.tokens["IMAGINARY"].body == Characters(())


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("a : b ; b : 'x' ;", "a"),
        ("a : 'x' ; b : a EOF ;", "b"),
        ("part : a EOF ; a : 'x' | b ; b : 'y' ; all : a c EOF ; c : 'z' ;", "all"),
        ("a : 'x' a ;", "a"),
        ("a : b ; b : a | 'x' ;", "a"),
    ],
)
def test_the_start_rule(text: str, start: str) -> None:
    assert g4(text).start == start


def test_split_grammars_and_imports(tmp_path: Path) -> None:
    (tmp_path / "XParser.g4").write_text(
        "parser grammar XParser; import Common; options { tokenVocab = XLexer; }"
        "a : b ID ~ID 'if' ; c : 'own' ;"
    )
    (tmp_path / "Common.g4").write_text("parser grammar Common; b : ID ; c : ID ;")
    (tmp_path / "XLexer.g4").write_text(
        "lexer grammar XLexer; import Letters; options { caseInsensitive = true; }"
        "IF : 'if' ; ID : LETTER+ ; WS : ' ' -> skip ;"
    )
    (tmp_path / "Letters.g4").write_text("lexer grammar Letters; fragment LETTER : [a-z] ;")
    grammar = read_file(tmp_path / "XParser.g4").grammar
    assert list(grammar.rules) == ["a", "c", "b"]
    assert grammar.rules["c"].body == Literal("own")
    assert list(grammar.tokens) == ["IF", "ID", "WS", "LETTER"]
    assert grammar.rules["a"].body == Sequence(
        (
            Reference("b"),
            Reference("ID"),
            Choice((Reference("IF"), Literal("own"))),
            Literal("if", True),
        )
    )
    (tmp_path / "YParser.g4").write_text("parser grammar YParser; a : ID ;")
    (tmp_path / "YLexer.g4").write_text("lexer grammar YLexer; ID : 'i' ;")
    assert "ID" in read_file(tmp_path / "YParser.g4").grammar.tokens


def test_files_that_are_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "G.g4").write_bytes("grammar G; // é\na : 'é' ;".encode("latin-1"))
    grammar = read_file(tmp_path / "G.g4").grammar
    assert grammar.rules["a"].body == Literal("é")
    assert "Latin-1" in grammar.notes[0].message


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "expected '@', 'grammar'"),
        ("a : b ;", 1, 1, "expected '@', 'grammar'"),
        ("grammar G\na : b ;", 2, 1, "expected ';'"),
        ("grammar G;", 1, 11, "no rules"),
        ("grammar G;\na : (b ;", 2, 5, "never closed"),
        ("grammar G;\na : b) ;", 2, 6, "closes nothing"),
        ("grammar G;\na : b\nc : d ;", 3, 3, "Is a ';' missing"),
        ("grammar G;\na : b", 2, 6, "expected ';'"),
        ("grammar G;\na : 'b\n;", 2, 5, "never closed"),
        ('grammar G;\na : "b" ;', 2, 5, "single quotes"),
        ("grammar G;\na : * ;", 2, 5, "found '*'"),
        ("grammar G;\nA : [a ;", 2, 5, "never closed"),
        ("grammar G;\nA : [z-a] ; b : A ;", 2, 8, "runs backwards"),
        ("grammar G;\nA : [\\p] ; b : A ;", 2, 6, "name of a property"),
        ("grammar G;\nA : '\\u00' ; b : A ;", 2, 6, "hexadecimal"),
        ("grammar G;\nA : ~('ab') ; b : A ;", 2, 5, "single characters"),
        ("grammar G;\nA : ~B ; B : 'b' ; b : A ;", 2, 5, "cannot exclude the rule B"),
        ("grammar G;\na : 'x' -> skip ;", 2, 9, "found '->'"),
        ("grammar G;\nA : 'x' -> mode ; b : A ;", 2, 12, "needs an argument"),
        ("grammar G;\na : b ;\na : c ;", 3, 1, "already defined in line 2"),
        ("grammar G;\na : {x ;", 2, 5, "never closed"),
        ("grammar G;\nimport X;\na : b ;", 2, 8, "cannot find X.g4"),
        ("parser grammar G;\noptions { tokenVocab = L; } a : b ;", 2, 1, "cannot find L.g4"),
        ("lexer grammar GLexer; A : 'a' ;", 1, 1, "GParser.g4"),
        ("lexer grammar G; a : 'a' ;", 1, 18, "parser rule, in a lexer grammar"),
        ("grammar G; A : 'a' ;", 1, 1, "no parser rules"),
        ("grammar G;\n/* a : b ;", 2, 1, "comment is never closed"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(GrammarError) as caught:
        read_grammar_text(text, "g4", "G.g4")
    assert what in str(caught.value)
    position = caught.value.position
    assert (position.source, position.line, position.column) == ("G.g4", line, column)


def test_a_start_rule_that_is_not_there() -> None:
    with pytest.raises(GrammarError, match=r"'b' is not defined. Name one with start.*: a"):
        g4("a : 'x' ;", "b")


def test_modes_that_are_not_there_are_reported() -> None:
    grammar = g4("a : T ; T : 't' -> mode(NOWHERE) ;")
    assert [note.error for note in grammar.notes] == [True]
