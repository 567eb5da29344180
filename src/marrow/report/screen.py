"""The live display: a full screen on the terminal, drawn anew several times a second.

It has a screen of its own, as editors have, and leaves what stood on the terminal alone. What the
run says meanwhile is printed when it ends.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from marrow.clock import running_time
from marrow.engine.events import Accepted, Event
from marrow.report.plain import plain, printable
from marrow.report.progress import Progress, short_diff

_BLOCKS: Final = "▁▂▃▄▅▆▇█"
_PLAIN_BLOCKS: Final = "_.,-=+*#"
# As wide as the bar above it.
_WIDTH: Final = 40
# Lines that are always there: title, bar, size, seven rows, headings and the keys.
_FIXED_LINES: Final = 13
# From this height on there is room for a chart of so many lines, in place of the line of sizes.
_TALL: Final = 26
_CHART_LINES: Final = 7
# Narrower screens name the keys in a word each.
_WIDE: Final = 92
_MEDIUM: Final = 70
# So many accepted steps are kept for the history.
_MOST_HISTORY: Final = 200
# On a small screen, so many passes are shown before anything of the change.
_LEAST_PASSES: Final = 3
# A line of a result is cut here; more is not read at a glance.
_WIDEST: Final = 200


class LiveProgress(Progress):
    """The display. With `keys` it names them; `paused` and `showing_result` follow what was typed.

    It is drawn by a thread of its own, from what the run's thread has told.
    """

    def __init__(
        self,
        console: Console,
        title: str,
        tokens: int,
        length: int,
        *,
        keys: bool = False,
        seconds: float | None = None,
        busy: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        """`seconds` is the limit of the run; `busy` tells the tests that run, and the workers."""
        super().__init__(tokens, length)
        self.paused = False
        self.showing_result = False
        self.showing_history = False
        #: The passes that were switched off.
        self.switched_off: frozenset[str] = frozenset()
        self._limit: Final = seconds
        self._busy: Final = busy
        self._said: Final[list[str]] = []
        self._history: Final[deque[tuple[float, int, str]]] = deque(maxlen=_MOST_HISTORY)
        self._times: Final[list[tuple[float, int]]] = [(0.0, tokens)]
        self._title: Final = plain(title)
        self.keys: Final = keys
        self._warnings: Final[list[str]] = []
        self._curve: Final[list[tuple[int, int]]] = [(0, tokens)]
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
            self._live.console.print(words, markup=False, soft_wrap=True)
        for warning in self._warnings:
            self._live.console.print(f"warning: {warning}", markup=False, style="yellow")

    def __call__(self, event: Event) -> None:
        """Take an event."""
        super().__call__(event)
        if isinstance(event, Accepted):
            self._curve.append((self.tests, event.tokens))
            seconds = running_time() - self.started
            self._times.append((seconds, event.tokens))
            self._history.append((seconds, event.tokens, plain(event.phase)))

    def warn(self, message: str) -> None:
        """Show a warning below the rest."""
        self._warnings.append(plain(message))

    def say(self, words: str) -> None:
        """Keep a line that the run says, to be printed when the screen is gone."""
        self._said.append(plain(words))

    def _draw(self) -> RenderableType:
        parts: list[RenderableType] = [self._head(), self._figures()]
        room = self._console.height - _FIXED_LINES - len(self._warnings)
        if self._console.height >= _TALL:
            room -= _CHART_LINES
        if self.showing_history:
            parts += self._steps(room + 2)
        elif self.showing_result:
            parts += self._result(room + 2)
        else:
            change = self._change()
            passes = max(_LEAST_PASSES, room - len(change))
            parts.append(self._passes(passes))
            parts += change[: max(0, room - min(passes, len(self.passes)))]
        parts.extend(Text(f"warning: {warning}", style="yellow") for warning in self._warnings)
        if self.keys:
            parts.append(Text(self._keys(), style="dim", no_wrap=True))
        return Group(*parts)

    def _keys(self) -> str:
        pause = "p go on" if self.paused else "p pause"
        if self._console.width < _WIDE:
            shown = "d change" if self.showing_result else "d result"
            stop = "q stop and keep" if self._console.width >= _MEDIUM else "q stop"
            return f"s skip  {pause}  {shown}  h history  x pass off  {stop}"
        shown = "d show the change" if self.showing_result else "d show the result"
        off = "x switch it on" if self.pass_name in self.switched_off else "x switch it off"
        return f"s skip this pass  {pause}  {shown}  q stop and keep  h history  {off}"

    def _steps(self, room: int) -> list[RenderableType]:
        """Return the last accepted steps, the newest first."""
        head: list[RenderableType] = [Text("accepted steps, the newest first", style="dim")]
        rows = [
            Text(f"{seconds:7.1f} s  {tokens:>9,} tokens  {phase}", no_wrap=True)
            for seconds, tokens, phase in list(self._history)[: -max(room, 2) : -1]
        ]
        return head + (rows or [Text("none yet", style="dim")])

    def _head(self) -> Text:
        head = Text(self._title, style="bold", no_wrap=True)
        if self.paused:
            head.append("  paused", style="yellow")
        return head

    def _figures(self) -> Table:
        now = running_time()
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        share = self.tokens / self.tokens_before if self.tokens_before else 0.0
        table.add_row("", ProgressBar(total=1.0, completed=1.0 - share, width=_WIDTH))
        utf = self._console.encoding.startswith("utf")
        blocks = _BLOCKS if utf else _PLAIN_BLOCKS
        if self._console.height >= _TALL:
            width = min(100, max(20, self._console.width - 22))
            for label, line in chart(self._times, now - self.started, width, _CHART_LINES, blocks):
                table.add_row(label, Text(line, no_wrap=True))
        else:
            table.add_row("size", Text(sparkline(list(self._curve), self.tests, _WIDTH, blocks)))
        table.add_row("now", Text(plain(self.phase), no_wrap=True))
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
            f"{now - self.started:.0f} s, last success {now - self.last_success:.0f} s ago"
            + ("" if self._limit is None else f", {self._left(now):.0f} s left at most"),
        )
        if self._busy is not None:
            running, workers = self._busy()
            table.add_row("workers", f"{min(running, workers)} of {workers} at a test")
        return table

    def _left(self, now: float) -> float:
        """Return the seconds until the limit."""
        return max(0.0, (self._limit or 0.0) - (now - self.started))

    def _passes(self, most: int) -> Table:
        """Return what the passes did; where there is no room for all, those that removed most."""
        table = Table.grid(padding=(0, 2))
        for name in ("pass", "tests", "successes", "tokens removed"):
            table.add_column(justify="left" if name == "pass" else "right")
        style = "dim"
        table.add_row(*(Text(name, style) for name in ("pass", "tests", "successes", "removed")))
        passes = list(self.passes.values())
        kept = sorted(passes, key=lambda one: (one.name == self.pass_name, one.tokens))[-most:]
        for one in passes:
            if one in kept:
                table.add_row(
                    Text(
                        f"{one.name} (off)" if one.name in self.switched_off else one.name,
                        "bold" if one.name == self.pass_name else "",
                    ),
                    *(f"{figure:,}" for figure in (one.tests, one.successes, one.tokens)),
                )
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

    def _result(self, room: int) -> list[RenderableType]:
        """Return the beginning of the best so far, as much as there is room for."""
        if self.last_change is None:
            return [Text("nothing is reduced yet", style="dim")]
        # More bytes than any screen shows are not looked at.
        start = self.last_change[1][: _WIDEST * max(room, 1)]
        lines = printable(start).split("\n")
        head: list[RenderableType] = [Text("the result so far", style="dim")]
        return head + [Text(line[:_WIDEST], no_wrap=True) for line in lines[: max(room - 1, 1)]]


def chart(
    curve: Sequence[tuple[float, int]],
    seconds: float,
    width: int,
    height: int,
    blocks: str = _BLOCKS,
) -> list[tuple[str, str]]:
    """Draw sizes over time in some lines, on a logarithmic scale; each line has its label.

    The last line is the axis of time.
    """
    sizes = [math.log(max(size, 1)) for _, size in curve]
    most, least = max(sizes), min(*sizes, 0.0) if len(sizes) > 1 else 0.0
    columns = []
    at = 0
    for column in range(width):
        until = seconds * (column + 1) / width
        while at + 1 < len(curve) and curve[at + 1][0] <= until:
            at += 1
        columns.append((sizes[at] - least) / (most - least) if most > least else 1.0)
    rows = height - 1
    lines = []
    for row in range(rows):
        # From the top: what a column has of this line, in parts of a block.
        parts = [max(0.0, min(1.0, share * rows - (rows - 1 - row))) for share in columns]
        line = "".join(
            " " if part <= 0.0 else blocks[round(part * (len(blocks) - 1))] for part in parts
        )
        size = math.exp(least + (most - least) * (rows - row) / rows)
        label = f"{curve[0][1]:,}" if row == 0 else f"{size:,.0f}" if row % 2 == 0 else ""
        lines.append((label, line))
    end = f"{seconds:.0f} s"
    lines.append(("tokens", "0 s" + end.rjust(max(0, width - 3))))
    return lines


def sparkline(
    curve: Sequence[tuple[int, int]], tests: int, width: int, blocks: str = _BLOCKS
) -> str:
    """Draw sizes over tests, on a logarithmic scale from 1; `curve` has them as (tests, size)."""
    sizes = [math.log(max(size, 1)) for _, size in curve]
    most = max(sizes)
    line = []
    at = 0
    for column in range(width):
        # What the size was at the end of the part of the tests that a column stands for.
        until = tests * (column + 1) / width
        while at + 1 < len(curve) and curve[at + 1][0] <= until:
            at += 1
        share = sizes[at] / most if most else 1.0
        line.append(blocks[round(share * (len(blocks) - 1))])
    return "".join(line)
