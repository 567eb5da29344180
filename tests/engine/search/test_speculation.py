"""Looking ahead: what is most likely needed comes first, and nothing of it shows in the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.search.speculation import (
    Scenario,
    SearchContext,
    SuccessEstimates,
    Traits,
)
from marrow.engine.verdict import Verdict
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.reducers.streams.stream import Attempt, Stream
from marrow.syntax.portion import Portion
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Tree
from tests.engine.search.simulated import Simulated, simulate

LINES = b"\n".join(b"word%d" % number for number in range(64))


def reduced(
    test: Callable[[bytes], bool], workers: int, text: bytes = LINES, name: str = "hddr*"
) -> Simulated:
    def verdict(candidate: bytes) -> Verdict:
        return Verdict.INTERESTING if test(candidate) else Verdict.NOT_INTERESTING

    view = view_of("x", text, "words")
    return simulate(text, view, verdict, workers, 1.0, algorithm=algorithm_of(name), own=False)


def every_fourth(candidate: bytes) -> bool:
    """Lines go one by one only: one attempt in a few succeeds."""
    return all(b"word%d" % number in candidate for number in range(0, 64, 4))


def test_one_worker_makes_no_test_in_vain() -> None:
    run = reduced(every_fourth, 1)
    assert run.started == run.counts.needed == run.seconds


@pytest.mark.parametrize("workers", [2, 8, 64])
def test_more_workers_need_less_time_for_the_same_tests(workers: int) -> None:
    alone, many = reduced(every_fourth, 1), reduced(every_fourth, workers)
    assert many.result.text == alone.result.text
    assert many.counts.needed == alone.counts.needed
    assert many.started > many.counts.needed
    # Each test in vain was one that a free worker could make.
    assert many.seconds * workers >= many.started - workers
    assert many.seconds < alone.seconds / {2: 1.4, 8: 2.5, 64: 4}[workers]


def test_successes_are_looked_behind() -> None:
    """Where most attempts succeed, looking ahead as if they failed would bring nothing."""
    rows = [b"drop%d keep%d" % (number, number) for number in range(20)]
    text = b"\n".join(rows)

    def test(candidate: bytes) -> bool:
        # Only one word may go at once, and always the last.
        kept = candidate.count(b"drop")
        return all(b"keep%d" % number in candidate for number in range(20)) and all(
            b"drop%d " % number in candidate + b" " for number in range(kept)
        )

    alone = reduced(test, 1, text, "pardis*")
    many = reduced(test, 16, text, "pardis*")
    assert many.result.text == alone.result.text
    assert alone.counts.accepted >= 15
    assert many.seconds < alone.seconds / 3


@settings(max_examples=4)
@given(st.integers(0, 10**6), st.sampled_from([3, 16, 64]))
def test_the_pipeline_goes_the_same_way(salt: int, workers: int) -> None:
    text = b"""
int helper(int first, int second) { return first + second; }
int other(int a) { if (a > 1) { return 22; } return helper(a, 7); }
int main(void) { return needle(3) + other(4); }
"""

    def verdict(candidate: bytes) -> Verdict:
        luck = hash((salt, candidate.count(b" "), len(candidate))) % 3
        good = b"needle" in candidate and (luck > 0 or candidate == text)
        return Verdict.INTERESTING if good else Verdict.NOT_INTERESTING

    view = view_of("a.c", text, None)
    one = simulate(text, view, verdict, 1, algorithm=Pipeline(), own=False)
    many = simulate(text, view, verdict, workers, algorithm=Pipeline(), own=False)
    assert many.result.text == one.result.text
    assert many.counts.needed == one.counts.needed
    assert many.counts.attempts == one.counts.attempts


def test_what_is_needed_is_tested_though_more_was_looked_ahead_than_workers_are_left_for() -> None:
    """A test that gave way, or was not begun, when there were more workers."""
    tree = TextFrontEnd("lines").parse(b"\n".join(b"%d" % number for number in range(100)))
    (lines,) = (node for _, node in tree.walk() if len(node.children) == 100)
    place = next(place for place, node in tree.walk() if node is lines)

    def stream() -> Stream:
        for child in lines.children:
            yield Attempt(tree.delete([place.child(child.key)]), lambda: None)
        return None

    executor = CallableExecutor(lambda _: False, workers=1)
    scheduler = Scheduler(executor, Journal.in_memory())
    ground = SearchContext(Portion(tree.text, ()), frozenset(), frozenset())
    actual = Scenario.actual(ground, tree, stream(), None)
    while actual.take():
        pass
    assert len(actual.queue) == 100
    try:
        assert scheduler._first_interesting(actual) is None
    finally:
        executor.close()
    assert scheduler.counts.needed == 100


def test_the_round_that_makes_sure_is_looked_ahead_into(monkeypatch: pytest.MonkeyPatch) -> None:
    """It follows in the same stream; there is one for each front end, and one that closes."""
    begun: list[bytes] = []
    run = Scheduler.run

    def noted(self: Scheduler, tree: Tree, *rest: Any) -> Iterator[Tree]:
        begun.append(tree.text)
        return run(self, tree, *rest)

    def verdict(candidate: bytes) -> Verdict:
        return Verdict.INTERESTING if b"needle" in candidate else Verdict.NOT_INTERESTING

    monkeypatch.setattr(Scheduler, "run", noted)
    text = b"int f(int a) { return a + needle(22); }\n"
    view = view_of("a.c", text, None)
    result = simulate(text, view, verdict, 16, algorithm=Pipeline(), own=False).result
    assert len(result.text) < len(text)
    assert begun == [*[text] * len(view.all_fronts), result.text]


def attempt(phase: str, left: int = 63) -> Traits:
    """Return the traits of an attempt on 64 words that leaves so many of them."""
    parse = TextFrontEnd("words").parse
    return Traits.of(Attempt(parse(b"a " * left), lambda: None, phase), parse(b"a " * 64))


def test_odds_follow_what_was_seen_last_and_the_phase() -> None:
    odds = SuccessEstimates()
    first = odds.of(attempt("one"))
    assert 0.0 < first < 0.5
    for _ in range(30):
        odds.saw(attempt("one"), True)
        odds.saw(attempt("two"), False)
    assert odds.of(attempt("one")) > 0.6
    assert odds.of(attempt("two")) < 0.3
    assert odds.of(attempt("two")) < odds.of(attempt("three")) < odds.of(attempt("one"))
    for _ in range(30):
        odds.saw(attempt("one"), False)
    assert odds.of(attempt("one")) < 0.2


def test_odds_know_that_much_goes_less_often_than_little() -> None:
    odds = SuccessEstimates()
    for _ in range(20):
        odds.saw(attempt("one", 0), False)
        odds.saw(attempt("two", 60), True)
    much, half, little = (odds.of(attempt("three", left)) for left in (1, 32, 60))
    assert much < half < little
