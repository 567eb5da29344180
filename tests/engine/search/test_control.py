"""Control of a run while it runs: skipped passes are repeated by a run that is resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.engine.delta import apply
from marrow.engine.events import Event, Tried
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.run.output.result import Ending, Result
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of

PROGRAM = b"""
int helper(int first, int second) { return first + second; }
int other(int a) { if (a > 1) { return 22; } return helper(a, 7); }
int needle(int value) { while (value > 10) { value = other(value) - 1; } return value; }
int main(void) { return needle(3) + other(4); }
"""


def interesting(text: bytes) -> bool:
    return text.count(b"(") >= 2 and b"needle" in text and b"return" in text


def run(journal: Journal, workers: int, skip_at: tuple[int, ...] = ()) -> tuple[Result, int]:
    """Reduce, skip the pass whose turn it is at some attempts; return the tests needed too."""
    control = Control()
    tried = 0

    def listen(event: Event) -> None:
        nonlocal tried
        if isinstance(event, Tried):
            tried += 1
            if tried in skip_at:
                control.skip(event.attempt.pass_name)

    executor = CallableExecutor(interesting, workers)
    try:
        view = view_of("a.c", PROGRAM, None)
        reduction = Reduction(
            text=PROGRAM,
            view=view,
            strategy=Pipeline(),
            executor=executor,
            journal=journal,
            listener=listen,
            control=control,
        )
        return reduction.run(), reduction.scheduler.counts.needed
    finally:
        executor.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_what_was_skipped_is_skipped_again(tmp_path: Path, workers: int) -> None:
    path = tmp_path / "journal"
    first_journal = Journal(path, {}, resume=False)
    first, _ = run(first_journal, workers, (5, 40, 41, 90))
    assert first.guarantee == "none: passes were skipped"
    skips = set(first_journal.history.skips)
    assert skips
    first_journal.close()
    again_journal = Journal(path, {}, resume=True)
    assert again_journal.history.skips == skips
    again, needed = run(again_journal, 2)
    assert again.text == first.text
    assert needed == 0
    assert again_journal.history.skips == skips
    again_journal.close()


def test_the_history_leads_to_the_result(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal", {}, resume=False)
    result, _ = run(journal, 2, (5,))
    text = PROGRAM
    for step in journal.history.steps:
        text = apply(step.delta, text)
    assert text == result.text
    tests = [turn.tests for turn in journal.history.turns]
    assert tests == sorted(tests)
    journal.close()


def test_a_pass_that_is_over_is_not_skipped() -> None:
    control = Control()
    control.skip("perses")
    assert not control.take_skip("merge")
    assert not control.has_wish


@pytest.mark.parametrize(
    ("wish", "ending", "words"),
    [
        ("stopped", Ending.LIMIT, "as you asked"),
        ("interrupted", Ending.INTERRUPTED, "interrupted"),
    ],
)
def test_stopped_runs_keep_the_best(wish: str, ending: Ending, words: str) -> None:
    control = Control()

    def listen(event: Event) -> None:
        if isinstance(event, Tried):
            setattr(control, wish, True)

    executor = CallableExecutor(interesting, 1)
    try:
        view = view_of("a.c", PROGRAM, None)
        journal = Journal.in_memory()
        reduction = Reduction(
            text=PROGRAM,
            view=view,
            strategy=Pipeline(),
            executor=executor,
            journal=journal,
            listener=listen,
            control=control,
        )
        result = reduction.run()
    finally:
        executor.close()
    assert result.ending is ending
    assert result.stopped == words
    assert reduction.scheduler.counts.needed <= 2
