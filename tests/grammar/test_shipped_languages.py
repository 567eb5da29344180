"""The shipped grammars of C, Java, Go and JavaScript: the whole language, and wrong texts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marrow.grammars
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.tree.place import Place
from marrow.tree.tree import Tree, deletable, minimum
from tests.grammar.parsing import conflicts

SAMPLES = Path(__file__).parent / "shipped_languages"
LANGUAGES = {".c": "c", ".java": "java", ".go": "go", ".js": "javascript"}
FILES = sorted(path.name for path in SAMPLES.iterdir())

#: Entries of the tables with more than one action; each costs speed where it is met.
MOST_CONFLICTS = {"c": 37, "java": 269, "go": 63, "javascript": 40}


@cache
def parser(language: str) -> Parser:
    path = Path(marrow.grammars.__file__).parent / f"{language}.g4"
    return compile_grammar(read_file(path).grammar)


@cache
def sample(name: str) -> Tree:
    return parser(LANGUAGES[Path(name).suffix]).parse((SAMPLES / name).read_bytes())


def symbols(language: str, text: str) -> list[str]:
    """Return the names of all nodes of a text's tree, parents first."""
    return [node.symbol for _, node in parser(language).parse(text.encode()).walk()]


def kinds(language: str, text: str) -> list[str]:
    """Return the tokens of a text."""
    return [token.symbol for token in parser(language).tokens(text.encode())]


@pytest.mark.parametrize("name", FILES)
def test_samples_give_back_their_text(name: str) -> None:
    assert sample(name).text == (SAMPLES / name).read_bytes()


@pytest.mark.parametrize(
    ("language", "text"), [("c", b'# 1 "a.h"\n/* b */\n'), ("java", b"// a\n"), ("javascript", b"")]
)
def test_texts_without_tokens_give_back_their_text(language: str, text: bytes) -> None:
    assert parser(language).parse(text).text == text


@pytest.mark.parametrize("language", sorted(LANGUAGES.values()))
def test_samples_use_every_rule(language: str) -> None:
    seen = {
        node.symbol
        for name in FILES
        if LANGUAGES[Path(name).suffix] == language
        for _, node in sample(name).walk()
    }
    assert set(parser(language).grammar.rules) <= seen


@pytest.mark.parametrize("language", sorted(LANGUAGES.values()))
def test_grammars_have_no_notes_and_few_conflicts(language: str) -> None:
    assert parser(language).grammar.notes == ()
    assert conflicts(parser(language).tables) <= MOST_CONFLICTS[language]


@cache
def removable(name: str) -> list[Place]:
    """Return the places of all nodes that the grammar says may go by themselves.

    Without Go's commas at the end of a list, which a line break behind them makes necessary.
    """
    return [
        place.child(child.key)
        for place, node in sample(name).walk()
        if len(deletable(node)) > minimum(node)
        for child in deletable(node)
        if child.token_count and not (name.endswith(".go") and child.symbol == "','")
    ]


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=20)
@given(data=st.data())
def test_what_may_be_deleted_leaves_a_text_that_parses(name: str, data: st.DataObject) -> None:
    place = data.draw(st.sampled_from(removable(name)))
    text = sample(name).delete([place]).text
    assert parser(LANGUAGES[Path(name).suffix]).parse(text).text == text


WRONG = [
    ("c", "int x"),
    ("c", "int main( { }"),
    ("c", "int f() { return 1 }"),
    ("c", "int f() { if (a) else b; }"),
    ("c", "int f() { x = (1 + ; }"),
    ("c", "int f() { for (;;;) ; }"),
    ("c", "int f() { case: ; }"),
    ("c", "struct { int a } x;"),
    ("c", 'char *s = "open;'),
    ("c", "int a[] = { 1 2 };"),
    ("c", "int f() { a b c d; }"),
    ("c", "x = 1;"),
    ("java", "class { }"),
    ("java", "class A { void f() { int x = ; } }"),
    ("java", "class A { void f() { f(a,); } }"),
    ("java", "class A { void f() { a b c; } }"),
    ("java", "class A { int x = 'ab'; }"),
    ("java", "class A { void f() { if (x) } }"),
    ("java", "class A { int f() { return 1 } }"),
    ("java", "class A { List<String x; }"),
    ("java", "import a.b; package c;"),
    ("java", "class A { void f() { switch (x) { 1 -> 2; } } }"),
    ("java", "class A extends { }"),
    ("java", 'class A { String s = """x"""; }'),
    ("go", "func f() {}\n"),
    ("go", "package a\nvar x = \n"),
    ("go", "package a\nfunc f() { a b }\n"),
    ("go", "package a\nfunc f()\n{\n}\n"),
    ("go", "package a\nfunc f() { g(1\n) }\n"),
    ("go", "package a\nfunc f() { if { } }\n"),
    ("go", "package a\nvar x = []int{1\n}\n"),
    ("go", "package a\nimport b\n"),
    ("go", "package a\nfunc f() { x +\n}\n"),
    ("go", "package a; type T struct { a, b }\n"),
    ("javascript", "a b"),
    ("javascript", "var x = "),
    ("javascript", "var 1 = x"),
    ("javascript", "if (a"),
    ("javascript", "function () { }"),
    ("javascript", "x = { a b }"),
    ("javascript", "x = [1 2]"),
    ("javascript", "foo(a\nb)"),
    ("javascript", "for (a; b) c"),
    ("javascript", "x = `open"),
    ("javascript", "x = a ? b"),
    ("javascript", "class A { x() }"),
    ("javascript", "let x = 1 let y = 2"),
    ("javascript", "'open"),
    ("javascript", "}"),
]


@pytest.mark.parametrize(("language", "text"), WRONG)
def test_wrong_texts_are_refused(language: str, text: str) -> None:
    with pytest.raises(ParseError):
        parser(language).parse(text.encode())


@pytest.mark.parametrize(
    ("statement", "rule"),
    [
        ("a * b;", "declaration"),
        ("a * b = c;", "declaration"),
        ("a b;", "declaration"),
        ("a (*b)(c);", "declaration"),
        ("a;", "otherStatement"),
        ("a(b);", "otherStatement"),
        ("a(*b);", "otherStatement"),
        ("a(b) * c;", "otherStatement"),
        ("a = b * c;", "otherStatement"),
    ],
)
def test_names_in_c_are_types_by_their_form(statement: str, rule: str) -> None:
    found = symbols("c", f"void f(void) {{ {statement} }}")
    assert (rule == "declaration") == ("declaration" in found)
    assert rule in found


@pytest.mark.parametrize(
    ("expression", "cast"),
    [
        ("(a) b", True),
        ("(a) 1", True),
        ("(a) ~b", True),
        ("(a) (int) b", True),
        ("(a) - b", False),
        ("(a)(b)", False),
        ("(a) * b", False),
        ("sizeof (a) - b", False),
    ],
)
def test_a_name_in_parentheses_is_a_cast_only_in_front_of_an_operand(
    expression: str, cast: bool
) -> None:
    assert ("nameCast" in symbols("c", f"int x = {expression};")) == cast


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("a\nb", "a;\nb;"),
        ("a\n(b)", "a(b);"),
        ("a\n[b]", "a[b];"),
        ("a\n.b", "a.b;"),
        ("a\n? b\n: c", "a ? b : c;"),
        ("return\na", "return;\na;"),
        ("{ a }", "{ a; }"),
        ("x = function () { }\ny", "x = function () { };\ny;"),
        ("x = () => { }\ny", "x = () => { };\ny;"),
        ("function f() { }\nb", "function f() { }\nb;"),
        ("if (a)\nb\nelse\nc", "if (a)\nb;\nelse\nc;"),
        ("x = { a: 1\n}\ny", "x = { a: 1 };\ny;"),
        ("var index\ninteger", "var index;\ninteger;"),
        ("a\nin\nb", "a in b;"),
        ("x = a ? { b: 1 } : { c: 2 }\ny", "x = a ? { b: 1 } : { c: 2 };\ny;"),
        ("case_: a\nbreak_", "case_: a;\nbreak_;"),
        ("a // comment\nb", "a; b;"),
    ],
)
def test_semicolons_are_inserted_in_javascript(text: str, explicit: str) -> None:
    inserted = [
        "SEMICOLON" if kind == "AUTO_SEMICOLON" else kind for kind in kinds("javascript", text)
    ]
    assert inserted == kinds("javascript", explicit)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a / b / c;", 0),
        ("a = /b/;", 1),
        ("(a) / b / c;", 0),
        ("if (a) /b/.test(c);", 1),
        ("f(/a/, b / c / d);", 1),
        ("a[0] / b / c;", 0),
        ("return_ / b / c;", 0),
        ("x = a ? /b/ : c / d / e;", 1),
        ("`${/a/}` / b / c;", 1),
        ("{ } /a/.b;", 1),
        ("x = { } / a / b;", 0),
        ("typeof /[/]/;", 1),
    ],
)
def test_regular_expressions_and_divisions_are_told_apart(text: str, count: int) -> None:
    assert kinds("javascript", text).count("REGULAR_EXPRESSION") == count
    parser("javascript").parse(text.encode())


def test_lines_end_statements_in_go_only_behind_operands() -> None:
    text = "package a\n\nvar x = (1 + // why\n2)\n\nfunc f() { return }\n"
    assert kinds("go", text).count("LINE_END") == 3


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", "int x = " + "(" * 2000 + "1" + ")" * 2000 + ";"),
        ("c", "void f(void) { " + "if (a) b(); else " * 1000 + "c(); }"),
        ("c", "int x = " + "(a) - (b) * " * 500 + "1;"),
        ("java", "class A { int x = " + "f(" * 2000 + "1" + ")" * 2000 + "; }"),
        ("java", "class A { void f() { " + "if (a) b(); else " * 1000 + "c(); } }"),
        ("go", "package a\nvar x = " + "[]T{" * 2000 + "}" * 2000 + "\n"),
        ("javascript", "x = " + "[" * 2000 + "]" * 2000),
        ("javascript", "f = () => { a\n" * 1000 + "}" * 1000),
        ("javascript", "if (a) b(); else " * 1000 + "c()"),
    ],
)
def test_deep_and_long_texts_parse(language: str, text: str) -> None:
    assert parser(language).parse(text.encode()).text == text.encode()
