"""How good the forecast of the tests that are left is (`marrow.report.forecast`).

Reductions of `bench.counts`, or cases of `bench.cases` by name, run with one worker. After every
test the forecast is compared with what was really left. Deterministic: it counts tests.

    python -m bench.forecast            the small reductions, some minutes
    python -m bench.forecast NAME...    some of them, or cases of `bench.cases`

A row: tests in all, the share of them from which on there is a forecast, and which shares of the
forecasts are off by less than a factor of 2 and of 4, before the passes begin and among them.
(Five tests more or less do not count: nobody waits for them.)
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import marrow
from bench.cases import prepare, select
from bench.counts import ROOT, content_of
from bench.counts_cases import CASES
from marrow.engine.events import Accepted, Answer, Event, PassBegan, Tried
from marrow.reducers.pipeline.pass_table import PASSES
from marrow.report.forecast import Forecast

_NAMES = [one.name for one in PASSES if not one.opening]


@dataclass(slots=True)
class _Watch:
    """Follows a run as the display does."""

    forecast: Forecast
    tests: int = 0
    among_passes: bool = False
    #: After each test: whether the passes have begun, and the forecast.
    said: list[tuple[bool, float | None]] = field(default_factory=list)

    def __call__(self, event: Event) -> None:
        match event:
            case PassBegan():
                self.forecast.began(event.name, self.tests)
                self.among_passes |= event.name in _NAMES
            case Accepted():
                self.forecast.accepted(event.tokens, self.tests)
            case Tried(answer=Answer.TEST):
                self.tests += 1
                self.said.append((self.among_passes, self.forecast.tests_left(self.tests)))


def _runs(names: list[str]) -> Iterator[tuple[str, _Watch]]:
    for case in CASES:
        if names and case.name not in names:
            continue
        if case.command != "reduce" or case.options or len(case.files) > 1:
            continue  # settings of their own, which users seldom have
        with tempfile.TemporaryDirectory(prefix="forecast-") as place:
            ((name, content),) = case.files.items()
            path = Path(place, name)
            path.write_bytes(content_of(content))
            if case.test.startswith("@"):
                yield case.name, _watched(path, str(ROOT / case.test[1:]))
            else:
                script = Path(place, "test.sh")
                script.write_text(f"#!/bin/sh\n{case.test}\n")
                script.chmod(0o755)
                yield case.name, _watched(path, str(script))
    known = {case.name for case in CASES}
    for real in select([name for name in names if name not in known]) if set(names) - known else ():
        made = prepare(real)
        yield real.name, _watched(made.input, str(made.test), real.language)


def _watched(path: Path, test: str, language: str | None = None) -> _Watch:
    tokens = marrow.reduce(path, Path(test), language=language, max_tests=1).tokens_before
    watch = _Watch(Forecast(_NAMES, tokens))
    marrow.reduce(path, Path(test), language=language, jobs=1, on_event=watch)
    return watch


def main(names: list[str]) -> None:
    """Print the table."""
    print("| case | tests | from | opening: 2x, 4x | passes: 2x, 4x |\n|---|---|---|---|---|")
    for name, watch in _runs(names):
        offs: dict[bool, list[float]] = {False: [], True: []}
        for number, (late, left) in enumerate(watch.said, 1):
            if left is not None:
                really = watch.tests - number
                offs[late].append(abs(math.log2((left + 5) / (really + 5))))
        known = [number for number, (_, left) in enumerate(watch.said, 1) if left is not None]
        begins = f"{known[0] / watch.tests:.0%}" if known else "-"
        print(f"| {name} | {watch.tests} | {begins} | {_good(offs[False])} | {_good(offs[True])} |")


def _good(offs: list[float]) -> str:
    if not offs:
        return "-"
    within = [sum(off <= most for off in offs) / len(offs) for most in (1.0, 2.0)]
    return f"{within[0]:.0%}, {within[1]:.0%}"


if __name__ == "__main__":
    main(sys.argv[1:])
