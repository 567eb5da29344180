"""Progress: what a run has done so far, for people; the last change as a short diff."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise, takewhile
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
from marrow.engine.search.control import BY_HAND
from marrow.engine.verdict import Verdict
from marrow.report.forecast import Forecast, about
from marrow.report.plain import printable

# Longer changes are shown by their first lines; more would push the display off the screen.
_MOST_LINES = 4
_WIDEST = 100

# What is left is told when all that was foreseen since half of the time is within this factor.
_STEADY: Final = 2.0
# Forecasts are noted when the run has grown by this factor, so a few tell of its last half.
_NOTED: Final = 1.05

# Fewer tests have no pace.
_FEWEST: Final = 3

# After this many seconds without a success, a line says that the run is still at work.
_SILENCE: Final = 60.0
# The same for a phase whose end is known, such as the runs on the input.
_WAITING: Final = 5.0
# Lines say how much is left if it is more than this many seconds.
_WORTH_SAYING: Final = 10.0


@dataclass(slots=True)
class PassTally:
    """The figures of a pass."""

    name: str
    tests: int = 0
    successes: int = 0
    removed: int = 0


@dataclass(eq=False)
class Progress:
    """Keeps count of the events of a run. A subclass shows them.

    `forecast` follows the run, and says how much is left of it; `seconds` is its limit, `started`
    when it began, by `running_time`. `unit` is what the run makes small before anything else,
    `size` the size in it.
    """

    tokens: int
    length: int
    _: KW_ONLY
    forecast: Forecast | None = None
    seconds: float | None = None
    started: float = field(default_factory=lambda: running_time())
    unit: str = "tokens"
    size: int = 0

    def __post_init__(self) -> None:
        self.size_before = self.size or (self.length if self.unit == "bytes" else self.tokens)
        self.size = self.size_before
        self.bytes_before = self.length
        self.phase = "starting"
        #: Of the samples that end a phase: how many there must be, and how many there are.
        self.samples_wanted = self.samples = 0
        #: The share of a phase that is done, where that is known.
        self.share = 0.0
        self._phase_began = running_time()
        self.pass_name = ""
        self.passes: dict[str, PassTally] = {}
        self.tests = self.cached = self.invalid = self.accepted = 0
        self.last_success = self.started
        self.last_change: tuple[bytes, bytes] | None = None
        #: What the test printed on the best so far, where that is kept.
        self.last_output = b""
        # When the last tests ended, for a rate that follows what happens now.
        self._recent: deque[float] = deque(maxlen=64)
        # How long the run has taken at times, and how long it would take in all, as foreseen then.
        self._foreseen: deque[tuple[float, float]] = deque()

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
                if self.forecast is not None:
                    self.forecast.began(event.name, self.tests)
            case Tried() | SampleTested():
                self._tried(event)
            case Accepted():
                self.accepted += 1
                if self.pass_name and event.pass_name != BY_HAND:
                    self.passes[self.pass_name].successes += 1
                    self.passes[self.pass_name].removed += self.size - size_in(self.unit, event)
                self.size = size_in(self.unit, event)
                self.tokens, self.length = event.tokens, event.length
                self.last_success = running_time()
                self.last_change = (event.before, event.after)
                self.last_output = event.output
                if self.forecast is not None:
                    self.forecast.accepted(event.tokens, self.tests)
            case Warned():
                self.warn(event.message)

    def _tried(self, event: Tried | SampleTested) -> None:
        self.samples += event.verdict is Verdict.INTERESTING
        if event.answer is Answer.TEST:
            self.tests += 1
            if self.pass_name and isinstance(event, Tried):
                self.passes[self.pass_name].tests += 1
            self._recent.append(running_time())
            self._foresee()
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
    def seconds_left(self) -> float | None:
        """About how many seconds the rest takes at the pace of the last tests; None if that is not
        known, or if they are more than a few and what was foreseen lately differs much."""
        left = self._seconds_left()
        if left is None or self.forecast is None:
            return None
        totals = [total for _, total in self._foreseen]
        totals.append(running_time() - self.started + left)
        steady = max(totals) <= _STEADY * min(totals)
        return left if steady or left < _WORTH_SAYING else None

    def _foresee(self) -> None:
        """Note how long the run takes in all, from time to time, and forget the first half."""
        spent, left = running_time() - self.started, self._seconds_left()
        if not self._foreseen or spent >= _NOTED * self._foreseen[-1][0]:
            self._foreseen.append((spent, math.inf if left is None else spent + left))
        while self._foreseen[0][0] < spent / 2:
            self._foreseen.popleft()

    def _seconds_left(self) -> float | None:
        tests = None if self.forecast is None else self.forecast.tests_left(self.tests)
        pace = self._pace()
        return None if tests is None or pace is None else tests * pace

    def _pace(self) -> float | None:
        """Return how many seconds a test takes lately, without the longest gap between two: in it
        a large text was parsed, perhaps, which comes once."""
        if len(self._recent) < _FEWEST:
            return None
        gaps = [then - first for first, then in pairwise([*self._recent, running_time()])]
        return (sum(gaps) - max(gaps)) / (len(gaps) - 1)

    @property
    def left(self) -> str:
        """What is left, by the forecast or by the limit, in words; empty where it is not known."""
        left, most = self.seconds_left, math.inf
        if self.seconds is not None:
            most = max(0.0, self.seconds - (running_time() - self.started))
        said = [f"{about(left)} left"] if left is not None and left < most else []
        said += [f"{most:.0f} s left at most"] if most < math.inf else []
        return ", ".join(said)

    @property
    def now(self) -> str:
        """The phase; where its end is known, how far it is, and the time that it will take."""
        said, share = self.phase, self.share
        if self.samples_wanted:
            said += f": {self.samples:,} of {self.samples_wanted:,} samples"
            share = min(1.0, self.samples / self.samples_wanted)
        elif share:
            said += f": {share:.0%}"
        left = (running_time() - self._phase_began) * (1 - share) / share if share else 0.0
        return f"{said}, about {left:.0f} s left" if share else said

    def warn(self, message: str) -> None:
        """Show a warning."""


def size_in(unit: str, step: Accepted) -> int:
    """Return the size of a candidate in a unit."""
    if unit == "lines":
        return step.after.rstrip().count(b"\n") + 1
    return step.length if unit == "bytes" else step.tokens


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
        if isinstance(event, PhaseAdvanced) and running_time() - self._last_line >= _WAITING:
            self._line(self.now)

    def _line(self, words: str) -> None:
        """Print how far the run is; what takes seconds needs no forecast."""
        self._last_line = running_time()
        left = self.seconds_left
        self._say(
            f"{self._last_line - self.started:8.1f} s{self._sizes()}"
            f"  {self.tests:>6,} tests  {words}"
            + (f" ({about(left)} left)" if left is not None and left >= _WORTH_SAYING else "")
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


def chart(
    curve: Sequence[tuple[float, int]],
    seconds: float,
    width: int,
    height: int,
    blocks: str = BLOCKS,
    unit: str = "tokens",
) -> list[tuple[str, str]]:
    """Draw sizes over time in some lines, on a logarithmic scale; each line has its label.

    The last line is the axis of time.
    """
    times, sizes = [time for time, _ in curve], [math.log(max(size, 1)) for _, size in curve]
    most, rows = max(sizes), height - 1
    # What a column shows of the largest size: the size at its end.
    last = (bisect_right(times, seconds * column / width) - 1 for column in range(1, width + 1))
    shares = [sizes[max(0, at)] / most if most else 1.0 for at in last]
    lines = []
    for row in range(rows):
        # From the top: what a column has of this line, in parts of a block.
        parts = [max(0.0, min(1.0, share * rows - (rows - 1 - row))) for share in shares]
        line = "".join(
            " " if part <= 0.0 else blocks[round(part * (len(blocks) - 1))] for part in parts
        )
        size = math.exp(most * (rows - row) / rows)
        label = f"{curve[0][1]:,}" if row == 0 else f"{size:,.0f}" if row % 2 == 0 else ""
        lines.append((label, line))
    end = f"{seconds:.0f} s"
    lines.append((unit, "0 s" + end.rjust(max(0, width - 3))))
    return lines
