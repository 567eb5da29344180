"""The live display: a full screen on the terminal, drawn anew several times a second.

It has a screen of its own, as editors have, and leaves the rest of the terminal alone. What the run
says meanwhile is printed when it ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from marrow.base.clock import running_time
from marrow.engine.events import Accepted, Event
from marrow.report.plain import plain, printable
from marrow.report.progress import (
    BLOCKS,
    PLAIN_BLOCKS,
    PassTally,
    Progress,
    chart,
    short_diff,
)

if TYPE_CHECKING:
    from marrow.engine.search.dispatcher import TestUnderWay

# As wide as the bar above it.
_WIDTH: Final = 40
# From this height on there is room for a chart of more than a line of sizes,
# for a line for each of the first workers, and for what the test printed.
_TALL: Final = 26
_CHART_LINES: Final = 7
_MOST_WORKERS: Final = 4
_OUTPUT_LINES: Final = 5
# The line that names the keys: the first that fits.
_KEYS: Final = (
    "s skip this pass  p {pause}  d show the {result}  o show the {output}  h history  "
    "up, down: choose a pass  x switch it {switch}  q stop and keep",
    "s skip pass  p {pause}  d {result}  o {output}  h history  up, down: choose a pass  "
    "x {switch}  q stop and keep",
    "s skip  p {pause}  d {result}  o {output}  h steps  x {switch}  q stop and keep",
    "s skip  p {pause}  d {result}  o {output}  h steps  x {switch}  q stop",
)
_HISTORY_KEYS: Final = (
    "up, down: choose a step  g continue from there  h show the passes  q stop and keep",
    "up, down: choose  g continue here  h passes  q stop",
)
# How many accepted steps the history keeps.
_MOST_HISTORY: Final = 200
# How many passes a small screen shows before anything of the change.
_LEAST_PASSES: Final = 3
# A line of a result is cut here; more is not read at a glance.
_WIDEST: Final = 200


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


@dataclass(frozen=True, slots=True)
class _PastStep:
    """An accepted step: its number, when it was, what was left."""

    number: int
    seconds: float
    size: int
    phase: str


class LiveProgress(Progress):
    """The display. With `keys` it names them, and it follows what was typed.

    A thread of its own draws it from the events of the run.
    """

    def __init__(
        self,
        console: Console,
        title: str,
        tokens: int,
        length: int,
        *,
        keys: bool = False,
        busy: Callable[[], tuple[list[TestUnderWay], int]] | None = None,
        names: Sequence[str] = (),
        **more: Any,
    ) -> None:
        """`busy` returns the tests that run, and how many may.

        `names` are the passes that may have their turn; for the others, see `Progress`.
        """
        super().__init__(tokens, length, **more)
        self.paused = False
        #: What the lower part shows; empty for the passes.
        self.view = ""
        #: The passes that were switched off.
        self.switched_off: frozenset[str] = frozenset()
        #: The row that is chosen among the passes or the steps; None is the pass whose turn it is.
        self.cursor: int | None = None
        self._names: Final = tuple(names)
        self._busy: Final = busy
        self._said: Final[list[str]] = []
        self._history: Final[deque[_PastStep]] = deque(maxlen=_MOST_HISTORY)
        self._history.append(_PastStep(0, 0.0, self.size, "the input"))
        self._times: Final[list[tuple[float, int]]] = [(0.0, self.size)]
        self._title: Final = plain(title)
        self.keys: Final = keys
        self._warnings: Final[list[str]] = []
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
            seconds = running_time() - self.started
            self._times.append((seconds, self.size))
            self._history.append(_PastStep(self.accepted, seconds, self.size, plain(event.phase)))
            if self.view == "history" and self.cursor is not None:
                self.cursor += 1  # the step that was chosen has moved down

    def warn(self, message: str) -> None:
        """Show a warning below the rest."""
        self._warnings.append(plain(message))

    def say(self, words: str) -> None:
        """Keep a line that the run says, to print it after the screen has closed."""
        self._said.append(plain(words))

    # -- what was typed ------------------------------------------------------------------------

    def show(self, view: str) -> None:
        """Show something in the lower part, or the passes again if it is shown already."""
        self.view = "" if self.view == view else view
        self.cursor = None

    def move(self, rows: int) -> None:
        """Choose another pass or step."""
        if self.view in ("", "history"):
            most = len(self._history if self.view else self._all_passes()) - 1
            now = self._turn() if self.cursor is None else self.cursor
            self.cursor = max(0, min(now + rows, most))

    @property
    def chosen_pass(self) -> str:
        """The chosen pass; by default the one whose turn it is."""
        passes = self._all_passes()
        chosen = not self.view and self.cursor is not None and self.cursor < len(passes)
        return passes[self.cursor or 0].name if chosen else self.pass_name

    @property
    def chosen_step(self) -> int | None:
        """The number of the step that is chosen in the history."""
        steps = list(self._history)[::-1]
        chosen = self.view == "history" and self.cursor is not None and self.cursor < len(steps)
        return steps[self.cursor or 0].number if chosen else None

    def _all_passes(self) -> list[PassTally]:
        """Return the passes that had their turn, then the others."""
        return [
            *self.passes.values(),
            *(PassTally(name) for name in self._names if name not in self.passes),
        ]

    def _turn(self) -> int:
        """Return the row to begin with: the pass whose turn it is, or above the newest step."""
        if self.view:
            return -1
        names = [one.name for one in self._all_passes()]
        return names.index(self.pass_name) if self.pass_name in names else 0

    # -- drawing -------------------------------------------------------------------------------

    def _draw(self) -> RenderableType:
        figures = self._figures()
        head = Text(self._title, style="bold", no_wrap=True)
        if self.paused:
            head.append("  paused", style="yellow")
        parts: list[RenderableType] = [head, figures]
        room = self._console.height - 1 - figures.row_count - len(self._warnings) - self.keys
        match self.view:
            case "history":
                parts += self._steps(room)
            case "result":
                parts += self._result(room)
            case "output":
                parts += self._output(room)
            case _:
                parts += self._passes_and_change(room)
        parts.extend(Text(f"warning: {warning}", style="yellow") for warning in self._warnings)
        if self.keys:
            parts.append(Text(self._keys(), style="dim", no_wrap=True))
        return Group(*parts)

    def _keys(self) -> str:
        """Return the line that names the keys, in as many words as fit."""
        off = self.chosen_pass in self.switched_off
        lines = _HISTORY_KEYS if self.view == "history" else _KEYS
        named = [
            line.format(
                pause="continue" if self.paused else "pause",
                result="passes" if self.view == "result" else "result",
                output="passes" if self.view == "output" else "output",
                switch="on" if off else "off",
            )
            for line in lines
        ]
        return next((line for line in named if len(line) <= self._console.width), named[-1])

    def _steps(self, room: int) -> list[RenderableType]:
        """Return the last accepted steps, the newest first; the chosen one is always to be seen."""
        steps = list(self._history)[::-1]
        chosen = -1 if self.cursor is None else self.cursor
        rows = max(1, room - 1)
        first = max(0, min(chosen - rows // 2, len(steps) - rows))
        return [
            Text("accepted steps, the newest first", style="dim"),
            *(
                Text(
                    f"{'>' if number == chosen else ' '}{one.seconds:7.1f} s  "
                    f"{one.size:>9,} {self.unit}  {one.phase}",
                    style="bold" if number == chosen else "",
                    no_wrap=True,
                )
                for number, one in list(enumerate(steps))[first : first + rows]
            ),
        ]

    @property
    def _tall(self) -> bool:
        return self._console.height >= _TALL

    def _figures(self) -> Table:
        now = running_time()
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", justify="right")
        table.add_column()
        share = self.size / self.size_before if self.size_before else 0.0
        table.add_row("", ProgressBar(total=1.0, completed=1.0 - share, width=_WIDTH))
        blocks = BLOCKS if self._console.encoding.startswith("utf") else PLAIN_BLOCKS
        width = min(100, max(20, self._console.width - 22))
        lines = _CHART_LINES if self._tall else 2
        for label, line in chart(self._times, now - self.started, width, lines, blocks, self.unit):
            table.add_row(label, Text(line, no_wrap=True))
        table.add_row("now", Text(plain(self.now), no_wrap=True))
        table.add_row(
            self.unit,
            Text.assemble((f"{self.size:,}", "bold"), f" of {self.size_before:,} ({share:.1%})"),
        )
        if self.unit != "bytes":
            table.add_row("bytes", f"{self.length:,} of {self.bytes_before:,}")
        table.add_row(
            "tests",
            Text(
                f"{self.tests:,} run, {self.cached:,} cached, {self.invalid:,} invalid"
                f" ({self.rate:.0f} a second)",
                no_wrap=True,
            ),
        )
        table.add_row(
            "time",
            Text(
                f"{now - self.started:.0f} s, last success {now - self.last_success:.0f} s ago"
                + (f", {self.left}" if self.left else ""),
                no_wrap=True,
            ),
        )
        for name, words in self._workers(now):
            table.add_row(name, Text(words, no_wrap=True, overflow="ellipsis"))
        return table

    def _workers(self, now: float) -> list[tuple[str, str]]:
        """Return what the workers test; on a small screen in one line."""
        if self._busy is None:
            return []
        tests, workers = self._busy()
        tests = tests[: max(workers, 1)]
        at_work = [
            f"{plain(one.words)}, {one.length:,} bytes, {max(0.0, now - one.began):.1f} s"
            for one in tests
        ]
        head = f"{len(tests)} of {workers} at a test"
        if not self._tall:
            return [("workers", "; ".join([head, *at_work]))]
        # As many lines at any time, or the rest would jump.
        lines = (at_work + [""] * workers)[: min(workers, _MOST_WORKERS)]
        return [("workers", head), *(("", line) for line in lines)]

    def _passes_and_change(self, room: int) -> list[RenderableType]:
        """Return the passes, then the last change and the output as far as there is room."""
        change = self._change()
        output = self._output(_OUTPUT_LINES + 1) if self._tall and self.last_output.strip() else []
        count = len(self._all_passes())
        passes = min(count, max(_LEAST_PASSES, room - 1 - len(change) - len(output)))
        room -= passes + 1
        parts: list[RenderableType] = [self._passes(passes)]
        if room > 1:
            parts += change[:room]
        room -= min(len(change), room)
        return parts + (output[:room] if room > 1 else [])

    def _passes(self, most: int) -> Table:
        """Return what the passes did, around the chosen one or the one whose turn it is."""
        table = Table.grid(padding=(0, 2))
        heads = ("  pass", "", "tests", "successes", "removed")
        for name in heads:
            table.add_column(justify="left" if name in heads[:2] else "right")
        table.add_row(*(Text(name, "dim") for name in heads))
        passes = self._all_passes()
        at = self._turn() if self.cursor is None else min(self.cursor, len(passes) - 1)
        first = max(0, min(at - most // 2, len(passes) - most))
        for number, one in list(enumerate(passes))[first : first + most]:
            turn = one.name == self.pass_name
            off = one.name in self.switched_off
            table.add_row(
                Text(
                    f"{'>' if number == self.cursor else ' '} {one.name}",
                    "bold" if turn else "" if one.name in self.passes else "dim",
                ),
                Text("off" if off else "now" if turn else "on", "yellow" if off else "dim"),
                *(
                    f"{figure:,}" if one.name in self.passes else ""
                    for figure in (one.tests, one.successes, one.removed)
                ),
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

    def _output(self, room: int) -> list[RenderableType]:
        """Return the end of what the test printed on the best so far: the end tells most."""
        said = printable(self.last_output[-_WIDEST * max(room, 1) :]).rstrip("\n").split("\n")
        lines = [line for line in said if line.strip()][-max(room - 1, 1) :]
        nothing = "it printed nothing" if self.last_change else "no candidate was interesting yet"
        title = Text("output of the last interesting test", style="dim")
        return [title, *(_plain_lines(lines) or [Text(nothing, style="dim")])]

    def _result(self, room: int) -> list[RenderableType]:
        """Return the beginning of the best so far, as much as there is room for."""
        if self.last_change is None:
            return [Text("nothing is reduced yet", style="dim")]
        # More bytes than any screen shows are not looked at.
        lines = printable(self.last_change[1][: _WIDEST * max(room, 1)]).split("\n")
        return [Text("the result so far", style="dim"), *_plain_lines(lines[: max(room - 1, 1)])]


def _plain_lines(lines: list[str]) -> list[Text]:
    return [Text(line[:_WIDEST], no_wrap=True) for line in lines]
