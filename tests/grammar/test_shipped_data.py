"""The shipped grammars of data, query, script and command languages: what they take and refuse.

The samples stand in `shipped_data`, one file for what a grammar takes and one for what it refuses,
with a line of two percent signs between samples.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import marrow.grammars
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import Parser, compile_grammar
from marrow.tree.node import Node, Token
from marrow.tree.place import Place
from marrow.tree.tree import Tree, deletable, minimum

SAMPLES = Path(__file__).parent / "shipped_data"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.right"))


@cache
def parser(name: str) -> Parser:
    folder = Path(marrow.grammars.__file__).parent
    return compile_grammar(read_file(folder / f"{name}.g4").grammar)


def texts(name: str, kind: str) -> list[str]:
    content = (SAMPLES / f"{name}.{kind}").read_bytes().decode()
    return content.removesuffix("\n").split("\n%%\n")


def samples(kind: str) -> list[tuple[str, str]]:
    return [(name, text) for name in NAMES for text in texts(name, kind)]


def symbols(name: str, text: str) -> list[str]:
    """Return the symbols of all nodes that hold a token, in the order of the text."""
    tree = parser(name).parse(text.encode())
    return [node.symbol for _, node in tree.walk() if node.token_count]


def deletions(tree: Tree) -> list[Place]:
    """Return the places whose deletion the grammar allows."""
    return [
        place.child(child.key)
        for place, node in tree.walk()
        if len(deletable(node)) > minimum(node)
        for child in deletable(node)
        if child.token_count
    ]


@pytest.mark.parametrize("name", NAMES)
def test_reading_a_shipped_grammar_leaves_no_notes(name: str) -> None:
    assert parser(name).grammar.notes == ()


@pytest.mark.parametrize(("name", "text"), samples("right"))
def test_what_is_in_the_language_parses_and_round_trips(name: str, text: str) -> None:
    assert parser(name).parse(text.encode()).text == text.encode()


@pytest.mark.parametrize(("name", "text"), samples("wrong"))
def test_what_is_not_in_the_language_is_refused(name: str, text: str) -> None:
    with pytest.raises(ParseError):
        parser(name).parse(text.encode())


@pytest.mark.parametrize(("name", "text"), samples("right"))
def test_what_is_left_after_a_deletion_parses(name: str, text: str) -> None:
    tree = parser(name).parse(text.encode())
    for place in deletions(tree):
        left = tree.delete([place]).text
        assert parser(name).matches(left), (tree.at(place), left)


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_is_used_by_a_sample(name: str) -> None:
    used = {symbol for text in texts(name, "right") for symbol in symbols(name, text)}
    assert set(parser(name).grammar.rules) - used == set()


def shape(name: str, text: str, rule: str) -> str:
    """Return a text with brackets around each node of a rule that holds more than one token."""
    out: list[str] = []
    stack: list[Node | str] = [parser(name).parse(text.encode()).root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node)
        elif isinstance(node, Token):
            out.append(node.text.decode())
        elif node.symbol == rule and node.token_count > 1:
            out.append("[")
            stack += ["]", *reversed(node.children)]
        else:
            stack += reversed(node.children)
    return "".join(out)


@pytest.mark.parametrize(
    ("name", "text", "rule", "expected"),
    [
        ("calculator", "1+2*3", "expr", "[[1+2]*3]"),  # the paper's one `op` has one precedence
        ("lua", "x=a+b*c", "expression", "x=[a+[b*c]]"),
        ("lua", "x=a..b..c", "expression", "x=[a..[b..c]]"),
        ("lua", "x=a-b-c", "expression", "x=[[a-b]-c]"),
        ("lua", "x=-a^-b^c", "expression", "x=[-[a^[-[b^c]]]]"),
        ("lua", "x=not a==b or c and d", "expression", "x=[[[nota]==b]or[candd]]"),
        ("sqlite", "SELECT a+b*c", "value", "SELECT[a+[b*c]]"),
        ("sqlite", "SELECT -a||b COLLATE c", "value", "SELECT[[-a]||[bCOLLATEc]]"),
        (
            "sqlite",
            "SELECT NOT a AND b OR c",
            "expression",
            "SELECT[[[NOTa]ANDb]ORc]",
        ),
        (
            "sqlite",
            "SELECT a BETWEEN 1 AND 2 AND b",
            "expression",
            "SELECT[[aBETWEEN1AND2]ANDb]",
        ),
        ("find", "find -true -false -o -true", "conjunction", "find[-true-false]-o-true"),
        ("grep", "grep 'a(b|c)d'", "piece", "grep'a[(b|c)]d'"),
    ],
)
def test_operators_bind_as_the_language_says(
    name: str, text: str, rule: str, expected: str
) -> None:
    assert shape(name, text, rule) == expected


def test_a_lua_call_goes_on_in_the_next_line() -> None:
    found = symbols("lua", "f\n(g)(h)")
    assert found.count("statement") == 1


def test_a_pattern_in_quotes_is_a_regular_expression_if_it_can_be() -> None:
    assert "regularExpression" in symbols("grep", "grep 'a|b*' x")
    assert "text" in symbols("grep", "grep -F '(' x")


def test_white_space_between_xml_tags_is_layout_and_in_text_is_text() -> None:
    tree = parser("xml").parse(b"<a> <b/> c </a>")
    assert [token.text for token in tree.tokens()].count(b" c ") == 1
    assert b" " not in [token.text for token in tree.tokens()]


@pytest.mark.parametrize(
    ("name", "opening", "inside", "closing"),
    [
        ("json", "[", "1", "]"),
        ("xml", "<a>", "x", "</a>"),
        ("clojure", "(", "x", ")"),
        ("sexpr", "(", "x", ")"),
        ("calculator", "(", "1", ")"),
    ],
)
def test_deep_nesting_parses(name: str, opening: str, inside: str, closing: str) -> None:
    text = (opening * 5000 + inside + closing * 5000).encode()
    assert parser(name).parse(text).text == text
