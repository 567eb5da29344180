"""BNF and EBNF in the papers' notation and its variants."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.grammar.language import GrammarSource
from marrow.grammar.model.charset import complement
from marrow.grammar.model.rules import (
    EPSILON,
    Characters,
    Choice,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
)
from marrow.grammar.notations import notation_of, read_file, read_grammar_text
from tests.grammar.snippets import language

# The calculator of the DDSET paper, as it is printed there.
CALCULATOR = """
<start> ::= <expr>
<expr> ::= <int> | <var>
    | <prefix> <expr> | "(" <expr> ")" | <expr> <op> <expr>
<op> ::= "+" | "-" | "*" | "/"
<prefix> ::= "+" | "-"
<int> ::= <digit> <int> | <digit>
<var> ::= <chars> <char> | <chars>
<digit> ::= "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9"
<chars> ::= <char>
<char> ::= "a" | "b" | "c" | "d" | "e" | "f"
"""


def bnf(text: str, start: str | None = None) -> Grammar:
    return read_grammar_text(text, "bnf", "g.bnf", start)


def body(text: str) -> Expression:
    return bnf(f'<a> ::= {text}\n<b> ::= "b"').rules["a"].body


B = Reference("b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"x" <b>', Sequence((Literal("x"), B))),
        ("'x' | <b> |", Choice((Literal("x"), B, EPSILON))),
        ("ε", EPSILON),
        ('""', EPSILON),
        ("<b>* <b>+ <b>?", Sequence(tuple(Repeat(B, one) for one in Quantifier))),
        ("<b>^* <b>∗", Sequence((Repeat(B, Quantifier.STAR),) * 2)),
        ("<b>*?", Repeat(B, Quantifier.STAR, greedy=False)),
        ("{ <b> }", Repeat(B, Quantifier.STAR)),
        ("{ <b> }+ { <b> }-", Sequence((Repeat(B, Quantifier.PLUS),) * 2)),
        ('[ <b> "x" ]', Repeat(Sequence((B, Literal("x"))), Quantifier.OPTIONAL)),
        ('( <b> | "x" )+', Repeat(Choice((B, Literal("x"))), Quantifier.PLUS)),
        ("[a-z_]", Characters(((95, 95), (97, 122)))),
        ("[^\"'<]", Characters(complement(((34, 34), (39, 39), (60, 60))))),
        ("[#x41-#x43\\x20]", Characters(((32, 32), (65, 67)))),
        ("#x41", Characters(((65, 65),))),
        ('"a".."f"', Characters(((97, 102),))),
        ('"if"i', Literal("if", True)),
        (r'"\"\\\n\u0041\x42"', Literal('"\\\nAB')),
        ("<EOF>", Reference("EOF")),
        ("x y", Sequence((Literal("x"), Literal("y")))),
        ('"x" (* one *) /* two */ <b> // three\n # four', Sequence((Literal("x"), B))),
    ],
)
def test_expressions(text: str, expected: Expression) -> None:
    assert body(text) == expected


def test_the_papers_calculator() -> None:
    grammar = bnf(CALCULATOR)
    assert grammar.start == "start"
    assert grammar.scannerless
    assert grammar.rules["op"].body == Choice(tuple(Literal(one) for one in "+-*/"))
    assert len(list(grammar.rules)) == 9
    assert not grammar.notes


def test_names_in_the_perses_papers_brackets_and_definitions_in_parts() -> None:
    grammar = bnf("⟨if stmt⟩ ::= 'if' ⟨A⟩\n⟨A⟩ ::= a\n⟨A⟩ ::= ⟨A⟩ b")
    assert grammar.start == "if stmt"
    assert grammar.rules["A"].body == Choice(
        (Literal("a"), Sequence((Reference("A"), Literal("b"))))
    )
    assert "taken for text" in grammar.notes[0].message


def test_bare_names_and_iso_notation() -> None:
    grammar = bnf(
        'list = "(", [ item ], { ",", item }, ")" ;\nitem = [digit] | "x" ;\ndigit = "1";'
    )
    item = Reference("item")
    assert grammar.rules["list"].body == Sequence((
        Literal("("), Repeat(item, Quantifier.OPTIONAL),
        Repeat(Sequence((Literal(","), item)), Quantifier.STAR), Literal(")"),
    ))  # fmt: skip
    assert grammar.rules["item"].body == Choice(
        (Repeat(Reference("digit"), Quantifier.OPTIONAL), Literal("x"))
    )
    bare = bnf("expr ::= [sign] num\nsign ::= [+-]\nnum ::= [0-9]+")
    assert bare.rules["expr"].body == Sequence(
        (Repeat(Reference("sign"), Quantifier.OPTIONAL), Reference("num"))
    )


def test_tokens_and_layout() -> None:
    grammar = bnf(
        """
        %start <list>
        <other> ::= "x"
        <list> ::= <NAME>*
        %fragment <LETTER> ::= [a-z]
        %token <NAME> ::= <LETTER>+
        %skip <SPACE> ::= [\\x20\\n]+
        """
    )
    assert grammar.start == "list"
    assert list(grammar.tokens) == ["LETTER", "NAME", "SPACE"]
    assert grammar.tokens["LETTER"].fragment
    assert grammar.tokens["SPACE"].hidden
    assert not grammar.tokens["NAME"].hidden


def test_the_start_rule_can_be_named_with_or_without_brackets() -> None:
    text = '<a> ::= <b>\n<b> ::= "x"'
    assert bnf(text).start == "a"
    assert bnf(text, "b").start == "b" == bnf(text, "<b>").start


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "no rules"),
        ('<a> ::= "x" )', 1, 13, "closes nothing"),
        ('<a> ::= ( "x"\n<b> ::= "y"', 1, 9, "never closed"),
        ('<a> ::= ( "x" ]', 1, 15, "Close '(' in line 1 first"),
        ('<a> ::= "x', 1, 9, "never closed"),
        ("<a> ::= *", 1, 9, "found '*'"),
        ("<a> = <b> - <c>", 1, 11, "exceptions"),
        ("<a> ::= [z-a]", 1, 12, "runs backwards"),
        ("<a> ::= #x110000", 1, 9, "no character"),
        ('<a> ::= "x" = "y"', 1, 13, "Quote it"),
        ("<a> ::= <", 1, 9, "not a name"),
        ("%token <A> ::= 'x'", 1, 1, "every rule is a token"),
        ('%token <A> ::= "x"\n<A> ::= "y"', 2, 1, "defined twice"),
        ('"x"', 1, 1, "the name of a rule"),
        ("<a> ::= (* x", 1, 9, "comment is never closed"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(GrammarError) as caught:
        bnf(text)
    assert what in str(caught.value)
    assert (caught.value.position.line, caught.value.position.column) == (line, column)


def test_the_notation_is_told_by_the_suffix(tmp_path: Path) -> None:
    names = ("G.g4", "g.JSON", "g.ebnf", "g.lark", "g.txt")
    assert [notation_of(Path(name)) for name in names] == ["g4", "json", "bnf", "lark", "bnf"]
    (tmp_path / "g.txt").write_text('<a> ::= "x"')
    assert read_file(tmp_path / "g.txt").grammar.rules["a"].body == Literal("x")
    with pytest.raises(GrammarError, match="no grammar notation 'yacc'"):
        read_grammar_text("", "yacc")
    with pytest.raises(GrammarError, match="cannot read this file"):
        read_file(tmp_path / "missing.g4")
    with pytest.raises(GrammarError, match="cannot read this file"):
        read_file(tmp_path)


def test_the_encoding_of_the_texts_is_named() -> None:
    one = language('%encoding "latin-1"\n<s> ::= "\\u00E9"', "bnf")
    assert one.matches(b"\xe9")
    assert GrammarSource.of(one.grammar).read().encoding == one.grammar.encoding
    with pytest.raises(GrammarError, match="not the name of an encoding"):
        language('%encoding "klingon"\n<s> ::= "x"', "bnf")
