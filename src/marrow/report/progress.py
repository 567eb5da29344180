"""Progress: what a run has done so far, for people."""

from __future__ import annotations

import time
from collections import deque
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from marrow.engine.events import Accepted, Answer, Event, Judged, PhaseBegan, Tried, Warned
from marrow.report.change import short_diff


class Progress:
    """Keeps count of the events of a run. A subclass shows them."""

    def __init__(self, tokens: int, length: int) -> None:
        self.tokens_before: Final = tokens
        self.bytes_before: Final = length
        self.tokens = tokens
        self.length = length
        self.phase = "starting"
        self.tests = 0
        self.cached = 0
        self.invalid = 0
        self.accepted = 0
        self.started: Final = time.monotonic()
        self.last_success = self.started
        self.last_change: tuple[bytes, bytes] | None = None
        # When the last tests ended, for a rate that follows what happens now.
        self._recent: Final[deque[float]] = deque(maxlen=64)

    def __call__(self, event: Event) -> None:
        """Take an event."""
        match event:
            case PhaseBegan():
                self.phase = event.words
            case Tried() | Judged():
                self._tried(event)
            case Accepted():
                self.accepted += 1
                self.tokens, self.length = event.tokens, event.length
                self.last_success = time.monotonic()
                self.last_change = (event.before, event.after)
            case Warned():
                self.warn(event.message)

    def _tried(self, event: Tried | Judged) -> None:
        if event.answer is Answer.TEST:
            self.tests += 1
            self._recent.append(time.monotonic())
        elif event.answer is Answer.CACHE:
            self.cached += 1
        else:
            self.invalid += 1

    @property
    def rate(self) -> float:
        """Tests per second, lately."""
        if len(self._recent) < 2:
            return 0.0
        span = time.monotonic() - self._recent[0]
        return len(self._recent) / span if span > 0 else 0.0

    def warn(self, message: str) -> None:
        """Show a warning."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        return


class LineProgress(Progress):
    """One line for every success, for logs and pipes."""

    def __init__(self, console: Console, tokens: int, length: int, *, verbose: bool) -> None:
        super().__init__(tokens, length)
        self._console: Final = console
        self._verbose: Final = verbose

    def __call__(self, event: Event) -> None:
        """Take an event, and print a line if it is a success."""
        super().__call__(event)
        if isinstance(event, Accepted):
            seconds = time.monotonic() - self.started
            self._print(
                f"{seconds:8.1f} s  {self.tokens:>8,} tokens  {self.length:>9,} bytes"
                f"  {self.tests:>6,} tests  {event.phase}"
            )
            if self._verbose:
                for sign, line in short_diff(event.before, event.after):
                    self._print(f"            {sign} {line}")
        elif self._verbose and isinstance(event, Tried) and event.verdict is not None:
            self._print(f"            {event.answer.value}: {event.verdict.value}")

    def warn(self, message: str) -> None:
        """Print a warning."""
        self._print(f"warning: {message}")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveProgress(Progress):
    """A display on the terminal that is drawn anew several times a second."""

    def __init__(self, console: Console, title: str, tokens: int, length: int) -> None:
        super().__init__(tokens, length)
        self._title: Final = title
        self._warnings: Final[list[str]] = []
        self._drawn: tuple[bytes, bytes] | None = None
        self._diff: list[tuple[str, str]] = []
        self._live: Final = Live(
            console=console, get_renderable=self._draw, refresh_per_second=6, transient=True
        )

    def __enter__(self) -> LiveProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)
        for warning in self._warnings:
            self._live.console.print(f"warning: {warning}", markup=False, style="yellow")

    def warn(self, message: str) -> None:
        """Show a warning below the rest."""
        self._warnings.append(message)

    def _draw(self) -> RenderableType:
        now = time.monotonic()
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        share = self.tokens / self.tokens_before if self.tokens_before else 0.0
        table.add_row("", ProgressBar(total=1.0, completed=1.0 - share, width=40))
        table.add_row("now", Text(self.phase))
        table.add_row(
            "tokens",
            Text.assemble(
                (f"{self.tokens:,}", "bold"), f" of {self.tokens_before:,} ({share:.1%})"
            ),
        )
        table.add_row("bytes", f"{self.length:,} of {self.bytes_before:,}")
        table.add_row(
            "tests",
            f"{self.tests:,} run, {self.cached:,} cached, {self.invalid:,} invalid"
            f" ({self.rate:.0f} a second)",
        )
        table.add_row(
            "time",
            f"{now - self.started:.0f} s, last success {now - self.last_success:.0f} s ago",
        )
        parts: list[RenderableType] = [Text(self._title, style="bold"), table]
        if self.last_change is not None:
            parts.append(Text("last change", style="dim"))
            parts.extend(
                Text(f"{sign} {line}", style="red" if sign == "-" else "green", no_wrap=True)
                for sign, line in self._change(self.last_change)
            )
        parts.extend(Text(f"warning: {warning}", style="yellow") for warning in self._warnings)
        return Group(*parts)

    def _change(self, change: tuple[bytes, bytes]) -> list[tuple[str, str]]:
        """Return the last change as a diff, made once and not for every drawing."""
        if change is not self._drawn:
            self._drawn, self._diff = change, list(short_diff(*change))
        return self._diff
