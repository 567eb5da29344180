"""The training task: the token stays, and what was tried is logged."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.scheduler import Scheduler
from marrow.reducers.algorithms.pardis import pardis
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.training.collect import Removal, TrainingLog, keeping
from marrow.tree import Tree

FRONT = TreeSitterFrontEnd("json")
TEXT = b"[1, [2, 2], 2]"


def run(kept: int, check: Callable[[bytes], bool], workers: int = 1) -> tuple[Tree, list[Removal]]:
    """Reduce the text to what the token of a number needs."""
    tree = FRONT.parse(TEXT)
    log = TrainingLog(tree.token_count, [])
    executor = CallableExecutor(check, workers)
    scheduler = Scheduler(executor, Journal.in_memory(), log)
    best = tree
    for better in scheduler.run(tree, keeping(pardis(FRONT)(tree, finish), kept), FRONT.validity()):
        best = better
    executor.close()
    return best, log.observations


def test_what_is_logged() -> None:
    best, observations = run(6, lambda _: True)  # [1, [2, 2], 2] without commas: the second 2
    assert best.text == b"[ [2] ]"
    assert observations == [
        # The inner array holds the token; then the other elements go, each at the size of its time.
        Removal("unused array/array", 11 / 11, False),
        # All numbers of a list at once: one removal, which fails as the token is among them.
        Removal("unused array/'number'", 11 / 11, False),
        Removal("unused array/'number'", 11 / 11, True),
        Removal("unused array/'number'", 9 / 11, True),
        Removal("unused array/'number'", 7 / 11, True),
    ]


def test_a_failed_check_is_logged_as_one() -> None:
    best, observations = run(6, lambda _: False)
    assert best.text == TEXT
    assert not any(one.removed for one in observations)
    assert {one.ratio for one in observations} == {1.0}


def test_equal_tokens_are_told_apart() -> None:
    """The text that is left is the same whichever 2 goes, but not the token that is left."""
    serials = [token.serial for token in FRONT.parse(TEXT).tokens() if token.text == b"2"]
    for serial in serials:
        best, _ = run(serial, lambda _: True)
        assert [token.serial for token in best.tokens() if token.text == b"2"] == [serial]


@settings(max_examples=40)
@given(st.integers(0, 10), st.sets(st.integers(0, 7)), st.sampled_from([1, 3]))
def test_the_token_is_never_lost(kept: int, accepted: set[int], workers: int) -> None:
    def check(text: bytes) -> bool:
        return sum(text) % 8 in accepted

    best, observations = run(kept, check, workers)
    assert kept in [token.serial for token in best.tokens()]
    assert all(0 < one.ratio <= 1 for one in observations)
    assert observations == run(kept, check)[1]
