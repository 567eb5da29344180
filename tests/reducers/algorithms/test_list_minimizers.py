"""List minimisers: all end with the one-by-one check, and a plus keeps its last element."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.scheduler import Scheduler
from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS, minimizer_of
from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from tests.reducers.algorithms.test_ddmin import kept, minimise

NAMES = sorted(LIST_MINIMIZERS)


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(0, 1), st.sets(st.integers(0, 11)), st.integers(0, 3))
@pytest.mark.parametrize("name", NAMES)
def test_no_candidate_has_too_few_elements_and_the_end_is_minimal(
    name: str, count: int, minimum: int, wanted: set[int], odd: int
) -> None:
    needed = frozenset(one for one in wanted if one < count)

    def interesting(left: frozenset[int]) -> bool:
        # Not monotone: with some sizes nothing else is interesting either.
        return needed <= left and (len(left) % 4 != odd or len(left) == count)

    result = minimise(count, interesting, name, minimum)
    tried = [frozenset(map(int, text.split())) for text in result.tried]
    assert all(len(one) >= minimum for one in tried)
    end = kept(result.tree)
    if len(end) > minimum:
        assert not any(interesting(end - {one}) for one in end)


@pytest.mark.parametrize("name", NAMES)
def test_one_that_must_stay_costs_no_test(name: str) -> None:
    assert minimise(1, lambda _: True, name, minimum=1).tried == []


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_tested_twice_and_the_last_pass_is_known(name: str) -> None:
    front = TreeSitterFrontEnd("javascript")
    text = b"function f(a, b) { if (a) { g(1, 2); } else { h(); } return [a, b, 3]; } f(1, 2);"
    tested: list[bytes] = []

    def test(candidate: bytes) -> bool:
        tested.append(candidate)
        return b"g(" in candidate and b"3" in candidate

    algorithm = algorithm_of("perses*", Settings(minimize=minimizer_of(name)))
    executor = CallableExecutor(test, 1)
    scheduler = Scheduler(executor, Journal.in_memory())
    best = front.parse(text)
    reducer = algorithm.reducer(front, front.parse)
    for better in scheduler.run(best, reducer(best, finish), front.validity()):
        best = better
    assert len(tested) == len(set(tested)) == scheduler.counts.tests
    # Another pass over the result, which is what ended the fixpoint, asks for nothing new.
    again = front.parse(best.text)
    before = len(tested)
    assert list(scheduler.run(again, reducer(again, finish), front.validity())) == []
    assert len(tested) == before
    executor.close()
