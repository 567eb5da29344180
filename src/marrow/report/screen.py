"""The live display: a full screen on the terminal, drawn anew several times a second.

It has a screen of its own, as editors have, and leaves the rest of the terminal alone. What the run
says meanwhile is printed when it ends.
"""

from __future__ import annotations

from typing import Any, Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from marrow.base.clock import running_time
from marrow.engine.events import Accepted, Event
from marrow.report.plain import plain
from marrow.report.progress import BLOCKS, PLAIN_BLOCKS, Progress, short_diff, sparkline

# As wide as the bar above it.
_WIDTH: Final = 40
# How many passes a small screen shows before anything of the change.
_LEAST_PASSES: Final = 3


class PatientConsole(Console):
    """A console that falls silent when nobody reads it any more (`marrow reduce ... | head`)."""

    def on_broken_pipe(self) -> None:
        """Carry on: the result matters more than the display."""
        self.quiet = True

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError:  # the terminal was closed
            self.quiet = True


class LiveProgress(Progress):
    """The display. A thread of its own draws it from the events of the run."""

    def __init__(self, console: Console, title: str, tokens: int, length: int, **more: Any) -> None:
        """For the sizes, and for more, see `Progress`."""
        super().__init__(tokens, length, **more)
        self._said: Final[list[str]] = []
        self._title: Final = plain(title)
        self._warnings: Final[list[str]] = []
        self._curve: Final[list[tuple[int, int]]] = [(0, self.size)]
        self._drawn: tuple[bytes, bytes] | None = None
        self._diff: list[tuple[str, str]] = []
        self._console: Final = console
        self._live: Final = Live(
            console=console, get_renderable=self._draw, refresh_per_second=6, screen=True
        )

    def __enter__(self) -> LiveProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)
        for words in self._said:
            self._console.print(words, markup=False, soft_wrap=True)
        for warning in self._warnings:
            self._console.print(f"warning: {warning}", markup=False, style="yellow")

    def __call__(self, event: Event) -> None:
        """Take an event."""
        super().__call__(event)
        if isinstance(event, Accepted):
            self._curve.append((self.tests, self.size))

    def warn(self, message: str) -> None:
        """Show a warning below the rest."""
        self._warnings.append(plain(message))

    def say(self, words: str) -> None:
        """Keep a line that the run says, to print it after the screen has closed."""
        self._said.append(plain(words))

    def _draw(self) -> RenderableType:
        figures, change = self._figures(), self._change()
        room = self._console.height - 2 - figures.row_count - len(self._warnings)
        passes = min(len(self.passes), max(_LEAST_PASSES, room - len(change)))
        head = Text(self._title, style="bold", no_wrap=True)
        parts: list[RenderableType] = [head, figures, self._passes(passes)]
        if room - passes > 1:
            parts += change[: room - passes]
        parts.extend(Text(f"warning: {warning}", style="yellow") for warning in self._warnings)
        return Group(*parts)

    def _figures(self) -> Table:
        now = running_time()
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column(no_wrap=True)
        share = self.size / self.size_before if self.size_before else 0.0
        table.add_row("", ProgressBar(total=1.0, completed=1.0 - share, width=_WIDTH))
        blocks = BLOCKS if self._console.encoding.startswith("utf") else PLAIN_BLOCKS
        table.add_row("size", Text(sparkline(list(self._curve), self.tests, _WIDTH, blocks)))
        table.add_row("now", Text(plain(self.now)))
        size = Text.assemble((f"{self.size:,}", "bold"), f" of {self.size_before:,} ({share:.1%})")
        table.add_row(self.unit, size)
        if self.unit != "bytes":
            table.add_row("bytes", f"{self.length:,} of {self.bytes_before:,}")
        table.add_row(
            "tests",
            f"{self.tests:,} run, {self.cached:,} cached, {self.invalid:,} invalid"
            f" ({self.rate:.0f} a second)",
        )
        table.add_row(
            "time",
            f"{now - self.started:.0f} s, last success {now - self.last_success:.0f} s ago"
            + (f", {self.left}" if self.left else ""),
        )
        return table

    def _passes(self, most: int) -> Table:
        """Return what the last passes did."""
        table = Table.grid(padding=(0, 2))
        for name in ("pass", "tests", "successes", "removed"):
            table.add_column(
                Text(name, "dim"), justify="left" if name == "pass" else "right", no_wrap=True
            )
        table.show_header = True
        passes = list(self.passes.values())
        turn = next((at for at, one in enumerate(passes) if one.name == self.pass_name), 0)
        first = max(0, min(turn - most // 2, len(passes) - most))
        for one in passes[first : first + most]:
            figures = (f"{figure:,}" for figure in (one.tests, one.successes, one.removed))
            style = "bold" if one.name == self.pass_name else ""
            table.add_row(Text(one.name, style), *figures)
        return table

    def _change(self) -> list[RenderableType]:
        """Return the last change as a diff, made once and not for every drawing."""
        change = self.last_change
        if change is None:
            return []
        if change is not self._drawn:
            self._drawn, self._diff = change, list(short_diff(*change))
        return [
            Text("last change", style="dim"),
            *(
                Text(f"{sign} {line}", style="red" if sign == "-" else "green", no_wrap=True)
                for sign, line in self._diff
            ),
        ]
