"""Streams that learn from what failing tests wrote, with any number of workers, and resumed."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from marrow.engine.events import Event, Tried
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.dispatcher import PaceOfTests
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.streams.stream import Done, Hearing, Stream, attempt, finish, heard
from marrow.syntax.text_front_end import TextFrontEnd
from marrow.tree import Tree

FRONT = TextFrontEnd("words")
TEXT = b" ".join(b"w%d" % number for number in range(20))


@dataclass
class _Job:
    future: Future[Outcome]

    def cancel(self) -> None:
        self.future.cancel()


class _Telling:
    """An executor of a test that wants three words, and names those that it misses."""

    def __init__(self, workers: int, seconds: float = 0.0) -> None:
        self.workers = workers
        self.seconds = seconds
        self.captured: list[bool] = []
        self._pool = ThreadPoolExecutor(workers)

    def allow(self, seconds: float) -> None:
        pass

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Job:
        self.captured.append(capture)
        return _Job(self._pool.submit(self._run, candidate, capture))

    def _run(self, candidate: bytes, capture: bool) -> Outcome:
        time.sleep(len(candidate) % 7 / 2_000)
        missing = [word for word in (b"w3", b"w11", b"w17") if word not in candidate.split()]
        verdict = Verdict.NOT_INTERESTING if missing else Verdict.INTERESTING
        said = b"".join(b"missing %s\n" % one for one in missing[:1])
        return Outcome(verdict, seconds=self.seconds, files=said if capture else b"")

    def close(self) -> None:
        self._pool.shutdown()


def learning(tree: Tree, done: Done) -> Stream:
    """Keep only the words that the test said it misses; then delete single ones."""
    needed: set[bytes] = set()
    for _ in range(10):
        words = [one for one in tree.text.split() if one in needed]
        candidate = FRONT.parse(b" ".join(words))
        one, hearing = heard(candidate, "learning", singly, candidate, done)
        yield one
        if not (more := set(hearing.output.split()[1:2])):
            break
        needed |= more
    return done(tree)


def singly(tree: Tree, done: Done) -> Stream:
    words = tree.text.split()
    for at in range(len(words)):
        candidate = FRONT.parse(b" ".join(words[:at] + words[at + 1 :]))
        yield attempt(candidate, "singly", singly, candidate, done)
    return done(tree)


def run(journal: Journal, workers: int, seconds: float = 0.0) -> tuple[list[str], _Telling]:
    """Return every attempt that was settled, in order, and the executor."""
    told: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, Tried):
            text = event.attempt.tree.text.decode()
            told.append(f"{text}: {event.verdict and event.verdict.name}")

    executor = _Telling(workers, seconds)
    scheduler = Scheduler(executor, journal, listen)
    if seconds:
        scheduler.pace = PaceOfTests(executor, journal, 0.001, 60.0)
    tree = FRONT.parse(TEXT)
    try:
        for _ in scheduler.run(tree, learning(tree, finish), None):
            pass
    finally:
        executor.close()
    return told, executor


def test_a_stream_learns_from_failures_the_same_way_with_any_number_of_workers() -> None:
    told, executor = run(Journal.in_memory(), 1)
    assert told[:4] == [
        ": NOT_INTERESTING",
        "w3: NOT_INTERESTING",
        "w3 w11: NOT_INTERESTING",
        "w3 w11 w17: INTERESTING",
    ]
    assert executor.captured[:4] == [True] * 4
    assert not any(executor.captured[4:])  # what nobody asks for is not kept
    for workers in (2, 4):
        assert run(Journal.in_memory(), workers)[0] == told


def test_a_run_that_is_resumed_has_heard_the_same(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path, {}, resume=False)
    told = run(journal, 1)[0]
    journal.close()
    journal = Journal(path, {}, resume=True)
    again, executor = run(journal, 1)
    assert again == told
    assert executor.captured == []  # no test was run


def test_a_failure_that_nobody_listened_to_is_heard_again() -> None:
    """A verdict may be known from an attempt whose output was not asked for."""
    journal = Journal.in_memory()
    journal.put(digest(b"w3"), Verdict.NOT_INTERESTING)
    assert run(journal, 1)[0][3] == "w3 w11 w17: INTERESTING"


def test_a_success_that_is_put_off_says_nothing_and_the_run_goes_on() -> None:
    told, _ = run(Journal.in_memory(), 1, seconds=5.0)
    assert told[3] == "w3 w11 w17: TIMEOUT"


def test_a_time_out_is_noticed_without_the_output() -> None:
    journal = Journal.in_memory()
    hearing = Hearing(wants_output=False)
    candidate = FRONT.parse(b"w3")
    journal.put(digest(b"w3"), Verdict.TIMEOUT)

    def stream() -> Stream:
        yield replace(attempt(candidate, "once", finish, candidate), hearing=hearing)
        return None

    executor = _Telling(1)
    for _ in Scheduler(executor, journal, lambda _: None).run(FRONT.parse(TEXT), stream(), None):
        pass
    executor.close()
    assert hearing.timed_out
    assert executor.captured == []  # the verdict was known, and nobody asked for more
