"""The progress of a training: counts, lines and the display, without a terminal."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from marrow.engine.events import Accepted, Answer, Tried, Warned
from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Attempt
from marrow.report.training import LineTrainingProgress, LiveTrainingProgress, TrainingProgress
from marrow.training.collect import (
    CorpusFile,
    RejectedFile,
    TaskBegan,
    TaskEnded,
    TrainingEvent,
)
from marrow.tree import Token, Tree

SOURCE = CorpusFile(Path("corpus/[a].c"), "[a].c")
ATTEMPT = Attempt(Tree(Token("number", b"1")), lambda: None)
EVENTS: list[TrainingEvent] = [
    RejectedFile(CorpusFile(Path("corpus/b.c"), "b.c"), "has syntax errors"),
    TaskBegan(SOURCE, 0, b"x" * 100, 40),
    Tried(Answer.TEST, Verdict.INTERESTING, ATTEMPT),
    Accepted(30, 0, b"a b", b"a", "deleting"),
    Tried(Answer.CACHE, Verdict.NOT_INTERESTING, ATTEMPT),
    Warned("[bold]the disk is full"),
    TaskEnded(SOURCE, 30, 2, 1),
]


def test_counts() -> None:
    with TrainingProgress(100) as progress:
        for event in EVENTS[:-1]:
            progress(event)
        assert (progress.tests, progress.tokens, progress.rejected) == (1, 30, 1)
        progress(EVENTS[-1])
    assert (progress.tests, progress.removals, progress.tasks) == (2, 1, 1)
    assert progress.warnings == ["[bold]the disk is full"]


def test_a_line_for_every_task() -> None:
    said: list[str] = []
    with LineTrainingProgress(said.append) as progress:
        for event in EVENTS:
            progress(event)
    assert [line.split(" s  ")[-1].strip() for line in said] == [
        "b.c has syntax errors",
        "warning: [bold]the disk is full",
        f"2 tests        1 removals  [a].c, keeping '{'x' * 30}...': 40 -> 30 tokens",
    ]


def test_the_display() -> None:
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system=None)
    with LiveTrainingProgress(console, "marrow train c", 5000) as progress:
        console.print(progress.draw())
        for event in EVENTS:
            progress(event)
        console.print(progress.draw())
    shown = out.getvalue()
    for words in (
        "looking at files",
        "[a].c, keeping",
        "30 of 40",
        "2 of 5,000",
        "1 files rejected",
    ):
        assert words in shown
    assert "warning: [bold]the disk is full" in shown
