"""The scheduler: the same run for any number of workers, in whatever order verdicts come in."""

from __future__ import annotations

import hashlib
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from marrow.engine.events import Accepted, Event, Tried, Warned
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits, SearchCounts, StopReductionError
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.verdict import Verdict
from marrow.reducers.algorithms.drop_layout import drop_layout
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish, in_turn
from marrow.run.output.result import Ending
from marrow.run.reduction import Reduction
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.syntax.views import view_of
from marrow.tree import Tree

ALGORITHM = "coarse-hddr*"
FRONT = TextFrontEnd("words")

Predicate = Callable[[bytes], Verdict]

texts = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "d", "(", ")", "e1", "+"]), min_size=1, max_size=5),
    min_size=1,
    max_size=8,
).map(lambda lines: "\n".join(" ".join(line) for line in lines).encode())


def chance(text: bytes, salt: int) -> float:
    """A number from 0 to 1 that looks random but depends on the text alone."""
    key = salt.to_bytes(8, "big")
    return int.from_bytes(hashlib.blake2b(text, key=key, digest_size=4).digest(), "big") / 2**32


def predicate(original: bytes, salt: int, share: float) -> Predicate:
    """A deterministic test that gives every kind of verdict."""

    def test(candidate: bytes) -> Verdict:
        drawn = chance(candidate, salt)
        if candidate == original or drawn < share:
            return Verdict.INTERESTING
        if drawn > 0.95:
            return Verdict.TIMEOUT
        return Verdict.UNRESOLVED if drawn > 0.9 else Verdict.NOT_INTERESTING

    return test


@dataclass
class SomeInvalid:
    """A validity that refuses some candidates, by their text alone."""

    salt: int
    share: float = 0.2
    base: bytes = b""

    def rebase(self, tree: Tree) -> None:
        self.base = tree.text

    def copy(self) -> SomeInvalid:
        return replace(self)

    def valid(self, tree: Tree) -> bool:
        assert tree.origin is None or tree.origin.text == self.base
        return chance(tree.text, self.salt + 1) >= self.share


@dataclass
class Run:
    """What a run did, as far as it must not depend on the number of workers."""

    result: bytes
    steps: list[bytes]
    events: list[Event]
    needed: int
    cached: int
    invalid: int
    stopped: str


def run(text: bytes, test: Predicate, workers: int, salt: int, most: int | None) -> Run:
    jitter = random.Random(workers)
    asked: Counter[bytes] = Counter()

    def delayed(candidate: bytes) -> Verdict:
        asked[candidate] += 1
        if workers > 1:
            time.sleep(jitter.random() * 0.002)
        return test(candidate)

    executor = CallableExecutor(delayed, workers)
    events: list[Event] = []
    scheduler = Scheduler(executor, Journal.in_memory(), events.append, Limits(tests=most))
    validity = SomeInvalid(salt)
    tree = FRONT.parse(text)
    reducer = in_turn(algorithm_of(ALGORITHM).reducer(FRONT, FRONT.parse), drop_layout)
    steps: list[bytes] = []
    stopped = ""
    try:
        for better in scheduler.run(tree, reducer(tree, finish), validity):
            steps.append(better.text)
    except StopReductionError as reason:
        stopped = str(reason)
    finally:
        executor.close()
    counts: SearchCounts = scheduler.counts
    assert counts.tests >= counts.needed - (1 if stopped else 0)
    if workers == 1:
        twice = {candidate for candidate, times in asked.items() if times > 1}
        assert all(test(one) is Verdict.TIMEOUT for one in twice), "only time-outs are tested again"
        assert set(asked.values()) <= {1, 2}
        assert counts.tests == sum(asked.values())
    result = steps[-1] if steps else text
    return Run(
        result,
        steps,
        events,
        counts.needed,
        counts.cached,
        counts.invalid,
        stopped,
    )


@settings(max_examples=80)
@given(
    texts,
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.05, 0.2, 0.5]),
    st.sampled_from([None, None, 1, 3, 20]),
)
@example(b"a\nb\nc\nd", 0, 1.0, None)
def test_any_number_of_workers_does_the_same(
    text: bytes, salt: int, share: float, most: int | None
) -> None:
    test = predicate(text, salt, share)
    alone = run(text, test, 1, salt, most)
    for workers in (2, 3, 8):
        assert run(text, test, workers, salt, most) == alone
    assert test(alone.result) is Verdict.INTERESTING
    assert [event.after for event in alone.events if isinstance(event, Accepted)] == alone.steps
    tried = [event for event in alone.events if isinstance(event, Tried)]
    assert len(tried) == alone.needed + alone.cached + alone.invalid
    if most is not None:
        assert alone.needed <= most


@settings(max_examples=15)
@given(texts, st.integers(0, 2**32), st.integers(1, 30), st.sampled_from([1, 4]))
def test_resuming_asks_nothing_twice_and_ends_alike(
    tmp_path_factory: pytest.TempPathFactory, text: bytes, salt: int, first: int, workers: int
) -> None:
    path = tmp_path_factory.mktemp("journal") / "journal"
    test = predicate(text, salt, 0.1)
    asked: list[bytes] = []

    def logged(candidate: bytes) -> Verdict:
        asked.append(candidate)
        return test(candidate)

    def reduce(limits: Limits, *, resume: bool) -> bytes:
        executor = CallableExecutor(logged, workers)
        journal = Journal(path, {"input": "x"}, resume=resume)
        try:
            reduction = Reduction(
                text=text,
                view=view_of("x", text, "words"),
                strategy=algorithm_of(ALGORITHM),
                executor=executor,
                journal=journal,
                limits=limits,
            )
            return reduction.run().text
        finally:
            executor.close()
            journal.close()

    reduce(Limits(tests=first), resume=False)
    before = set(asked) if workers == 1 else set()
    asked.clear()
    resumed = reduce(Limits(), resume=True)
    assert not before & set(asked)
    asked.clear()
    assert reduce(Limits(), resume=True) == resumed
    assert asked == []
    assert reduce(Limits(), resume=False) == resumed


def test_what_is_known_to_succeed_is_taken_before_anything_behind_it_is_tested(
    tmp_path: Path,
) -> None:
    text = b"\n".join(b"word%d" % number for number in range(40))
    log: list[bytes] = []

    class Watched(CallableExecutor):
        def submit(self, candidate: bytes, *, capture: bool = False) -> Any:
            log.append(b"?" + candidate)
            return super().submit(candidate, capture=capture)

    def reduce(limits: Limits, *, resume: bool) -> bytes:
        executor = Watched(lambda candidate: b"word7" in candidate, 1)
        journal = Journal(tmp_path / "journal", {"input": "x"}, resume=resume)

        def listen(event: Event) -> None:
            if isinstance(event, Accepted):
                log.append(b"!" + event.after)

        try:
            view, algorithm = view_of("x", text, "words"), algorithm_of(ALGORITHM)
            reduction = Reduction(
                text=text,
                view=view,
                strategy=algorithm,
                executor=executor,
                journal=journal,
                listener=listen,
                limits=limits,
            )
            return reduction.run().text
        finally:
            executor.close()
            journal.close()

    best = reduce(Limits(tests=4), resume=False)
    assert len(best) < len(text)
    log.clear()
    reduce(Limits(), resume=True)
    first_test = next(at for at, line in enumerate(log) if line.startswith(b"?"))
    assert b"!" + best in log[:first_test]


@pytest.mark.parametrize("workers", [1, 4])
def test_a_test_that_fails_ends_the_run_and_keeps_the_best(workers: int) -> None:
    text = b"\n".join(b"word%d" % number for number in range(40))
    lock = threading.Lock()
    calls = 0

    def breaks(candidate: bytes) -> bool:
        nonlocal calls
        with lock:
            calls += 1
            if calls > 8:
                raise RuntimeError("out of order")
        return b"word7" in candidate and b"word30" in candidate

    executor = CallableExecutor(breaks, workers)
    kept: list[bytes] = []
    try:
        reduction = Reduction(
            text=text,
            view=view_of("x", text, "words"),
            strategy=algorithm_of(ALGORITHM),
            executor=executor,
            journal=Journal.in_memory(),
        )
        result = reduction.run(kept.append)
    finally:
        executor.close()
    assert result.ending is Ending.TEST_FAILED
    assert result.stopped is not None
    assert result.stopped.startswith("the test raised RuntimeError: out of order\n")
    assert len(result.text) < len(text)
    assert b"word7" in result.text
    assert kept[-1] == result.text
    assert result.guarantee.startswith("none")
    assert not [one for one in threading.enumerate() if one.name.startswith("marrow-")]


@pytest.mark.parametrize("workers", [1, 4])
def test_the_time_limit(workers: int) -> None:
    def slow(candidate: bytes) -> bool:
        time.sleep(0.02)
        return chance(candidate, 5) < 0.1

    text = b"\n".join(b"word%d" % number for number in range(200))
    executor = CallableExecutor(slow, workers)
    try:
        reduction = Reduction(
            text=text,
            view=view_of("x", text, "words"),
            strategy=algorithm_of(ALGORITHM),
            executor=executor,
            journal=Journal.in_memory(),
            limits=Limits(seconds=0.2),
        )
        result = reduction.run()
    finally:
        executor.close()
    assert (result.ending, result.stopped) == (Ending.LIMIT, "the time limit is reached")


def test_a_journal_that_fails_is_told_once_and_the_run_goes_on(tmp_path: Path) -> None:
    text = b"\n".join(b"word%d" % number for number in range(20))
    events: list[Event] = []
    journal = Journal(tmp_path / "journal", {}, resume=False)
    executor = CallableExecutor(lambda candidate: b"word7" in candidate)
    try:
        assert journal._database is not None
        journal._database.execute("PRAGMA query_only = ON")
        reduction = Reduction(
            text=text,
            view=view_of("x", text, "words"),
            strategy=algorithm_of(ALGORITHM),
            executor=executor,
            journal=journal,
            listener=events.append,
        )
        result = reduction.run()
    finally:
        executor.close()
        journal.close()
    warnings = [event.message for event in events if isinstance(event, Warned)]
    assert len(warnings) == 1
    assert "journal" in warnings[0]
    assert "cannot be resumed" in warnings[0]
    assert result.text == b"word7"
