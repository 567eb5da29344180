"""Type batching in the setting of its paper (`--preset type-batched`)."""

from __future__ import annotations

import pytest

from marrow import reduce
from marrow.learn.model import Curve, Model, ModelError
from marrow.learn.types import removals
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.algorithms.joint_reduction import JointReduction
from marrow.reducers.algorithms.settings import PRESETS
from marrow.reducers.algorithms.type_batching import (
    PERMUTED,
    Expectation,
    Rates,
    chosen_types,
    estimated_rates,
    permuted,
)
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree

PROGRAM = b"""int g; struct s { int a; int b; };
int f(int x) { int y = x; if (y) { y = 2; y = 3; } while (y) y--; return y; }
int main(void) { g = 1; f(2); f(3); return g; }
"""


def tree() -> Tree:
    return TreeSitterFrontEnd("c").parse(PROGRAM)


def test_beliefs_in_nodes_are_apart_from_the_curves() -> None:
    """b_n is that of probabilistic delta debugging, whatever the model says of the type."""
    pessimist = Model("c", {}, {shape: Curve(-9.0, 0.0) for shape in Model("c").prior})
    beliefs = Beliefs(pessimist, 100, online=False, initial=0.9)
    place = next(iter(removals(tree())))[1].place
    assert beliefs.in_node(place, beliefs.in_type("any", 100), 100) == 0.9
    # With the curve the first chunk would be one node; with b_n it is several.
    chunks = []
    for initial in (None, 0.9):
        found = Beliefs(pessimist, 100, online=False, initial=initial)
        batch = JointReduction(lambda _: True, "", lambda _, __: None)
        stream = batch.start(tree(), found)
        assert stream is not None
        chunks.append(len(next(stream).tree.edits))
    assert chunks[0] == 1
    assert chunks[1] >= 1


def test_rates_come_from_the_model_alone() -> None:
    beliefs = Beliefs(Model("c"), 100, online=False, initial=0.9)
    doubting = beliefs.doubting([one.place for _, one in removals(tree())], 100)
    assert estimated_rates(tree(), beliefs) == estimated_rates(tree(), doubting)


def test_every_batch_begins_anew() -> None:
    beliefs = Beliefs(Model("c"), 100, online=False, initial=0.9)
    doubting = beliefs.doubting([one.place for _, one in removals(tree())], 100)
    assert not doubting.for_batch().doubts


def test_equation_2_is_successes_over_tries() -> None:
    curve = Curve(3.0, -1.0, 40, 10)
    assert curve.mean == 0.25
    assert Beliefs(Model("c", {"t": curve}), 10, online=False, varying=False).in_type(
        "t", 5
    ) == pytest.approx(0.25)
    # A model that does not know them says what its curve says on average.
    assert Curve(3.0, -1.0, 40).mean == pytest.approx(0.92, abs=0.01)


def test_models_keep_the_successes() -> None:
    model = Model("c", {"t": Curve(3.0, -1.0, 40, 10), "u": Curve(1.0, 0.0, 4)})
    assert Model.from_json(model.to_json()) == model


def test_more_successes_than_tries_are_refused() -> None:
    text = Model("c", {"t": Curve(3.0, -1.0, 40, 10)}).to_json().replace("10", "50")
    with pytest.raises(ModelError, match="successes"):
        Model.from_json(text)


def test_random_schedules_permute_the_types_that_the_technique_chose() -> None:
    chosen = chosen_types(tree(), Beliefs(Model("c"), 100, online=False, initial=0.9))
    assert len(chosen) > 1
    orders = set()
    for seed in range(40):
        schedule = permuted(seed, chosen)
        left = dict.fromkeys(chosen, Expectation(1.0, 1.0))
        order: list[str] = []
        while (name := schedule(Rates(left, Expectation()), len(order))) is not None:
            order.append(name)
            del left[name]
        assert len(order) == min(PERMUTED, len(chosen))
        orders.add(tuple(order))
    assert tuple(chosen[:PERMUTED]) not in orders
    assert {frozenset(order) for order in orders} == {frozenset(chosen[:PERMUTED])}


def test_the_preset_is_the_algorithm_with_pardis_behind_it() -> None:
    result = reduce(PROGRAM, lambda text: b"f(3)" in text, language="c", preset="type-batched")
    assert b"f(3)" in result.text
    assert result.algorithm == "batched"
    assert PRESETS["type-batched"].settings.clean_up == "pardis"
