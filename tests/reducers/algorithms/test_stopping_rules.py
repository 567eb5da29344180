"""Reducers that run while they pay, and the paces of type batching."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.algorithms.perses import perses
from marrow.reducers.algorithms.type_batching import (
    FAILED_SHARE,
    GRACE,
    HALVING,
    LEAST_COST,
    SAVINGS,
    Lead,
)
from marrow.reducers.streams.stream import Done, FewFailures, Stream, finish, while_it_pays
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree
from tests.reducers.algorithms.test_hdd import SameSlot, random_test
from tests.reducers.running import run
from tests.tree.strategies import trees


@dataclass(frozen=True)
class Failures:
    """A pace that allows some failures in all."""

    left: int

    def failed(self, _: Tree, __: Tree) -> Failures:
        return Failures(self.left - 1)

    def succeeded(self, _: Tree, __: Tree) -> Failures:
        return self

    def good(self, _: Tree) -> bool:
        return self.left > 0


@settings(max_examples=60)
@given(trees(12), st.integers(0, 2**32), st.integers(0, 30))
def test_the_same_attempts_up_to_the_end(tree: Tree, seed: int, most: int) -> None:
    interesting = random_test(tree, seed, 3)
    whole = run(tree, perses(SameSlot())(tree, finish), interesting)
    ends: list[tuple[str, Tree]] = []

    def stopped(after: Tree, _: Done) -> Stream | None:
        ends.append(("stopped", after))
        return None

    def done(after: Tree) -> Stream | None:
        ends.append(("done", after))
        return None

    paced = while_it_pays(perses(SameSlot()), Failures(most), stopped)
    part = run(tree, paced(tree, done), interesting)
    assert part.tried == whole.tried[: len(part.tried)]
    ((how, end),) = ends
    assert end.text == part.tree.text
    if how == "done":
        assert part.tried == whole.tried


def test_what_goes_first_has_to_halve_the_tree_in_a_few_attempts() -> None:
    front = TreeSitterFrontEnd("json")
    before, after = front.parse(b"[" + b"1, " * 99 + b"1]"), front.parse(b"[" + b"1, " * 49 + b"1]")
    pace = Lead()
    for _ in range(int(GRACE)):
        assert pace.good(before)
        pace = pace.failed(before, before)
    assert not pace.good(before)
    pace = pace.succeeded(before, after)
    attempts = 0
    while pace.good(after):
        pace, attempts = pace.failed(after, after), attempts + 1
    assert attempts == pytest.approx(HALVING, abs=1)
    for _ in range(100):
        pace = pace.succeeded(before, after)
    assert pace.left == SAVINGS


def test_an_attempt_costs_what_it_would_leave() -> None:
    front = TreeSitterFrontEnd("json")
    before, after = front.parse(b"[" + b"1, " * 99 + b"1]"), front.parse(b"[]")
    pace, attempts = Lead(), 0
    while pace.good(before):
        pace, attempts = pace.failed(before, after), attempts + 1
    assert attempts == pytest.approx(GRACE / LEAST_COST, abs=1)


def test_batches_have_patience_with_large_trees() -> None:
    front = TreeSitterFrontEnd("json")
    small, large = front.parse(b"[1, 2]"), front.parse(b"[" + b"1, " * 99 + b"1]")
    pace = FewFailures(share=FAILED_SHARE).failed(large, small)
    assert pace.good(large)
    assert not pace.good(small)
    assert pace.succeeded(large, small).good(small)
