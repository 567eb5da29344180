"""Time-outs: a test that timed out is run once more, alone, and the second outcome decides."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from marrow.engine.events import Event, Tried
from marrow.engine.executors.executor import Executor, Job
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.executors.quorum import Quorum
from marrow.engine.executors.votes import VoteExecutor
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.dispatcher import SearchCounts
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.text_front_end import TextFrontEnd
from tests.engine.scripts import command, quoted

FRONT = TextFrontEnd("words")
LINES = b"\n".join(b"word%d" % number for number in range(24))


def good(candidate: bytes) -> bool:
    return all(b"word%d" % number in candidate for number in (3, 11, 12, 20))


class Busy:
    """A test that is too slow as soon as another one runs beside it."""

    def __init__(self, hangs: Callable[[bytes], bool] = lambda _: False) -> None:
        self.calls: Counter[bytes] = Counter()
        self.late: list[bytes] = []
        self._hangs = hangs
        self._lock = threading.Lock()
        self._running = 0
        self._crowds: dict[int, bool] = {}

    def __call__(self, candidate: bytes) -> Verdict:
        me = threading.get_ident()
        with self._lock:
            self.calls[candidate] += 1
            # A function that was cancelled cannot be stopped: one that is run again, alone, may
            # begin while such a one ends.
            again = self.calls[candidate] > 1
        while again and self._running:
            time.sleep(0.001)
        with self._lock:
            self._running += 1
            self._crowds[me] = False
            if self._running > 1:
                self._crowds = dict.fromkeys(self._crowds, True)
        time.sleep(0.002)
        with self._lock:
            self._running -= 1
            if self._crowds.pop(me) or self._hangs(candidate):
                self.late.append(candidate)
                return Verdict.TIMEOUT
        return Verdict.INTERESTING if good(candidate) else Verdict.NOT_INTERESTING


@dataclass
class Reduced:
    result: bytes
    verdicts: list[Verdict | None]
    counts: SearchCounts
    journal: Journal


def reduced(executor: Executor, text: bytes = LINES) -> Reduced:
    journal = Journal.in_memory()
    events: list[Event] = []
    scheduler = Scheduler(executor, journal, events.append)
    tree = FRONT.parse(text)
    reducer = algorithm_of("hddr*").reducer(FRONT, FRONT.parse)
    with closing(executor):
        for better in scheduler.run(tree, reducer(tree, finish), None):
            tree = better
    verdicts = [event.verdict for event in events if isinstance(event, Tried)]
    return Reduced(tree.text, verdicts, scheduler.counts, journal)


@pytest.mark.parametrize("workers", [2, 4])
def test_a_busy_machine_does_not_change_a_result(workers: int) -> None:
    alone = reduced(CallableExecutor(Busy(), 1))
    busy = Busy()
    many = reduced(CallableExecutor(busy, workers))
    assert busy.late, "tests ran beside each other"
    assert many.result == alone.result == b"word3\nword11\nword12\nword20"
    assert many.verdicts == alone.verdicts
    assert (many.counts.needed, many.counts.asked) == (alone.counts.needed, alone.counts.asked)
    assert Verdict.TIMEOUT not in many.verdicts


@pytest.mark.parametrize("workers", [1, 4])
def test_what_times_out_alone_too_counts_as_a_time_out(workers: int) -> None:
    hanging = Busy(hangs=lambda candidate: b"word5" not in candidate and b"word7" in candidate)
    run = reduced(CallableExecutor(hanging, workers))
    assert Verdict.TIMEOUT in run.verdicts
    assert run.journal.get(digest(run.result)) is Verdict.INTERESTING
    if workers == 1:
        assert all(hanging.calls[one] == 2 for one in hanging.late)
        assert run.counts.needed == len(hanging.calls)
        assert run.counts.tests == hanging.calls.total()


def test_only_what_is_needed_is_run_again() -> None:
    """What timed out ahead of its turn is not run again if its turn never comes."""
    busy = Busy()
    run = reduced(CallableExecutor(busy, 4))
    again = {candidate for candidate, times in busy.calls.items() if times > 1}
    assert again <= {one for one in busy.calls if run.journal.get(digest(one)) is not None}
    in_vain = set(busy.late) - again
    assert all(run.journal.get(digest(one)) is None for one in in_vain)


class _Hangs:
    """An executor that keeps hangs: a time-out is the failure."""

    def __init__(self, inner: CallableExecutor) -> None:
        self._inner = inner
        self.workers = inner.workers

    def allow(self, seconds: float) -> None:
        self._inner.allow(seconds)

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        job = self._inner.submit(candidate, capture=capture)
        outcome: Outcome = job.future.result()
        if outcome.verdict is Verdict.TIMEOUT:
            outcome = replace(outcome, verdict=Verdict.INTERESTING, timed_out=True)
        else:
            outcome = replace(outcome, verdict=Verdict.NOT_INTERESTING)
        done = replace(job, future=type(job.future)())
        done.future.set_result(outcome)
        return done

    def close(self) -> None:
        self._inner.close()


def test_where_a_hang_is_kept_the_second_run_decides() -> None:
    calls: Counter[bytes] = Counter()

    def test(candidate: bytes) -> Verdict:
        calls[candidate] += 1
        if b"word3" in candidate and b"word20" in candidate:
            return Verdict.TIMEOUT
        # Slow once only, as on a busy machine.
        return Verdict.TIMEOUT if calls[candidate] == 1 else Verdict.NOT_INTERESTING

    run = reduced(_Hangs(CallableExecutor(test)))
    assert run.result == b"word3\nword20"
    assert set(calls.values()) == {2}
    assert run.counts.needed == len(calls)


def test_a_vote_that_a_time_out_decided_is_repeated_run_by_run() -> None:
    busy = Busy()
    votes = VoteExecutor(single := CallableExecutor(busy, 4), Quorum(2, 3))
    with closing(single):
        run = reduced(votes)
    assert busy.late
    assert run.result == b"word3\nword11\nword12\nword20"


@pytest.mark.usefixtures("temporary")
@pytest.mark.parametrize("tool", ["scheduler", "sample tester"])
def test_a_command_that_is_slow_once(tmp_path: Path, tool: str) -> None:
    mark = quoted(tmp_path / "mark")
    body = f'if ! [ -e {mark} ]; then touch {mark}; sleep 60; fi; grep -q b "$1"'
    executor = CommandExecutor(command(tmp_path, body), "input")
    executor.allow(1.0)

    @dataclass(frozen=True)
    class Sample:
        text: bytes

    if tool == "scheduler":
        assert reduced(executor, b"a\nb\nc").result == b"b"
        return
    with closing(executor):
        tester = SampleTester(executor, Journal.in_memory())
        samples: Iterator[Sample] = map(Sample, (b"b", b"a"))
        verdicts = [verdict for _, verdict in tester.verdicts(samples)]
    assert verdicts == [Verdict.INTERESTING, Verdict.NOT_INTERESTING]
    assert (tester.counts.needed, tester.counts.tests) == (2, 3)
