"""Models: curves, their JSON form, and the types of nodes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.learn.model import (
    PRIOR_MODEL,
    Curve,
    Model,
    ModelError,
    load_model,
    with_plain_types,
)
from marrow.learn.types import node_type, plain_type, removals, type_frontier, whole_type
from marrow.reducers.algorithms.prepare import flatten
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import ROOT

numbers = st.floats(-1e6, 1e6)
curves = st.builds(Curve, numbers, numbers, st.integers(0, 10**9))
names = st.text(max_size=5)


@given(curves, st.floats(0, 1))
def test_probabilities(curve: Curve, ratio: float) -> None:
    assert 0.0 <= curve.probability(ratio) <= 1.0


def test_the_mean_is_the_share_of_successes_or_else_the_middle_of_the_curve() -> None:
    assert Curve(3.0, 1.0, observations=4, successes=1).mean == 0.25
    assert Curve(3.0, -6.0).mean == 0.5


def test_logistic() -> None:
    assert Curve(0, 0).probability(0.3) == 0.5
    assert math.isclose(Curve(1, -2).probability(1.0), 1 / (1 + math.e))


@pytest.mark.parametrize(("depth", "place"), [(5_000, "provenance"), (200, "curves")])
def test_a_text_that_is_nested_too_deep_is_not_a_model(depth: int, place: str) -> None:
    text = PRIOR_MODEL.to_json()
    deep = "[" * depth + "]" * depth
    document = text.replace(f'"{place}": {{}}', f'"{place}": {{"deep": {deep}}}')
    assert document != text
    with pytest.raises(ModelError, match="not a model"):
        Model.from_json(document)


@given(st.dictionaries(names, curves))
def test_json_round_trip(known: dict[str, Curve]) -> None:
    model = Model("c", known, provenance={"date": "2026-01-01", "queries": 3})
    assert Model.from_json(model.to_json()) == model


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 2, "language": "c", "curves": {}, "prior": {}, "provenance": {}}',
        '{"format": 1, "language": "c", "curves": {"a": [1]}, "prior": {}, "provenance": {}}',
        '{"format": 1, "language": "c", "curves": {"a": [NaN, 1, 1]}, "prior": {},'
        ' "provenance": {}}',
    ],
)
def test_what_is_no_model(text: str) -> None:
    with pytest.raises(ModelError):
        Model.from_json(text)


def test_unknown_types_have_the_curve_of_their_shape() -> None:
    assert PRIOR_MODEL.probability("a/b", 1.0) > PRIOR_MODEL.probability("a/'b'", 1.0) > 0
    assert load_model("no such language") is None


def test_types_of_nodes() -> None:
    text = b"int x; void f(int a) { int y; g(a, 1); if (y) { g(); } return a + 1 + 2; }"
    tree = flatten(TreeSitterFrontEnd("c").parse(text))
    assert {whole_type(one.type) for _, one in removals(tree)} >= {
        "translation_unit/declaration",
        "translation_unit/function_definition",
        "parameter_list/parameter_declaration",
        "compound_statement/declaration",
        "compound_statement/expression_statement",
        "compound_statement/if_statement",
        "argument_list/'identifier'",
        "argument_list/'number_literal'",
        "binary_expression/'number_literal'",
        "return_statement/binary_expression",
    }
    typed = sorted(name for place, _ in tree.walk() if (name := node_type(tree, place)))
    assert sorted(one.type for _, one in removals(tree)) == typed


def test_types_are_split_by_the_uses_of_what_a_node_introduces() -> None:
    text = b"void f(char a, long b) { short x; float y; x = a; } void g() { x(); }"
    tree = TreeSitterFrontEnd("c").parse(text)
    types = {
        (one.node.first.text if one.node.first else b""): one.type for _, one in removals(tree)
    }
    assert types[b"char"] == "used parameter_list/parameter_declaration"
    assert types[b"long"] == "unused parameter_list/parameter_declaration"
    assert types[b"short"] == "used compound_statement/declaration"
    assert types[b"float"] == "unused compound_statement/declaration"
    plain = {one.type for _, one in removals(tree, plain=True)}
    assert {plain_type(one.type) for _, one in removals(tree)} == plain


def test_half_a_type_has_the_curve_of_the_whole_if_it_has_none() -> None:
    model = Model("x", {"a/b": Curve(1, 0), "used a/b": Curve(-1, 0)})
    assert model.curve("used a/b") == Curve(-1, 0)
    assert model.curve("unused a/b") == Curve(1, 0)
    assert model.curve("unused a/c") == model.prior["branch"]


def test_frontier_stops_at_the_highest() -> None:
    text = b"void f() { if (a) { if (b) { g(); } } h(); }"
    tree = TreeSitterFrontEnd("c").parse(text)
    found = type_frontier(tree, ROOT, lambda one: one.type.endswith("/if_statement"))
    assert [one.node.token_count for one in found] == [16]
    below = type_frontier(tree, found[0].place, lambda one: one.type.endswith("/if_statement"))
    assert [(whole_type(one.type), one.node.token_count) for one in below] == [
        ("compound_statement/if_statement", 10)
    ]


def test_plain_types_pool_the_curves_of_their_rule() -> None:
    curves = {
        "a/x": Curve(1.0, 0.0, 30, 20),
        "b/x": Curve(4.0, 3.0, 10, 10),
        "used a/x": Curve(9, 9),
    }
    pooled = with_plain_types(Model("c", curves)).curve("x")
    assert pooled == Curve(1.75, 0.75, 40, 30)
