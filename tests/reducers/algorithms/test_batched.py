"""Type batching: rates, schedules, beliefs, joint reduction, and the whole with its variants."""

from __future__ import annotations

import itertools
import math
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow import Settings, reduce
from marrow.engine.events import Event, Tried
from marrow.learn.model import PRIOR_MODEL, Curve, Model
from marrow.learn.types import Typed, node_type, removals
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.algorithms.joint_reduction import JointReduction
from marrow.reducers.algorithms.pardis import pardis
from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.type_batching import (
    BATCHED_VARIANTS,
    Expectation,
    Rates,
    estimated_rates,
    take_best,
    type_batched_reduction,
)
from marrow.reducers.passes.name_passes import cascade_delete
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import ROOT, Branch, Kind, Place, Token, Tree
from tests.reducers.algorithms.test_batched_example import in_order
from tests.reducers.algorithms.test_hdd import SameSlot, random_test, to_fixpoint, vanishing_places
from tests.reducers.running import run
from tests.tree.strategies import trees


def by_recursion(tree: Tree, place: Place, chances: dict[str, float], wanted: str | None) -> Rates:
    """tokens(n, τ) and queries(n, τ) as the paper prints them; all types where none is wanted."""
    node = tree.at(place)
    assert node is not None
    tokens = tests = 0.0
    for child in node.children:
        below = by_recursion(tree, place.child(child.key), chances, wanted).clean_up
        tokens, tests = tokens + below.tokens, tests + below.tests
    name = node_type(tree, place)
    if name is not None and wanted in (None, name):
        chance = chances[name]
        tokens = chance * node.token_count + (1 - chance) * tokens
        tests = 1 + (1 - chance) * tests
    return Rates({}, Expectation(tokens, tests))


@settings(max_examples=60)
@given(trees(15), st.integers(0, 2**32))
def test_estimates_are_those_of_the_equations(tree: Tree, seed: int) -> None:
    lots = random.Random(seed)
    names = {name for place, _ in tree.walk() if (name := node_type(tree, place))}
    model = Model("", {name: Curve(lots.uniform(-3, 3), 0.0) for name in sorted(names)})
    chances = {name: model.probability(name, 1.0) for name in names}
    rates = estimated_rates(tree, Beliefs(model, tree.token_count))
    assert rates.types.keys() == names
    for name, found in [*rates.types.items(), (None, rates.clean_up)]:
        expected = by_recursion(tree, ROOT, chances, name).clean_up
        assert math.isclose(found.tokens, expected.tokens, abs_tol=1e-9)
        assert math.isclose(found.tests, expected.tests, abs_tol=1e-9)


def rates(clean_up: float, **types: float) -> Rates:
    return Rates(
        {name: Expectation(rate, 1.0) for name, rate in types.items()}, Expectation(clean_up, 1.0)
    )


def test_schedules() -> None:
    assert take_best(rates(1.0, a=2.0, b=3.0), 0) == "b"
    assert take_best(rates(3.0, a=2.0, b=3.0), 0) is None
    assert in_order(("b", "a"))(rates(9.0, a=2.0), 0) == "a"


NODE = Typed(ROOT.child(0), Token("b", b"b"), "a/b")
OTHER = Typed(ROOT.child(1), Token("b", b"b"), "a/b")
EVEN = Model("c", {"a/b": Curve(0.0, 0.0)})


def test_outcomes_correct_the_model_unless_told_not_to() -> None:
    beliefs = Beliefs(EVEN, 100)
    assert beliefs.in_type("a/b", 50) == 0.5
    assert beliefs.after_success(["a/b"] * 8).in_type("a/b", 50) > 0.8
    assert beliefs.after_failure({NODE: 0.5}, 50).in_type("a/b", 50) < 0.5
    # That two nodes cannot go together says nothing certain of their type.
    assert beliefs.after_failure({NODE: 0.5, OTHER: 0.5}, 50).in_type("a/b", 50) == 0.5
    # Outcomes that contradict what was seen make it count less; those that agree do not.
    failures = beliefs
    for _ in range(30):
        failures = failures.after_failure({NODE: 0.5}, 80)
    waves = failures.after_success(["a/b"] * 30)
    assert failures.in_type("a/b", 50) < 0.1
    assert waves.in_type("a/b", 50) > 0.9
    assert beliefs.after_success(["a/b"] * 999).in_type("a/b", 50) > 0.99
    fixed = Beliefs(EVEN, 100, online=False)
    assert fixed.after_success(["a/b"] * 8) == fixed
    assert fixed.after_failure({NODE: 0.5}, 50).in_type("a/b", 50) == 0.5


def test_doubts_follow_bayes_and_fade_as_the_tree_shrinks() -> None:
    both = Beliefs(EVEN, 100).after_failure({NODE: 0.5, OTHER: 0.5}, 80)
    assert math.isclose(both.in_node(NODE.place, 0.5, 80), 1 / 3)
    alone = Beliefs(EVEN, 100).after_failure({NODE: 0.5}, 80)
    believed = [alone.in_node(NODE.place, 0.5, tokens) for tokens in (80, 60, 40, 20)]
    assert believed == pytest.approx([0.0, 0.125, 0.25, 0.375])
    assert [alone.in_doubt(NODE.place, 0.5, tokens) for tokens in (80, 50, 30)] == [1, 1, 0]
    assert alone.in_node(OTHER.place, 0.5, 80) == 0.5
    paper = Beliefs(EVEN, 100, online=False).after_failure({NODE: 0.5}, 80)
    assert paper.in_node(NODE.place, 0.5, 20) == 0.0
    assert not paper.in_doubt(NODE.place, 0.5, 80)


def test_without_time_the_mean_counts() -> None:
    model = Model("c", {"a/b": Curve(-3.0, 9.0)})
    varying, invariant = Beliefs(model, 100), Beliefs(model, 100, varying=False)
    assert varying.in_type("a/b", 100) > varying.in_type("a/b", 10)
    assert invariant.in_type("a/b", 100) == invariant.in_type("a/b", 10)


def everything_fails(chance: float, text: bytes) -> list[int]:
    """How many tokens each chunk has when every one of them fails."""
    tree = TreeSitterFrontEnd("json").parse(text)
    model = Model("", prior=dict.fromkeys(("branch", "token"), Curve(_logit(chance), 0.0)))
    stream = JointReduction(lambda _: True, "", lambda _, __: None).start(
        tree, Beliefs(model, tree.token_count, online=False)
    )
    assert stream is not None
    return [tree.token_count - attempt.tree.token_count for attempt in stream]


def _logit(chance: float) -> float:
    return math.log(chance / (1 - chance))


def test_chunks_grow_with_belief_and_shrink_with_failure() -> None:
    text = b"[" + b", ".join(b"%d" % at for at in range(30)) + b"]"
    bold, timid = everything_fails(0.9, text), everything_fails(0.3, text)
    assert bold[0] > 10 > timid[0]
    # At the end every node was tried alone: a number goes with its comma.
    assert bold[-30:] == [2] * 30
    assert timid == [2] * 30


@settings(max_examples=40)
@given(trees(12), st.integers(0, 2**32), st.integers(2, 6))
@pytest.mark.parametrize("name", BATCHED_VARIANTS)
def test_one_tree_minimal_for_any_test(name: str, tree: Tree, seed: int, rarity: int) -> None:
    interesting = random_test(tree, seed, rarity)
    clean_ups = (None, perses(SameSlot()), pardis(SameSlot()))
    first = clean_ups[seed % 3]
    last = None if first is None else cascade_delete
    reducer = type_batched_reduction(BATCHED_VARIANTS[name], PRIOR_MODEL, first=first, last=last)
    opened = run(tree, reducer(tree, finish), interesting).tree
    assert interesting(opened)
    assert opened.token_count <= tree.token_count
    clean_up = algorithm_of(name).stages(SameSlot(), Settings())[0]
    end = to_fixpoint(clean_up, opened, interesting)
    for place in vanishing_places(end):
        smaller = end.delete([place])
        assert smaller.text == end.text or not interesting(smaller)


def test_a_tree_without_tokens() -> None:
    """White space may be between parts that hold nothing; it has no tokens to halve."""
    parts = [Branch(Kind.REGULAR, "part", (), slot="part", key=key) for key in (0, 2)]
    tree = Tree(Branch(Kind.STAR, "parts", parts), head=b" ", tail=b" ")
    reducer = type_batched_reduction(
        BATCHED_VARIANTS["batched"], PRIOR_MODEL, first=pardis(SameSlot()), last=cascade_delete
    )
    assert not run(tree, reducer(tree, finish), lambda _: True).tree.token_count


def test_a_batch_gives_way_to_a_better_type_after_one_attempt_at_least() -> None:
    tree = TreeSitterFrontEnd("json").parse(b"[1, 2, 3, 4]")
    beliefs = Beliefs(PRIOR_MODEL, tree.token_count)

    def attempts(rival: float) -> int:
        stream = JointReduction(lambda _: True, "", lambda _, __: None, rival=rival).start(
            tree, beliefs
        )
        assert stream is not None
        return len(list(stream))

    assert attempts(100.0) == 1 < attempts(0.0)


def test_rows_of_which_most_can_go_are_left_to_perses() -> None:
    text = b"[" + b", ".join(b"%d" % at for at in range(1_000)) + b"]"

    def tests(name: str) -> int:
        result = reduce(text, lambda one: b"777" in one, language="json", algorithm=name)
        assert result.text.strip() == b"777"
        return result.tests

    assert tests("batched") <= tests("perses*")


PROGRAM = b"""int used(int a) { return a; }
int unused(int a) { return a + 1; }
int main(void) {
  int x = 1; int y = 2; int z;
  if (x) { puts("a"); puts("b"); z = y; puts("keep"); }
  y = unused(x) + used(y); z = y + 2; x = z * 3;
  return used(x);
}
"""


def keeps(text: bytes) -> bool:
    """Declared before use, as a compiler wants it."""
    calls = [(b"unused(x)", b"int unused"), (b"used(y)", b"int used"), (b"used(x)", b"int used")]
    return (
        b"int main(" in text
        and b'puts("keep")' in text
        and all(b in text for a, b in calls if a in text)
    )


@pytest.mark.parametrize("name", BATCHED_VARIANTS)
@pytest.mark.parametrize("clean_up", ["perses", "pardis"])
def test_exact_results(name: str, clean_up: str) -> None:
    settings = Settings(clean_up=clean_up)
    result = reduce(PROGRAM, keeps, language="c", algorithm=name, settings=settings)
    left = {"perses": b'intmain(){puts("keep");}', "pardis": b'intmain(){if(x){puts("keep");}}'}
    assert b"".join(result.text.split()) == left[clean_up]


def test_where_nothing_may_be_unused_elements_go_with_what_they_alone_use() -> None:
    functions = b"".join(b"int f%d() { return 1; }\n" % at for at in range(40))
    calls = b"".join(b"  x%d = f%d() + %d;\n  use(x%d);\n" % (at, at, at, at) for at in range(40))
    text = functions + b"int main() {\n" + calls + b"  use(main);\n}\n"

    def all_used(one: bytes) -> bool:
        names = re.findall(rb"[a-z]+[0-9]+", one)
        return b"f7()" in one and b"main" in one and all(names.count(name) > 1 for name in names)

    def left(name: str) -> int:
        return reduce(text, all_used, language="c", algorithm=name).tokens_after

    assert 2 * left("batched") < left("perses*")


@pytest.mark.parametrize("name", BATCHED_VARIANTS)
def test_any_number_of_workers_does_the_same(name: str) -> None:
    def steps(workers: int) -> list[bytes]:
        tried: list[bytes] = []

        def listen(event: Event) -> None:
            if isinstance(event, Tried):
                tried.append(event.attempt.tree.text)

        result = reduce(
            PROGRAM, keeps, language="c", algorithm=name, workers=workers, on_event=listen
        )
        return [*tried, result.text]

    assert steps(1) == steps(3)


def test_seeds_matter_where_lots_are_drawn() -> None:
    def first_batches(seed: int) -> list[str]:
        tree = TreeSitterFrontEnd("c").parse(PROGRAM)
        names = sorted({one.type for _, one in removals(tree)})
        model = Model("", {name: Curve(3.0 * (at % 3) - 4.0, 0) for at, name in enumerate(names)})
        stream = type_batched_reduction(BATCHED_VARIANTS["batched-random"], model, seed=seed)(
            tree, finish
        )
        assert stream is not None
        return [attempt.phase for attempt in stream]

    ways = [first_batches(seed) for seed in range(6)]
    assert ways == [first_batches(seed) for seed in range(6)]
    assert any(way != ways[0] for way in ways)


def test_deep_trees() -> None:
    depth = 3_000
    tree = TreeSitterFrontEnd("json").parse(b"[" * depth + b"1" + b"]" * depth)
    # One type alone promises no more than the clean-up, which tries the same nodes.
    assert type_batched_reduction(BATCHED_VARIANTS["batched"], PRIOR_MODEL)(tree, finish) is None
    stream = type_batched_reduction(BATCHED_VARIANTS["joint"], PRIOR_MODEL)(tree, finish)
    assert stream is not None
    assert len(list(itertools.islice(stream, 3))) == 3


def test_names() -> None:
    assert algorithm_of("batched").fixpoint
    assert algorithm_of("batched*").name == "batched"
    assert not algorithm_of("batched", Settings(once=True)).fixpoint
    assert algorithm_of("perses").name == "perses"
    assert not algorithm_of("perses").fixpoint
    assert algorithm_of("Perses*").name == "perses*"
    assert algorithm_of("perses*", Settings(once=True)).name == "perses"
    with pytest.raises(LookupError, match="clean up"):
        Settings(clean_up="hdd")
