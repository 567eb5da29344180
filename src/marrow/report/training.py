"""Progress of a training: which file, how many tests and removals so far, for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from marrow.base.clock import running_time
from marrow.engine.events import Accepted, Answer, Tried, Warned
from marrow.report.plain import plain
from marrow.training.collect import RejectedFile, TaskBegan, TaskEnded, TrainingEvent

# How much of a token is shown: a string may be a page long.
_MOST_CHARACTERS: Final = 30


class TrainingProgress:
    """Keeps count of the events of a training. A subclass shows them."""

    def __init__(self, most_tests: int | None = None) -> None:
        self.most_tests: Final = most_tests
        self.started: Final = running_time()
        self.task: TaskBegan | None = None
        self.tokens = 0
        self.tasks = 0
        self.tests = 0
        self.removals = 0
        self.rejected = 0
        self.warnings: Final[list[str]] = []

    def __call__(self, event: TrainingEvent) -> None:
        """Take an event."""
        match event:
            case TaskBegan():
                self.task, self.tokens = event, event.tokens
            case TaskEnded():
                self.tasks += 1
                self.tests, self.removals = event.tests, event.observations
            case Tried():
                self.tests += event.answer is Answer.TEST
            case Accepted():
                self.tokens = event.tokens
            case RejectedFile():
                self.rejected += 1
            case Warned():
                self.warnings.append(plain(event.message))

    @property
    def task_words(self) -> str:
        """The task under way."""
        if self.task is None:
            return "looking at files"
        kept = self.task.token.decode("utf-8", "replace")
        if len(kept) > _MOST_CHARACTERS:
            kept = kept[:_MOST_CHARACTERS] + "..."
        return plain(f"{self.task.source.name}, keeping {kept!r}")

    def __enter__(self) -> TrainingProgress:
        return self

    def __exit__(self, *_: object) -> None:
        return


class LineTrainingProgress(TrainingProgress):
    """One line for every task and every file that is rejected, for logs and pipes."""

    def __init__(self, say: Callable[[str], None], most_tests: int | None = None) -> None:
        """`say` prints a line."""
        super().__init__(most_tests)
        self._say: Final = say

    def __call__(self, event: TrainingEvent) -> None:
        """Take an event, and print a line at the end of a task."""
        super().__call__(event)
        seconds = running_time() - self.started
        if isinstance(event, TaskEnded) and self.task is not None:
            self._say(
                f"{seconds:8.1f} s  {self.tests:>7,} tests  {self.removals:>7,} removals  "
                f"{self.task_words}: {self.task.tokens:,} -> {event.tokens:,} tokens"
            )
        elif isinstance(event, RejectedFile):
            self._say(f"{seconds:8.1f} s  {event.source.name} {event.reason}")
        elif isinstance(event, Warned):
            self._say(f"warning: {event.message}")


class LiveTrainingProgress(TrainingProgress):
    """A display on the terminal that is drawn anew several times a second."""

    def __init__(self, console: Console, title: str, most_tests: int | None = None) -> None:
        super().__init__(most_tests)
        self._title: Final = plain(title)
        self._live: Final = Live(
            console=console, get_renderable=self.draw, refresh_per_second=6, transient=True
        )

    def __enter__(self) -> LiveTrainingProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)
        for warning in self.warnings:
            self._live.console.print(f"warning: {warning}", markup=False, style="yellow")

    def draw(self) -> RenderableType:
        """Return the display as it is now."""
        seconds = max(running_time() - self.started, 0.001)
        most = "" if self.most_tests is None else f" of {self.most_tests:,}"
        start = 0 if self.task is None else self.task.tokens
        rows = {
            "task": self.task_words,
            "tokens": f"{self.tokens:,} of {start:,}",
            "tasks": f"{self.tasks:,} done, {self.rejected:,} files rejected",
            "tests": f"{self.tests:,}{most} ({self.tests / seconds:.0f} a second)",
            "removals": f"{self.removals:,} up to the last task",
            "time": f"{seconds:.0f} s",
        }
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        for name, words in rows.items():
            table.add_row(name, Text(words, no_wrap=True))
        return Group(Text(self._title, style="bold"), table)
