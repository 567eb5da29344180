"""The recogniser: by examples, against trying all ways to cut a text, and on what is produced."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.abstraction.pattern import VARIABLE, Mark, Marked, Pattern
from marrow.abstraction.recogniser import Recogniser
from marrow.grammar.language import Language
from marrow.tree import ROOT, Node, Place, Token
from marrow.tree.node import render
from tests.abstraction.finding import CALCULATOR, SCRIPT
from tests.abstraction.marking import by_text, marked, shipped


def matches(pattern: Pattern, text: str) -> bool:
    return bool(Recogniser(pattern).match(text.encode()))


def test_what_varies_may_be_anything_of_its_kind() -> None:
    pattern = by_text(CALCULATOR, b"((4))", {("expr", b"4"): 0})
    assert matches(pattern, "((1))")
    assert matches(pattern, "((1+(2)))")
    assert matches(pattern, "(((4)))")
    assert not matches(pattern, "(4)")
    assert not matches(pattern, "((4)")
    assert not matches(pattern, "((4))+1")
    assert not matches(pattern, "(( 4))"), "spaces are part of this grammar"
    assert not matches(pattern, "")
    assert not matches(pattern, "((x))")


def test_another_way_to_read_the_same_text() -> None:
    """The tree of a text need not look as the pattern does: operators bind to the left."""
    pattern = by_text(CALCULATOR, b"1+((4))", {("expr", b"1"): 0, ("expr", b"4"): 0})
    assert matches(pattern, "1+2+((4))")
    assert matches(pattern, "1*2+((4))")
    assert matches(pattern, "1+((2))+((4))")
    assert not matches(pattern, "((4))+1")


def test_groups_must_be_the_same() -> None:
    pattern = by_text(CALCULATOR, b"a+a", {("var", b"a"): 1})
    assert matches(pattern, "a+a")
    assert matches(pattern, "bad+bad")
    assert not matches(pattern, "a+b")
    assert not matches(pattern, "a-a")
    reason = Recogniser(pattern).match(b"a+b").reason
    assert "must be the same differ" in reason


def test_a_group_that_only_one_way_to_cut_makes_equal() -> None:
    pattern = by_text(CALCULATOR, b"1+2+1", {("expr", b"1"): 1, ("expr", b"2"): 0})
    assert matches(pattern, "3-3+4+3-3")
    assert matches(pattern, "(1)+1+(1)")
    assert not matches(pattern, "3-3+4+3")


def test_layout_does_not_count_where_there_are_tokens() -> None:
    text = b"var {baz: baz => {}} = 1;"
    pattern = by_text(SCRIPT, text, {("Identifier", b"baz"): 1, ("expression", b"1"): 0})
    assert matches(pattern, "var{x:x=>{ }}=\n\n(y);")
    assert not matches(pattern, "var{x:y=>{}}=1;")


def test_words_of_the_pattern_are_still_words_elsewhere() -> None:
    """`baz` is given in one place, and any name, `baz` too, may stand in another."""
    pattern = marked(SCRIPT, b"var baz = other;", lambda _, node: node.symbol == "expression")
    assert matches(pattern, "var baz = baz;")
    assert not matches(pattern, "var other = baz;")


def test_parts_and_reasons() -> None:
    pattern = by_text(SCRIPT, b"while (x) { x; y; }", {("statement_star", b"x; y;"): 0})
    match = Recogniser(pattern).match(b"while (x) { break;  continue; }")
    assert [(hole.symbol, text) for hole, text in match.parts] == [
        ("statement_star", "break;  continue;")
    ]
    assert [text for _, text in Recogniser(pattern).match(b"while(x){}").parts] == [""]
    reason = Recogniser(pattern).match(b"while (x)\n  break;").reason
    assert reason == "line 2, column 3: no further than to '{'"
    assert "no further than to the end" in Recogniser(pattern).match(b"while (x) { } 1;").reason
    assert "not read by the grammar" in Recogniser(pattern).match(b"while ?").reason


def test_deep_and_long_texts() -> None:
    pattern = by_text(CALCULATOR, b"((4))", {("expr", b"4"): 0})
    assert matches(pattern, "(" * 2000 + "1" + ")" * 2000)
    assert not matches(pattern, "(" * 2000 + "1" + ")" * 1999)
    lists = by_text(shipped("json"), b'["x"]', {("value", b'"x"'): 0})
    assert matches(lists, "[[" + "1," * 3000 + "1]]")


# -- against trying everything -------------------------------------------------------------------


GENERATOR = CALCULATOR.generator()


def flat(pattern: Pattern) -> list[str | tuple[str, int]]:
    """The pattern as given texts and (symbol, number of the hole)."""
    numbers = {place: i for i, hole in enumerate(pattern.holes()) for place in hole.places}
    found: list[str | tuple[str, int]] = []
    stack: list[tuple[Place, Node]] = [(ROOT, pattern.tree.root)]
    while stack:
        place, node = stack.pop()
        if pattern.mark_at(place) in VARIABLE:
            found.append((node.symbol, numbers[place]))
        elif isinstance(node, Token):
            found.append(node.text.decode())
        else:
            stack.extend((place.child(one.key), one) for one in reversed(node.children))
    return found


@cache
def starting_at(rule: str) -> Language:
    return CALCULATOR.starting_at(rule)


def by_trying(parts: list[str | tuple[str, int]], text: str, bound: dict[int, str]) -> bool:
    if not parts:
        return not text
    first, rest = parts[0], parts[1:]
    if isinstance(first, str):
        return text.startswith(first) and by_trying(rest, text[len(first) :], bound)
    symbol, hole = first
    for end in range(len(text) + 1):
        own = text[:end]
        if (
            bound.get(hole, own) == own
            and starting_at(symbol).matches(own.encode())
            and by_trying(rest, text[end:], {**bound, hole: own})
        ):
            return True
    return False


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """A random pattern of the calculator, with nodes of the same text in groups now and then."""
    text = GENERATOR.tree(draw(st.integers(0, 999)), size=8).text.replace(b" ", b"")
    chance = Random(draw(st.integers(0, 999)))
    rules = {"expr", "op", "var", "int", "digit"}
    pattern = marked(
        CALCULATOR, text, lambda _, node: node.symbol in rules and chance.random() < 0.4
    )
    groups: dict[tuple[str, bytes], int] = {}
    marks: dict[Place, Marked] = {}
    for place, mark in pattern.marks.items():
        node = pattern.tree.at(place)
        assert node is not None
        if chance.random() < 0.5:
            group = groups.setdefault((node.symbol, render((node,))), len(groups) + 1)
            marks[place] = Marked(Mark.CONTEXT_SENSITIVE, mark.name, group)
        else:
            marks[place] = mark
    return Pattern(pattern.tree, marks, pattern.language)


@settings(max_examples=60)
@given(patterns(), st.lists(st.text("1a+-()", max_size=8), max_size=6), st.integers(0, 99))
def test_as_by_trying_all_ways(pattern: Pattern, texts: list[str], seed: int) -> None:
    recogniser = Recogniser(pattern)
    parts = flat(pattern)
    own = pattern.tree.text.decode()
    generated = GENERATOR.tree(seed, size=6).text.replace(b" ", b"").decode()
    chance = Random(seed)
    other = "".join(chance.choice("1a+") if chance.random() < 0.2 else one for one in own)
    for text in (own, other, generated, *texts):
        short = text[:14]
        expected = by_trying(parts, short, {})
        assert bool(recogniser.match(short.encode())) == expected, short


@pytest.mark.parametrize(
    ("grammar", "text", "free"),
    [
        ("json", b'{"a": [1, {"b": null}], "a": 2}', {"value", "STRING"}),
        (
            "lua",
            b"local x = {1, 2, n = f(3)}\nfor i = 1, #x do print(x[i] .. 'a') end",
            {"expression"},
        ),
        (
            "javascript",
            b"var f = (a, b) => { return a + /x/.test(b); }; f(1, `a`);",
            {"expression"},
        ),
        ("xml", b"<a b='c'><d/>text</a>", {"content", "NAME"}),
        ("sqlite", b"SELECT a, count(*) FROM t WHERE b > 1 GROUP BY a;", {"expression"}),
        ("sexpr", b"(define (f x) (if (> x 1) 'a #t))", {"atom", "quoted"}),
    ],
)
def test_the_input_itself_belongs_to_its_pattern(grammar: str, text: bytes, free: set[str]) -> None:
    pattern = marked(shipped(grammar), text, lambda _, node: node.symbol in free)
    assert pattern.marks
    assert Recogniser(pattern).match(text)
    assert Recogniser(marked(shipped(grammar), text, lambda *_: False)).match(text)
    assert not Recogniser(pattern).match(text[: len(text) // 2])
