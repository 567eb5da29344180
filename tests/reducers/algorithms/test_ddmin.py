"""ddmin: 1-minimal against brute force, and the order and number of tests of the figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.reducers.algorithms.ddmin import (
    AS_PRINTED,
    Configuration,
    Ddmin,
    delete_places,
    split,
    split_by_weight,
)
from marrow.reducers.algorithms.list_minimizers import minimizer_of
from marrow.reducers.streams.stream import Stream
from marrow.tree import ROOT, Branch, Kind, Place, Token, Tree
from tests.reducers.running import Run, run


def weight(_: Tree, place: Place) -> int:
    return 1 + place.key % 7


OPTIONS_OF_DDMIN = [
    Ddmin(subsets=subsets, factor=factor, backwards=backwards, restart=restart)
    for subsets in (False, True)
    for factor in (2, 3, 8)
    for backwards in (False, True)
    for restart in (False, True)
]

OPTIONS: list[Ddmin | str] = [
    "probdd",
    "cdd",
    "wdd",
    *OPTIONS_OF_DDMIN,
]


def numbers(count: int, kind: Kind = Kind.STAR) -> Tree:
    tokens = [
        Token("n", str(n).encode(), slot="n", key=n, before=b" ", after=b" ", serial=n)
        for n in range(count)
    ]
    return Tree(Branch(kind, "list", tokens))


def kept(tree: Tree) -> frozenset[int]:
    return frozenset(int(token.text) for token in tree.tokens())


def minimise(
    count: int,
    interesting: Callable[[frozenset[int]], bool],
    options: Ddmin | str,
    minimum: int = 0,
) -> Run:
    tree = numbers(count, Kind.PLUS if minimum else Kind.STAR)
    places = tuple(ROOT.child(n) for n in range(count))
    ends: list[tuple[Place, ...]] = []

    def done(result: Configuration[Place]) -> Stream | None:
        ends.append(result.elements)
        assert kept(result.tree) == {place.key for place in result.elements}
        return None

    configuration = Configuration(tree, places, delete_places, minimum, weigh=weight)
    minimize = minimizer_of(options) if isinstance(options, str) else options
    result = run(tree, minimize(configuration, done), lambda t: interesting(kept(t)))
    assert {place.key for place in ends[-1]} == kept(result.tree)
    return result


@given(
    st.integers(1, 9),
    st.sets(st.frozensets(st.integers(0, 8), max_size=4), max_size=12),
    st.sampled_from(OPTIONS),
    st.sampled_from([0, 1]),
)
def test_one_minimal_for_any_test(
    count: int, liked: set[frozenset[int]], options: Ddmin | str, minimum: int
) -> None:
    everything = frozenset(range(count))

    def interesting(chosen: frozenset[int]) -> bool:
        return chosen == everything or chosen in liked

    left = kept(minimise(count, interesting, options, minimum).tree)
    assert interesting(left)
    for one in left:
        rest = left - {one}
        assert len(rest) < minimum or not interesting(rest)


@given(
    st.integers(1, 40),
    st.sets(st.integers(0, 39), max_size=5),
    st.sampled_from(OPTIONS),
)
def test_finds_the_needed_ones(count: int, needed: set[int], options: Ddmin | str) -> None:
    wanted = frozenset(n for n in needed if n < count)
    result = minimise(count, lambda chosen: wanted <= chosen, options)
    assert kept(result.tree) == wanted


def test_order_of_the_figure() -> None:
    # Zeller's example: eight elements of which the first, seventh and eighth are needed.
    wanted = frozenset({0, 6, 7})
    result = minimise(8, lambda chosen: wanted <= chosen, AS_PRINTED)
    assert [text.decode() for text in result.tried[:4]] == ["", "0 1 2 3", "4 5 6 7", "0 1"]
    assert [text.decode() for text in result.accepted] == [
        "0 1 4 5 6 7",  # n = 4: the complement of the second quarter
        "0 1 6 7",  # n = 3: the complement of the third part
        "0 6 7",
    ]


def test_worst_case_bound() -> None:
    # No subset will do: the paper's bound is |c|² + 3|c| tests.
    for count in (2, 5, 8, 13):
        everything = frozenset(range(count))
        result = minimise(count, everything.__eq__, AS_PRINTED)
        assert len(result.tried) <= count * count + 3 * count


def test_complements_only_skip_subsets() -> None:
    everything = 16
    wanted = frozenset({3, 12})
    few = minimise(everything, lambda chosen: wanted <= chosen, Ddmin())
    many = minimise(everything, lambda chosen: wanted <= chosen, Ddmin(subsets=True))
    assert kept(few.tree) == kept(many.tree) == wanted
    assert len(few.tried) <= len(many.tried)


def test_minimum_is_kept() -> None:
    result = minimise(6, lambda chosen: True, Ddmin(), minimum=1)
    assert len(kept(result.tree)) == 1


@given(st.lists(st.integers(), min_size=1, max_size=50), st.integers(1, 50))
def test_split_is_even_and_complete(elements: Sequence[int], count: int) -> None:
    count = min(count, len(elements))
    parts = split(elements, count)
    assert [element for part in parts for element in part] == list(elements)
    assert len(parts) == count
    sizes = {len(part) for part in parts}
    assert max(sizes) - min(sizes) <= 1


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30), st.integers(1, 30))
def test_split_by_weight_is_complete_and_fair(weights: list[int], count: int) -> None:
    count = min(count, len(weights))
    parts = split_by_weight(range(len(weights)), weights, count)
    assert [element for part in parts for element in part] == list(range(len(weights)))
    assert len(parts) == count
    assert all(parts)
    # No part is heavier than a fair share plus the two elements at its ends.
    for part in parts:
        weight = sum(weights[i] for i in part)
        assert len(part) == 1 or weight <= sum(weights) / count * 2 + 2 * max(weights)


def test_probdd_needs_fewer_tests_where_little_is_needed() -> None:
    wanted = frozenset({7, 61})
    few = minimise(100, wanted.issubset, "probdd")
    many = minimise(100, wanted.issubset, AS_PRINTED)
    assert kept(few.tree) == kept(many.tree) == wanted
    assert len(few.tried) < len(many.tried)


def test_split_factor_must_split() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        Ddmin(factor=1)


def test_brute_force_reference_agrees_on_monotone_tests() -> None:
    # On a monotone test with one minimal set, every 1-minimal result is the global minimum.
    for size in range(1, 5):
        for wanted in combinations(range(6), size):
            needed = frozenset(wanted)
            result = minimise(6, needed.issubset, Ddmin())
            assert kept(result.tree) == needed
