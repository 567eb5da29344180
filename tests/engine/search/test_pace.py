"""Successes that make the test much slower are put off, and what a resumed run does then."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from marrow.cli.messages import reduction_summary
from marrow.engine.events import Accepted, Event
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.search.dispatcher import Limits
from marrow.engine.verdict import Outcome, Verdict
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.output.result import Result
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.run.reduction import Reduction
from marrow.run.run import Run
from marrow.syntax.views import view_of

TEXT = b"a init " + b" ".join(b"word%d" % number for number in range(30)) + b" failure b"


@dataclass
class Ended:
    """A test that has ended."""

    future: Future[Outcome] = field(default_factory=Future)

    def cancel(self) -> None:
        """Nothing is left to stop."""


@dataclass
class TimedExecutor:
    """Says how long each test took: a word keeps it fast."""

    slow: float = 2.0
    workers: int = 1
    asked: list[bytes] = field(default_factory=list)
    limits: list[float] = field(default_factory=list)

    def allow(self, seconds: float) -> None:
        self.limits.append(seconds)

    def submit(self, candidate: bytes, *, capture: bool = False) -> Ended:
        del capture
        self.asked.append(candidate)
        verdict = Verdict.INTERESTING if b"failure" in candidate else Verdict.NOT_INTERESTING
        job = Ended()
        job.future.set_result(Outcome(verdict, 0, 0.1 if b"init" in candidate else self.slow))
        return job

    def close(self) -> None:
        """Nothing is open."""


def reduce(
    executor: TimedExecutor, journal: Journal, accepted: list[bytes], limits: Limits | None = None
) -> Result:
    def listen(event: Event) -> None:
        if isinstance(event, Accepted):
            accepted.append(event.after)

    reduction = Reduction(
        text=TEXT,
        view=view_of("x", TEXT, "words"),
        strategy=algorithm_of("perses*"),
        executor=executor,
        journal=journal,
        listener=listen,
        limits=limits or Limits(),
        pace=(0.1, 5.0),
    )
    return reduction.run()


def test_slow_successes_are_taken_last() -> None:
    executor = TimedExecutor()
    accepted: list[bytes] = []
    result = reduce(executor, Journal.in_memory(), accepted)
    assert result.text == b"failure"
    slow = [text for text in accepted if b"init" not in text]
    assert slow == accepted[-len(slow) :]
    assert len(accepted[-len(slow) - 1].split()) == 2  # nothing else was left
    assert any("much slower" in note and "one was taken" in note for note in result.notes)
    command = TestCommand.shell("true")
    run = Run(Plan(source=Input(TEXT, "x"), test=command, output=Path("out")))
    run.test = command
    said = reduction_summary(run, result, "")
    assert f"  slow: {result.put_off}" in said.splitlines()


def test_a_test_that_is_a_little_slower_is_not_put_off() -> None:
    result = reduce(TimedExecutor(slow=0.45), Journal.in_memory(), [])
    assert result.text == b"failure"
    assert result.notes == []


def test_the_limit_follows_and_is_lifted() -> None:
    executor = TimedExecutor(slow=0.2)
    reduction = Reduction(
        text=TEXT,
        view=view_of("x", TEXT, "words"),
        strategy=algorithm_of("perses*"),
        executor=executor,
        pace=(3.0, 30.0),
    )
    assert reduction.run().text == b"failure"
    assert executor.limits[0] == 30.0
    assert min(executor.limits) == 5.0
    assert executor.limits[-1] == 30.0


@pytest.mark.parametrize("first", [1, 4, 9, 60])
def test_a_resumed_run_goes_the_same_way(tmp_path: Path, first: int) -> None:
    steps: list[bytes] = []
    whole = reduce(TimedExecutor(), Journal.in_memory(), steps)

    def run(limit: int | None, *, resume: bool) -> tuple[Result, list[bytes], list[bytes]]:
        journal = Journal(tmp_path / "journal", {"input": "x"}, resume=resume)
        executor, accepted = TimedExecutor(), list[bytes]()
        try:
            return (
                reduce(executor, journal, accepted, Limits(tests=limit)),
                accepted,
                executor.asked,
            )
        finally:
            journal.close()

    run(first, resume=False)
    result, accepted, _ = run(None, resume=True)
    assert (result.text, accepted) == (whole.text, steps)
    assert run(None, resume=True)[2] == []
