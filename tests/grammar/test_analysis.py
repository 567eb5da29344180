"""Fixpoints over grammars: known answers, and what must agree with brute force."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.grammar.model.analysis import productive, reachable, shortest
from marrow.grammar.model.charset import shortest_words, usual
from marrow.grammar.model.expressions import references
from marrow.grammar.model.graph import strongly_connected
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Grammar,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)
from tests.grammar.small import language, small
from tests.grammar.strategies import grammars

LETTERS = Characters(((ord("a"), ord("z")),))
DIGITS = Characters(((ord("0"), ord("9")),))


def calculator() -> Grammar:
    expression = Choice(
        (
            Sequence((Reference("e"), Literal("+"), Reference("e"))),
            Sequence((Literal("("), Reference("e"), Literal(")"))),
            Sequence((Reference("NAME"), Repeat(Reference("e"), Quantifier.STAR))),
            Reference("NUMBER"),
        )
    )
    tokens = {
        "NUMBER": TokenRule("NUMBER", Repeat(DIGITS, Quantifier.PLUS)),
        "NAME": TokenRule("NAME", Sequence((Literal("$$"), Repeat(LETTERS, Quantifier.PLUS)))),
    }
    return Grammar("calculator", "e", {"e": Rule("e", expression)}, tokens)


def test_known_properties() -> None:
    grammar = small(
        "A ::= B C | D*", "B ::= b | ε", "C ::= B B", "D ::= d E", "E ::= E e", "F ::= f"
    )
    assert productive(grammar) == {"A", "B", "C", "F"}
    assert reachable(grammar) == {"A", "B", "C", "D", "E"}
    graph = {
        name: [one.name for one in references(rule.body) if one.name in grammar.rules]
        for name, rule in grammar.rules.items()
    }
    assert strongly_connected(graph) == [("B",), ("C",), ("E",), ("D",), ("A",), ("F",)]


def test_components_are_found_without_recursion() -> None:
    size = 20_000
    graph = {str(number): [str((number + 1) % size)] for number in range(size)}
    assert strongly_connected(graph) == [tuple(graph)]


@given(st.lists(st.lists(st.integers(0, 7), max_size=3), min_size=8, max_size=8))
def test_components_are_mutually_reachable_and_ordered(edges: list[list[int]]) -> None:
    graph = {str(number): [str(other) for other in edges[number]] for number in range(8)}
    rules = {
        name: Rule(name, Choice(tuple(Reference(other) for other in others)))
        for name, others in graph.items()
    }
    reach = {name: reachable(Grammar("graph", name, rules)) for name in graph}
    found = strongly_connected(graph)
    assert sorted(name for component in found for name in component) == sorted(graph)
    place = {name: index for index, component in enumerate(found) for name in component}
    for one in graph:
        for other in graph:
            together = other in reach[one] and one in reach[other]
            assert together == (place[one] == place[other])
        assert all(place[other] <= place[one] for other in graph[one])


def test_shortest_words_of_token_rules() -> None:
    tokens = {
        "COMMENT": TokenRule(
            "COMMENT",
            Sequence(
                (
                    Literal("(*"),
                    Repeat(Choice((Reference("COMMENT"), LETTERS)), Quantifier.STAR),
                    Literal("*)"),
                )
            ),
        ),
        "BLANKS": TokenRule("BLANKS", Repeat(Literal(" "), Quantifier.STAR)),
        "NEVER": TokenRule("NEVER", Sequence((Literal("x"), Reference("NEVER")))),
        "ODD": TokenRule("ODD", Characters(((0xD800, 0xDFFF), (0x1F600, 0x1F600)))),
    }
    grammar = Grammar("tokens", "s", {"s": Rule("s", Reference("COMMENT"))}, tokens)
    assert shortest_words(grammar) == {"COMMENT": "(**)", "BLANKS": " ", "ODD": "\U0001f600"}
    assert usual(Characters(((0, 0x10FFFF),))) == "a"


def test_shortest_prefers_fewer_tokens_then_fewer_bytes() -> None:
    table = shortest(calculator())
    assert table["e"] == (b"0",)
    assert table["NAME"] == (b"$$a",)


def test_no_text_is_kept_of_rules_that_double() -> None:
    count = 200
    rules = [f"N{number} ::= N{number + 1} N{number + 1}" for number in range(count)]
    table = shortest(small(*rules, f"N{count} ::= x y"))
    assert "N0" not in table
    assert table[f"N{count}"] == (b"x", b"y")


@given(grammars())
@settings(max_examples=150)
def test_agrees_with_brute_force(grammar: Grammar) -> None:
    table = shortest(grammar)
    for name in grammar.rules:
        words = language(Grammar("g", name, grammar.rules), 3)
        if words:
            fewest = min(map(len, words))
            assert len(table[name]) == fewest
            assert tuple(word.decode() for word in table[name]) in words
        else:
            assert name not in table or len(table[name]) > 3
