"""The lines that a training prints."""

from __future__ import annotations

from pathlib import Path

from marrow.cli.commands.train import TrainingLines
from marrow.engine.events import Accepted, Answer, Tried, Warned
from marrow.engine.verdict import Verdict
from marrow.reducers.streams.stream import Attempt
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


def test_a_line_for_every_task() -> None:
    said: list[str] = []
    lines = TrainingLines(said.append)
    for event in EVENTS:
        lines(event)
    assert [line.split(" s  ")[-1].strip() for line in said] == [
        "b.c has syntax errors",
        "warning: [bold]the disk is full",
        f"2 tests        1 removals  [a].c, keeping '{'x' * 30}...': 40 -> 30 tokens",
    ]
