"""The sample tester: order, budget, journal, time-outs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from marrow.engine.events import Event, SampleTested, ignore
from marrow.engine.executors.function import CallableExecutor, TestFunction
from marrow.engine.journal.journal import Journal
from marrow.engine.search import dispatcher
from marrow.engine.search.dispatcher import Limits, StopReductionError
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict


@dataclass(frozen=True)
class Text:
    text: bytes


def texts(count: int) -> Iterator[Text]:
    for number in range(count):
        yield Text(str(number).encode())


def odd(text: bytes) -> bool:
    # The earlier ones take longer, so that verdicts come in another order than candidates.
    time.sleep(0.002 * (9 - int(text) % 10))
    return int(text) % 2 == 1


Make: TypeAlias = Callable[..., CallableExecutor]


@pytest.fixture
def executor() -> Iterator[Make]:
    """Makes executors that end with the test."""
    with ExitStack() as stack:

        def make(test: TestFunction, workers: int = 1) -> CallableExecutor:
            return stack.enter_context(closing(CallableExecutor(test, workers)))

        yield make


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_verdicts_come_in_the_order_of_candidates(workers: int, executor: Make) -> None:
    events: list[Event] = []
    tester = SampleTester(executor(odd, workers), Journal.in_memory(), events.append)
    answers = [(one.text, verdict) for one, verdict in tester.verdicts(texts(20))]
    assert [int(text) for text, _ in answers] == list(range(20))
    assert all((verdict is Verdict.INTERESTING) == odd(text) for text, verdict in answers)
    assert tester.counts.needed == tester.counts.tests == 20
    assert len([event for event in events if isinstance(event, SampleTested)]) == 20


@pytest.mark.parametrize("workers", [1, 4])
def test_nothing_is_counted_that_was_not_asked_for(workers: int, executor: Make) -> None:
    tester = SampleTester(executor(odd, workers), Journal.in_memory())
    with closing(tester.verdicts(texts(100))) as verdicts:
        for _ in range(3):
            next(verdicts)
    assert tester.counts.needed == 3
    assert tester.counts.tests < 100
    if workers == 1:
        assert tester.counts.tests == 3


@pytest.mark.parametrize("workers", [1, 4])
def test_the_limit_is_reached_in_stream_order(workers: int, executor: Make) -> None:
    tester = SampleTester(
        executor(odd, workers),
        Journal.in_memory(),
        ignore,
        Limits(tests=7),
    )
    with pytest.raises(StopReductionError, match="7 tests"):
        list(tester.verdicts(texts(100)))
    assert tester.counts.needed == tester.counts.tests == 7


def test_known_verdicts_cost_no_test(executor: Make) -> None:
    journal = Journal.in_memory()
    first = SampleTester(executor(odd), journal, ignore)
    list(first.verdicts(texts(5)))
    second = SampleTester(executor(odd), journal, ignore, Limits(tests=0))
    assert len(list(second.verdicts(texts(5)))) == 5
    assert second.counts.tests == 0
    assert second.counts.cached == 5


def test_a_time_out_is_tried_again_alone(executor: Make) -> None:
    lock = threading.Lock()
    running = 0
    alone: list[bool] = []
    calls: dict[bytes, int] = {}

    def test(text: bytes) -> Verdict:
        nonlocal running
        with lock:
            running += 1
            calls[text] = calls.get(text, 0) + 1
            again = calls[text] > 1
        time.sleep(0.005)
        with lock:
            if again:
                alone.append(running == 1)
            running -= 1
        if text == b"3":
            return Verdict.TIMEOUT
        if text == b"5" and not again:
            return Verdict.TIMEOUT
        return Verdict.INTERESTING

    tester = SampleTester(executor(test, 4), Journal.in_memory())
    answers = {one.text: verdict for one, verdict in tester.verdicts(texts(10))}
    assert answers.pop(b"3") is Verdict.TIMEOUT
    assert set(answers.values()) == {Verdict.INTERESTING}
    assert calls[b"3"] == calls[b"5"] == 2
    assert alone == [True, True]


def test_a_test_that_cannot_be_run_ends_it(executor: Make) -> None:
    def broken(text: bytes) -> bool:
        raise ValueError("no")

    tester = SampleTester(executor(broken), Journal.in_memory())
    with pytest.raises(dispatcher.TestFailureError, match="no"):
        next(tester.verdicts([Text(b"1")]))[1]
