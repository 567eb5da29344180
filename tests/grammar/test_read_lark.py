"""Lark grammars: rules, terminals, regular expressions, imports and templates."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from marrow.grammar.model.charset import complement
from marrow.grammar.model.rules import (
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
from marrow.grammar.notations import read_file, read_grammar_text


def lark(text: str, start: str | None = None) -> Grammar:
    return read_grammar_text(text, "lark", "g.lark", start)


def rule(text: str) -> Expression:
    return lark(f'start: {text}\na: "a"\nB: "b"\nC: "c"').rules["start"].body


def regex(text: str) -> Expression:
    return lark(f"start: T\nT: /{text}").tokens["T"].body


A, B = Reference("a"), Reference("B")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a B", Sequence((A, B))),
        ("a\n  | B\n", Choice((A, B))),
        ("a* B+ [a]", Sequence((
            Repeat(A, Quantifier.STAR), Repeat(B, Quantifier.PLUS), Repeat(A, Quantifier.OPTIONAL),
        ))),
        ("(a | B)?", Repeat(Choice((A, B)), Quantifier.OPTIONAL)),
        ('"if"i "\\n\\\\"', Sequence((Literal("if", True), Literal("\n\\")))),
        ("a B -> both\n| a -> one", Choice((Sequence((A, B)), A))),
        ("a~2", Sequence((A, A))),
        ("B~1..3", Sequence((
            B, Repeat(Sequence((B, Repeat(B, Quantifier.OPTIONAL))), Quantifier.OPTIONAL),
        ))),
    ],
)  # fmt: skip
def test_rules(text: str, expected: Expression) -> None:
    assert rule(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc/", Literal("abc")),
        ("ab/i", Literal("ab", True)),
        ("a|bc/", Choice((Literal("a"), Literal("bc")))),
        ("a|b/", Characters(((97, 98),))),
        ("[a-c\\n]/", Characters(((10, 10), (97, 99)))),
        ("[^]x]/", Characters(complement(((93, 93), (120, 120))))),
        (".+?/", Repeat(Characters(complement(((10, 10),))), Quantifier.PLUS, greedy=False)),
        (".*/s", Repeat(Characters(((0, 0x10FFFF),)), Quantifier.STAR)),
        ("(?:ab)*/", Repeat(Literal("ab"), Quantifier.STAR)),
        ("(?P<n>a)(?i:b)/", Sequence((Literal("a"), Literal("b", True)))),
        ("a{2}b{1,}/", Sequence((Literal("aa"), Repeat(Literal("b"), Quantifier.PLUS)))),
        ("a{,1}/", Repeat(Literal("a"), Quantifier.OPTIONAL)),
        ("\\/\\./", Literal("/.")),
        ("{}/", Literal("{}")),
        ("a b # no\n c/x", Literal("abc")),
        ("\\x41\\u0042/", Literal("AB")),
        ("\\0\\101[\\102-\\102]/", Literal("\0AB")),
        ("a{1,99999}/", Repeat(Literal("a"), Quantifier.PLUS)),
    ],
)
def test_regular_expressions(text: str, expected: Expression) -> None:
    found = regex(text)
    if isinstance(expected, Literal):
        assert _as_text(found) == (expected.text, expected.ignore_case)
    else:
        assert _joined(found) == _joined(expected)


def _as_text(expression: Expression) -> tuple[str, bool]:
    items = expression.items if isinstance(expression, Sequence) else (expression,)
    text, ignore = "", False
    for item in items:
        if isinstance(item, Literal):
            text, ignore = text + item.text, item.ignore_case
        else:
            assert isinstance(item, Characters)
            text += chr(item.ranges[0][0])
    return text, ignore


def _joined(expression: Expression) -> str:
    return re.sub(r", position=Position\([^)]*\)", "", repr(expression))


def test_what_is_no_regular_language_is_left_out_with_a_note() -> None:
    grammar = lark("start: T U\nT: /(?!if)[a-z]+\\b/\nU: /<(\\w)x\\1>/")
    assert grammar.tokens["T"].guarded
    assert grammar.tokens["U"].guarded
    messages = [note.message for note in grammar.notes]
    assert any("a look-around" in one for one in messages)
    assert any("group 1" in one for one in messages)


def test_terminals_layout_priorities_and_parts() -> None:
    grammar = lark(
        """
        // a comment
        ?start: _list | item
        _list: NAME ("," NAME)*
        item.2: /[0-9]+/ | "a".."f"
        LETTER: "a".."z"
        NAME: LETTER+
        KEY: "key"
        HIGH.3: "h" | "i"
        WS: /[ ]+/
        %ignore WS
        %ignore /#.*/
        %declare _INDENT
        use: KEY HIGH _INDENT
        """
    )
    tokens = grammar.tokens
    assert list(tokens)[:2] == ["HIGH", "KEY"]
    assert tokens["LETTER"].fragment
    assert not tokens["NAME"].fragment
    assert tokens["WS"].hidden
    assert tokens["__IGNORE_1"].hidden
    assert tokens["_INDENT"].body == Characters(())
    assert grammar.rules["item"].body == Choice((Reference("__ANON_0"), Reference("__ANON_1")))
    assert tokens["__ANON_1"].body == Characters(((97, 102),))


def test_common_terminals() -> None:
    names = [
        "DIGIT",
        "HEXDIGIT",
        "INT",
        "SIGNED_INT",
        "DECIMAL",
        "FLOAT",
        "SIGNED_FLOAT",
        "NUMBER",
        "SIGNED_NUMBER",
        "ESCAPED_STRING",
        "LCASE_LETTER",
        "UCASE_LETTER",
        "LETTER",
        "WORD",
        "CNAME",
        "WS_INLINE",
        "WS",
        "CR",
        "LF",
        "NEWLINE",
        "SH_COMMENT",
        "CPP_COMMENT",
        "C_COMMENT",
        "SQL_COMMENT",
    ]
    grammar = lark(f"%import common ({', '.join(names)})\nstart: {' '.join(names)}")
    assert set(names) <= set(grammar.tokens)
    alias = lark("%import common.NUMBER -> N\nstart: N")
    assert "N" in alias.tokens


def test_imports_from_files(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "parts.lark").write_text(
        'list{x}: x ("," x)*\nnumbers: list{NUM}\nNUM: DIGIT+\nDIGIT: "0".."9"\nunused: "x"'
    )
    (tmp_path / "main.lark").write_text(
        "%import .lib.parts.numbers -> nums\n%import .lib.parts (NUM)\nstart: nums NUM\n"
        '%extend nums: "none"\n'
    )
    grammar = read_file(tmp_path / "main.lark").grammar
    assert set(grammar.rules) == {"start", "nums", "lib__parts__list_1"}
    assert isinstance(grammar.rules["nums"].body, Choice)
    assert "unused" not in grammar.rules
    (tmp_path / "circle.lark").write_text("%import .circle.a\nstart: a")
    with pytest.raises(GrammarError, match="circle"):
        read_file(tmp_path / "circle.lark")


def test_templates() -> None:
    grammar = lark(
        'start: sep{item, ","} sep{item, ","} sep{sep{"x", ";"}, ","}\n'
        'item: "i"\nsep{x, s}: x (s x)*'
    )
    assert list(grammar.rules) == ["start", "item", "sep_1", "sep_2", "sep_3"]
    bodies = [grammar.rules[f"sep_{number}"].body for number in (1, 2, 3)]
    assert Sequence((
        Reference("item"),
        Repeat(Sequence((Literal(","), Reference("item"))), Quantifier.STAR),
    )) in bodies  # fmt: skip
    inner = bodies.index(Sequence((
        Literal("x"), Repeat(Sequence((Literal(";"), Literal("x"))), Quantifier.STAR),
    )))  # fmt: skip
    nested = Reference(f"sep_{inner + 1}")
    assert Sequence((
        nested, Repeat(Sequence((Literal(","), nested)), Quantifier.STAR),
    )) in bodies  # fmt: skip


def test_start_rule() -> None:
    assert lark('a: "x"\nstart: a').start == "start"
    assert lark('a: "x"\nb: a').start == "a"


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "no rules"),
        ("start: (a", 1, 10, "Unexpected"),
        ("start: a)", 1, 9, "Unexpected"),
        ("start: *", 1, 8, "Misplaced operator"),
        ('start: "x', 1, 8, "Unexpected input"),
        ("start: /x", 1, 8, "Unexpected input"),
        ('x: "a"\nstart: T\nT: /(x/', 3, 1, "unterminated subpattern"),
        ("start: /[x/", 1, 1, "unterminated character set"),
        ("start: /x{9,1}/", 1, 1, "min repeat greater"),
        ('start: a~2..1\na: "x"', 1, 1, "runs backwards"),
        ('a: "x"\nstart: a{a}', 2, 1, "Wrong number of template arguments"),
        ('start: "x"\nstart: "y"', 1, 1, "defined more than once"),
        ('start: b{c}\nc: "c"\nb{x}: b{d{x}}\nd{x}: x', 1, 1, "never ends"),
        ("%import common.NOTHING\nstart: NOTHING", 2, 1, "'NOTHING' used but not defined"),
        ("%import nowhere.X\nstart: X", 1, 1, "cannot find nowhere.lark"),
        ("%include x", 1, 1, "Unexpected input"),
        ("start: a -> 1", 1, 13, "Alias expects lowercase"),
        (": a", 1, 1, "Expecting rule or terminal"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, what: str) -> None:
    with pytest.raises(GrammarError) as caught:
        lark(text)
    assert what in str(caught.value)
    assert (caught.value.position.line, caught.value.position.column) == (line, column)
