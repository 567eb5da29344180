"""Type batching against Perses and Pardis: tests, sizes, and remaining tokens over tests.

    python -m bench.batched run --cases c,rust,go --algorithms 'perses*,pardis*,batched'
    python -m bench.batched table
    python -m bench.batched plot c-lanai-barrier --algorithms 'perses*,pardis*,batched' -o FILE.svg

The pictures are like the paper's Figures 4 and 5. Runs that differ in `--seed N` alone are one line
in them, the mean, with the standard deviation as a shade.

Runs are kept in bench/results/batched.json and not repeated; remove the file to begin anew, or name
another one with --file. Runs on a case share verdicts, which changes no count. An algorithm may
have options of type batching behind it: `--no-online` (the paper's setting), `--no-model` (the
prior alone), `--clean-up pardis`, `--seed N`.
"""

from __future__ import annotations

import argparse
import json
import math
import shlex
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, prepare, select
from bench.plot import Chart, Series
from bench.runs import RESULTS
from bench.verdicts import remembering
from marrow import Settings, reduce
from marrow.engine.events import Accepted, Answer, Event, Tried
from marrow.learn.model import PRIOR_MODEL

_FILE: Final = RESULTS / "batched.json"


@dataclass(frozen=True, slots=True)
class Trace:
    """One run: how many tokens were left after how many tests, at every success."""

    case: str
    runner: str
    before: int
    after: int
    tests: int
    finished: bool
    points: tuple[tuple[int, int], ...]


def settings_of(words: Sequence[str]) -> Settings:
    """Return the settings that the options behind an algorithm's name choose."""
    parser = argparse.ArgumentParser(prog="an algorithm")
    parser.add_argument("--no-online", action="store_true")
    parser.add_argument("--no-model", action="store_true")
    parser.add_argument("--clean-up", default="perses")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(words)
    return Settings(
        model=PRIOR_MODEL if chosen.no_model else None,
        online=not chosen.no_online,
        clean_up=chosen.clean_up,
        seed=chosen.seed,
    )


def trace(case_name: str, runner: str, max_seconds: float | None) -> Trace:
    """Run an algorithm on a case."""
    (case,) = select([case_name])
    made = prepare(case)
    points: list[tuple[int, int]] = []
    tests = 0

    def listen(event: Event) -> None:
        nonlocal tests
        if isinstance(event, Tried):
            tests += event.answer is Answer.TEST
        elif isinstance(event, Accepted):
            points.append((tests, event.tokens))

    name, *words = shlex.split(runner)
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        result = reduce(
            made.input.read_bytes(),
            remembering(made, Path(place)),
            name=case.file,
            language=case.language,
            algorithm=name,
            settings=settings_of(words),
            max_seconds=max_seconds,
            on_event=listen,
        )
    return Trace(
        case.name,
        runner,
        result.tokens_before,
        result.tokens_after,
        tests,
        result.stopped is None,
        tuple(points),
    )


def load(path: Path) -> list[Trace]:
    """Return the runs that were made."""
    if not path.exists():
        return []
    return [
        Trace(**{**one, "points": tuple((at, left) for at, left in one["points"])})
        for one in json.loads(path.read_text())
    ]


def table(traces: Sequence[Trace]) -> str:
    """Return a Markdown table: tests and tokens, and the ratios of tests to the first algorithm."""
    runners = list(dict.fromkeys(one.runner for one in traces))
    cells = {(one.case, one.runner): one for one in traces}
    lines = [_row(["case", "tokens", *runners]), _row(["---"] * (2 + len(runners)))]
    shared: list[str] = []
    for case in dict.fromkeys(one.case for one in traces):
        found = [cells.get((case, runner)) for runner in runners]
        shown = [
            "" if one is None else f"{one.tests:,} → {one.after:,}{_mark(one)}" for one in found
        ]
        before = next(one.before for one in found if one is not None)
        lines.append(_row([case, f"{before:,}", *shown]))
        if all(one is not None and one.finished for one in found):
            shared.append(case)
    for words, figure in (("tests", _tests), ("size", _size)):
        means = [
            math.exp(
                sum(math.log(figure(cells[c, r]) / figure(cells[c, runners[0]])) for c in shared)
                / max(1, len(shared))
            )
            for r in runners
        ]
        lines.append(_row([f"{words} × ({len(shared)} cases)", "", *(f"{x:.2f}" for x in means)]))
    return "\n".join(lines)


def picture(traces: Sequence[Trace]) -> str:
    """Return the remaining tokens over tests of some runs on one case, as Figures 4 and 5 do."""
    first = traces[0]
    groups: dict[str, list[Trace]] = {}
    for one in traces:
        groups.setdefault(one.runner.partition(" --seed")[0], []).append(one)
    return Chart(
        f"{first.case}: remaining tokens over tests",
        "tests",
        "tokens",
        [_series(name, group) for name, group in groups.items()],
        # A multiple of the number of ticks, so that these are round numbers.
        math.ceil(max(one.tests for one in traces) / 50) * 50,
        first.before,
        powers=True,
    ).svg()


def _series(name: str, group: Sequence[Trace]) -> Series:
    if len(group) == 1:
        return Series(name, _steps(group[0]))
    points, band = [], []
    for tests in range(max(one.tests for one in group) + 1):
        left = [_left_after(one, tests) for one in group]
        mean, spread = statistics.fmean(left), statistics.pstdev(left)
        points.append((float(tests), mean))
        band.append((float(tests), mean - spread, mean + spread))
    return Series(f"{name} ({len(group)} runs)", points, band=band)


def _left_after(one: Trace, tests: int) -> int:
    """Return the tokens that were left after so many tests."""
    return next((left for at, left in reversed(one.points) if at <= tests), one.before)


def _steps(one: Trace) -> list[tuple[float, float]]:
    """Return the corners of a line that falls at every success and is level between them."""
    left = one.before
    corners: list[tuple[float, float]] = [(0, left)]
    for tests, tokens in one.points:
        corners += [(tests, left), (tests, tokens)]
        left = tokens
    return [*corners, (one.tests, left)]


def _tests(one: Trace) -> int:
    return max(1, one.tests)


def _size(one: Trace) -> int:
    return max(1, one.after)


def _mark(one: Trace) -> str:
    return "" if one.finished else " (stopped)"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> int:
    """Do what the command line asks for; exit with 1 if a case cannot be made."""
    parser = argparse.ArgumentParser(prog="python -m bench.batched", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("action", choices=("run", "table", "plot"))
    parser.add_argument("case", nargs="?", help="the case to plot")
    parser.add_argument("--cases", default="c")
    parser.add_argument("--algorithms", default="perses*,pardis*,batched")
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--file", type=Path, default=_FILE)
    parser.add_argument("-o", "--output", type=Path, default=Path("batched.svg"))
    arguments = parser.parse_args()
    traces = load(arguments.file)
    if arguments.action == "run":
        return _run(arguments, traces)
    if arguments.action == "table":
        print(table(traces))
        return 0
    runners = arguments.algorithms.split(",")
    known = {one.runner: one for one in traces if one.case == arguments.case}
    chosen = [known[name] for name in runners if name in known]
    if len(chosen) < len(runners):
        missing = ", ".join(sorted(set(runners) - set(known)))
        parser.error(f"no run of {missing} on {arguments.case!r} in {arguments.file}")
    arguments.output.write_text(picture(chosen))
    return 0


def _run(arguments: argparse.Namespace, traces: list[Trace]) -> int:
    failed = False
    known = {(one.case, one.runner) for one in traces}
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    for case in select(arguments.cases.split(",")):
        for runner in arguments.algorithms.split(","):
            if (case.name, runner) in known:
                continue
            try:
                traces.append(trace(case.name, runner, arguments.max_time))
            except CannotMakeError as error:
                print(f"{case.name}: {error}", file=sys.stderr)
                failed = True
                continue
            one = traces[-1]
            print(f"{case.name} {runner}: {one.tests:,} tests, {one.before:,} → {one.after:,}")
            arguments.file.write_text(json.dumps([asdict(one) for one in traces]))
    print(table(traces))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
