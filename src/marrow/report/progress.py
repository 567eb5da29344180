"""Progress: what a run has done so far, for people; the last change as a short diff."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from marrow.base.clock import running_time
from marrow.engine.delta import changed_region
from marrow.engine.events import (
    Accepted,
    Answer,
    Event,
    PassBegan,
    PhaseAdvanced,
    PhaseBegan,
    SampleTested,
    Tried,
    Warned,
)
from marrow.engine.verdict import Verdict
from marrow.report.plain import printable

# Longer changes are shown by their first lines; more would push the display off the screen.
_MOST_LINES = 4
_WIDEST = 100

# After this many seconds without a success, a line says that the run is still at work.
_SILENCE: Final = 60.0
# The same for a phase whose end is known, such as the runs on the input.
_WAITING: Final = 5.0


@dataclass(slots=True)
class PassTally:
    """The figures of a pass."""

    name: str
    tests: int = 0
    successes: int = 0
    removed: int = 0


class Progress:
    """Keeps count of the events of a run. A subclass shows them."""

    def __init__(
        self,
        tokens: int,
        length: int,
        *,
        seconds: float | None = None,
        started: float | None = None,
        unit: str = "tokens",
        size: int | None = None,
    ) -> None:
        """`seconds` is the limit of the run.

        `started` is when the run began, by `running_time`; now if it is not given. `unit` is what
        the run makes small before anything else, `size` the input's size in it.
        """
        self._limit: Final = seconds
        self.unit: Final = unit
        self.size_before: Final = size or (length if unit == "bytes" else tokens)
        self.size = self.size_before
        self.tokens_before: Final = tokens
        self.bytes_before: Final = length
        self.tokens = tokens
        self.length = length
        self.phase = "starting"
        #: Of the samples that end a phase: how many there must be, and how many there are.
        self.samples_wanted = 0
        self.samples = 0
        #: The share of a phase that is done, where that is known.
        self.share = 0.0
        self._phase_began = running_time()
        self.pass_name = ""
        self.passes: Final[dict[str, PassTally]] = {}
        self.tests = 0
        self.cached = 0
        self.invalid = 0
        self.accepted = 0
        self.started: Final = running_time() if started is None else started
        self.last_success = self.started
        self.last_change: tuple[bytes, bytes] | None = None
        # When the last tests ended, for a rate that follows what happens now.
        self._recent: Final[deque[float]] = deque(maxlen=64)

    def __call__(self, event: Event) -> None:
        """Take an event."""
        match event:
            case PhaseBegan():
                self.phase = event.words
                self.samples_wanted, self.samples = event.samples, 0
                self.share = 0.0
                self._phase_began = running_time()
            case PhaseAdvanced():
                self.share = event.share
            case PassBegan():
                self.pass_name = event.name
                self.passes.setdefault(event.name, PassTally(event.name))
            case Tried() | SampleTested():
                self._tried(event)
            case Accepted():
                self.accepted += 1
                if self.pass_name:
                    self.passes[self.pass_name].successes += 1
                    self.passes[self.pass_name].removed += self.size - size_in(self.unit, event)
                self.size = size_in(self.unit, event)
                self.tokens, self.length = event.tokens, event.length
                self.last_success = running_time()
                self.last_change = (event.before, event.after)
            case Warned():
                self.warn(event.message)

    def _tried(self, event: Tried | SampleTested) -> None:
        self.samples += event.verdict is Verdict.INTERESTING
        if event.answer is Answer.TEST:
            self.tests += 1
            if self.pass_name and isinstance(event, Tried):
                self.passes[self.pass_name].tests += 1
            self._recent.append(running_time())
        elif event.answer is Answer.CACHE:
            self.cached += 1
        else:
            self.invalid += 1

    @property
    def rate(self) -> float:
        """Tests per second, lately."""
        if len(self._recent) < 2:
            return 0.0
        span = running_time() - self._recent[0]
        return len(self._recent) / span if span > 0 else 0.0

    @property
    def left(self) -> str:
        """How much of the time limit is left, in words; empty without a limit."""
        if self._limit is None:
            return ""
        return f"{max(0.0, self._limit - (running_time() - self.started)):.0f} s left at most"

    @property
    def now(self) -> str:
        """The phase; where its end is known, how far it is, and the time that it will take."""
        said, share = self.phase, self.share
        if self.samples_wanted:
            said += f": {self.samples:,} of {self.samples_wanted:,} samples"
            share = min(1.0, self.samples / self.samples_wanted)
        elif share:
            said += f": {share:.0%}"
        if not share:
            return said
        left = (running_time() - self._phase_began) * (1 - share) / share
        return f"{said}, about {left:.0f} s left"

    def warn(self, message: str) -> None:
        """Show a warning."""


def size_in(unit: str, step: Accepted) -> int:
    """Return the size of a candidate in a unit."""
    match unit:
        case "bytes":
            return step.length
        case "lines":
            return step.after.rstrip().count(b"\n") + 1
        case _:
            return step.tokens


class LineProgress(Progress):
    """One line for every success, for logs and pipes."""

    def __init__(
        self,
        say: Callable[[str], None],
        tokens: int,
        length: int,
        *,
        verbose: bool = False,
        **more: Any,
    ) -> None:
        """`say` prints a line; for the others, see `Progress`."""
        super().__init__(tokens, length, **more)
        self._say: Final = say
        self._verbose: Final = verbose
        self._last_line = self.started

    def __call__(self, event: Event) -> None:
        """Take an event, and print a line if it is a success."""
        super().__call__(event)
        if isinstance(event, Accepted):
            # The changes of a difference are a list that nobody has seen.
            self._line(event.phase if self.unit != "changes" else "undoing changes")
            if self._verbose:
                for sign, line in short_diff(event.before, event.after):
                    self._say(f"            {sign} {line}")
        elif self._verbose and isinstance(event, Tried) and event.verdict is not None:
            self._say(f"            {event.answer.value}: {event.verdict.value}")
        elif isinstance(event, Tried) and running_time() - self._last_line >= _SILENCE:
            self._line(f"{self.phase}, nothing for a while")
        else:
            self._wait(event)

    def _wait(self, event: Event) -> None:
        """Say how far a phase is that takes long."""
        if isinstance(event, PhaseAdvanced) and running_time() - self._last_line >= _WAITING:
            self._line(self.now)

    def _line(self, words: str) -> None:
        """Print how far the run is."""
        self._last_line = running_time()
        self._say(
            f"{self._last_line - self.started:8.1f} s{self._sizes()}"
            f"  {self.tests:>6,} tests  {words}"
        )

    def _sizes(self) -> str:
        length = f"  {self.length:>9,} bytes"
        if self.unit == "bytes":
            return length
        unit = self.unit.removesuffix("s") + " " if self.size == 1 else self.unit
        return f"  {self.size:>8,} {unit}{length}"

    def warn(self, message: str) -> None:
        """Print a warning."""
        self._say(f"warning: {message}")


class PhaseProgress(LineProgress):
    """One line for every phase that tests samples, and for those that take long.

    The reduction before a search for a pattern is one phase.
    """

    _said = ""

    def __call__(self, event: Event) -> None:
        """Take an event, and print a line if it is the first one of a phase."""
        if isinstance(event, Tried | SampleTested):
            words = self.phase if isinstance(event, SampleTested) else "reducing"
            if words != self._said:
                self._said = words
                self._line(words)
        Progress.__call__(self, event)
        self._wait(event)

    def _sizes(self) -> str:
        return ""


def short_diff(before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    """Yield the changed lines, each with `-` or `+`, shortened to a few."""
    start, end_before, end_after = changed_region(before, after)
    line_start = before.rfind(b"\n", 0, start) + 1
    gone = _lines(before, line_start, end_before)
    come = _lines(after, line_start, end_after)
    # What both have at the ends was not changed: it only shares a line with what was.
    while gone and come and gone[-1] == come[-1]:
        gone.pop()
        come.pop()
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(gone, come, strict=False)))
    for sign, lines in (("-", gone[same:]), ("+", come[same:])):
        for line in lines[:_MOST_LINES]:
            yield sign, printable(line)[:_WIDEST]
        if len(lines) > _MOST_LINES:
            yield sign, f"... {len(lines) - _MOST_LINES} more lines"


def _lines(text: bytes, start: int, end: int) -> list[bytes]:
    """Return the lines from `start` on that begin before `end`, without blank ones."""
    if end <= start:
        return []
    line_end = text.find(b"\n", end - 1)
    piece = text[start : len(text) if line_end < 0 else line_end]
    return [line for line in piece.split(b"\n") if line.strip()]


BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN_BLOCKS: Final = "_.,-=+*#"


def sparkline(
    curve: Sequence[tuple[int, int]], tests: int, width: int, blocks: str = BLOCKS
) -> str:
    """Draw sizes over tests, on a logarithmic scale from 1; `curve` has them as (tests, size)."""
    sizes = [math.log(max(size, 1)) for _, size in curve]
    most = max(sizes)
    drawn = []
    at = 0
    for column in range(width):
        while at + 1 < len(curve) and curve[at + 1][0] <= tests * (column + 1) / width:
            at += 1
        share = sizes[at] / most if most else 1.0
        drawn.append(blocks[round(share * (len(blocks) - 1))])
    return "".join(drawn)
