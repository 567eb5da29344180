"""The live display: below the lines of a run, one that is drawn anew, by rich."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from marrow.report.plain import plain
from marrow.report.progress import LineProgress

# A bar of this many columns leaves room for the figures on a small screen.
_WIDTH: Final = 16


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


class LiveProgress(LineProgress):
    """Lines as everywhere, and a last one that is gone in the end: how small, how many tests."""

    def __init__(
        self, say: Callable[[str], None], tokens: int, length: int, *, console: Console, **more: Any
    ) -> None:
        """For the others, see `LineProgress`."""
        super().__init__(say, tokens, length, **more)
        self._live: Final = Live(
            console=console, get_renderable=self._draw, refresh_per_second=6, transient=True
        )

    def __enter__(self) -> LiveProgress:
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.__exit__(None, None, None)

    def _draw(self) -> RenderableType:
        share = self.size / self.size_before if self.size_before else 0.0
        said = [f"{self.size:,} {self.unit} ({share:.1%})", f"{self.tests:,} tests", self.left]
        line = Table.grid(padding=(0, 1))
        line.add_column()
        line.add_column(no_wrap=True, overflow="ellipsis")
        line.add_row(
            ProgressBar(total=1.0, completed=1.0 - share, width=_WIDTH),
            Text(plain(", ".join([*filter(None, said), self.now]))),
        )
        return line
