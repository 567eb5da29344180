"""Perses Normal Form: Figure 4 step by step, known grammars, the same language."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from marrow.grammar.model.rules import (
    Choice,
    Grammar,
    GrammarError,
    Literal,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
)
from marrow.grammar.normal.normalize import normalize
from tests.grammar.normal_form import violations
from tests.grammar.small import language, show, small
from tests.grammar.strategies import grammars

FIGURE_4A = ("A ::= B C | D | ε", "B ::= A D | C D", "C ::= c", "D ::= d")


def as_sets(grammar: Grammar) -> dict[str, set[str]]:
    """The rules with their alternatives in no order, as the paper's figures are to be read."""
    return {
        line.partition(" ::= ")[0]: set(line.partition(" ::= ")[2].split(" | "))
        for line in show(grammar)
    }


def test_figure_4() -> None:
    assert as_sets(normalize(small(*FIGURE_4A))) == {
        "start": {"A", "ε"},
        "A": {"B C", "D"},
        "B": {"C_part+", "D D_opt C_star"},
        "C": {"c"},
        "D": {"d"},
        "C_part": {"C D"},
        "C_star": {"C_part*"},
        "D_opt": {"D?"},
    }


def test_ends_where_the_printed_algorithm_does_not() -> None:
    grammar = small("A ::= A x | B y | a", "B ::= A z | b")
    normal = normalize(grammar)
    assert not violations(normal)
    assert language(normal, 7) == language(grammar, 7)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (("L ::= L , x | x",), {"L": {"x x_star"}, "x_part": {", x"}, "x_star": {"x_part*"}}),
        (("L ::= x , L | x",), {"L": {"x_star x"}, "x_star": {"x_part*"}, "x_part": {"x ,"}}),
        (("L ::= L L | x",), {"L": {"x+"}}),
        (("L ::= x L | x",), {"L": {"x+"}}),
        (("L ::= x x*",), {"L": {"x+"}}),
        (("A ::= ( ) | ( x )",), {"A": {"( x_opt )"}, "x_opt": {"x?"}}),
        (("A ::= a | a b | a b c",), {"A": {"a b_opt"}, "b_part": {"b c_opt"}}),
        (("S ::= x | if S | if S else S",), {"S": {"x", "if S else_opt"}, "else_part": {"else S"}}),
        (("A ::= B c B", "B ::= ε | b"), {"A": {"B_opt c B_opt"}, "B": {"b"}, "B_opt": {"B?"}}),
        (("A ::= B C", "B ::= ε", "C ::= x B*"), {"A": {"C"}, "C": {"x"}}),
    ],
)
def test_known_normal_forms(rules: tuple[str, ...], expected: dict[str, set[str]]) -> None:
    normal = normalize(small(*rules))
    shown = as_sets(normal)
    assert {name: shown.get(name) for name in expected} == expected


def test_operators_are_one_list() -> None:
    grammar = small("E ::= E * E | E + E | - E | x")
    assert as_sets(normalize(grammar)) == {
        "E": {"E_operand E_tail_star"},
        "E_tail_star": {"E_tail*"},
        "E_tail": {"* E_operand", "+ E_operand"},
        "E_operand": {"E_operand_star x"},
        "E_operand_star": {"-*"},
    }


@given(grammars())
@settings(max_examples=200)
def test_same_language(grammar: Grammar) -> None:
    normal = normalize(grammar)
    assert language(normal, 4) == language(grammar, 4)
    assert not violations(normal)
    for name, rule in normal.rules.items():
        assert rule.auxiliary == (name not in grammar.rules)
        assert not rule.auxiliary or rule.origin in grammar.rules


@given(grammars())
@settings(max_examples=60)
def test_normalising_twice_keeps_the_language_and_the_form(grammar: Grammar) -> None:
    twice = normalize(normalize(grammar))
    assert not violations(twice)
    assert language(twice, 4) == language(grammar, 4)


def test_quantifiers_of_the_author_stay_and_are_shared() -> None:
    normal = normalize(small("A ::= { S* } | [ S* ] | S+", "S ::= s ; | A"))
    assert as_sets(normal)["A"] == {"{ S_star }", "[ S_star ]", "S+"}
    assert as_sets(normal)["S_star"] == {"S*"}
    assert normal.rules["S_star"].auxiliary
    assert normal.rules["S_star"].origin == "A"


def test_nested_groups_become_rules() -> None:
    comma = Sequence((Literal(","), Reference("Item")))
    body = Sequence(
        (
            Choice((Literal("let"), Literal("var"))),
            Reference("Item"),
            Repeat(comma, Quantifier.STAR),
            Repeat(Sequence((Literal("else"), Reference("Item"))), Quantifier.OPTIONAL),
        )
    )
    grammar = Grammar("g", "List", {"List": Rule("List", body), "Item": Rule("Item", Literal("x"))})
    assert show(normalize(grammar)) == [
        "List ::= List_choice Item Item_star else_opt",
        "Item ::= x",
        "Item_part ::= , Item",
        "else_part ::= else Item",
        "List_choice ::= let | var",
        "Item_star ::= Item_part*",
        "else_opt ::= else_part?",
    ]


def test_keywords_of_unused_rules_stay_keywords() -> None:
    rules = {"A": Rule("A", Reference("ID")), "B": Rule("B", Literal("while"))}
    tokens = {"ID": TokenRule("ID", Literal("x"))}
    normal = normalize(Grammar("g", "A", rules, tokens))
    assert list(normal.rules) == ["A"]
    assert [rule.body for rule in normal.tokens.values()] == [Literal("while"), Literal("x")]


def test_a_blow_up_is_refused() -> None:
    count = 12
    names = [f"N{number}" for number in range(count)]
    rules = [
        f"{name} ::= "
        + " | ".join(f"{other} {other.lower()} {name.lower()}" for other in names)
        + f" | {name.lower()}"
        for name in names
    ]
    grammar = small(*rules)
    with pytest.raises(GrammarError, match="more than 100,000 symbols"):
        normalize(grammar)


def test_deep_nesting_is_no_problem() -> None:
    body: Sequence | Choice | Repeat | Literal = Literal("x")
    for _ in range(3_000):
        body = Repeat(Choice((Sequence((Literal("a"), body)), Literal("b"))), Quantifier.STAR)
    normal = normalize(Grammar("deep", "A", {"A": Rule("A", body)}))
    assert not violations(normal)


def test_undefined_names_are_errors_with_a_place() -> None:
    here = Position("toy.g4", 3, 7)
    rules = {
        "A": Rule("A", Reference("expresion", here)),
        "Expresion": Rule("Expresion", Literal("x")),
    }
    with pytest.raises(GrammarError, match=r"toy\.g4:3:7: 'expresion'.*'Expresion' meant"):
        normalize(Grammar("g", "A", rules))
    with pytest.raises(GrammarError, match=r"start rule 'Z' is not defined.*A, B"):
        normalize(small("A ::= a", "B ::= b", start="Z"))
    with pytest.raises(GrammarError, match="'A' derives no text"):
        normalize(small("A ::= ( A ) | B", "B ::= b A"))


def test_rules_without_an_end_are_left_out() -> None:
    assert show(normalize(small("A ::= a | B | C? c", "B ::= b B", "C ::= B"))) == [
        "A ::= a | c",
    ]
