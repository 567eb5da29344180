"""An executor that remembers: each verdict once, but none of a test that was killed."""

from __future__ import annotations

from concurrent.futures import Future

from marrow.engine.journal.journal import Journal
from marrow.engine.verdict import Outcome, Verdict
from marrow.training.collect import RememberingExecutor


class ByHand:
    """An executor whose tests end when the test says so; a killed one is not interesting."""

    workers = 2

    def __init__(self) -> None:
        self.jobs: list[HandJob] = []

    def allow(self, seconds: float) -> None:
        del seconds

    def submit(self, candidate: bytes, *, capture: bool = False) -> HandJob:
        del candidate, capture
        self.jobs.append(HandJob())
        return self.jobs[-1]

    def close(self) -> None:
        self.jobs.clear()


class HandJob:
    def __init__(self) -> None:
        self.future: Future[Outcome] = Future()
        self.future.set_running_or_notify_cancel()

    def cancel(self) -> None:
        self.future.set_result(Outcome(Verdict.NOT_INTERESTING, -9))


def test_what_is_known_is_not_asked_again() -> None:
    journal = Journal.in_memory()
    behind = ByHand()
    executor = RememberingExecutor(behind, journal, "a.c")
    job = executor.submit(b"text")
    behind.jobs[0].future.set_result(Outcome(Verdict.INTERESTING, 0))
    assert job.future.result().verdict is Verdict.INTERESTING
    again = executor.submit(b"text")
    again.cancel()
    assert again.future.result().verdict is Verdict.INTERESTING
    assert (len(behind.jobs), executor.run, executor.workers) == (1, 1, 2)


def test_a_verdict_belongs_to_the_name_of_the_file() -> None:
    journal = Journal.in_memory()
    behind = ByHand()
    for name in ("A.java", "B.java"):
        RememberingExecutor(behind, journal, name).submit(b"class A {}")
        behind.jobs[-1].future.set_result(Outcome(Verdict.INTERESTING, 0))
    assert (len(behind.jobs), journal.size) == (2, 2)


def test_a_killed_test_says_nothing() -> None:
    journal = Journal.in_memory()
    executor = RememberingExecutor(ByHand(), journal, "a.c")
    executor.submit(b"text").cancel()
    assert (journal.size, executor.run) == (0, 0)


def test_a_test_that_could_not_be_run_says_nothing() -> None:
    journal = Journal.in_memory()
    behind = ByHand()
    RememberingExecutor(behind, journal, "a.c").submit(b"text")
    behind.jobs[0].future.set_result(Outcome(Verdict.ERROR, message="no compiler"))
    assert journal.size == 0
