"""Compare reducers on benchmark cases: sizes, tests and time, against the first reducer named.

    python -m bench.compare --cases c --algorithms 'perses*,hddr*,ddmin*'
    python -m bench.compare --cases c --algorithms 'default,perses*' --tools cvise -j 2
    python -m bench.compare --cases all --algorithms 'hddr* --hoist both,hddr*' --max-time 600

    python -m bench.compare --cases c --algorithms 'default;default --passes=-tokens,-merge'

A comma stands between cases and between algorithms, or a semicolon where options have commas; a
language stands for its cases (`python -m bench.cases list`). Runs that were made before with the
same code are taken from bench/results/.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from bench.cases import CannotMakeError, select
from bench.runs import TOOLS, FailedRunError, Limits, Run, compare, tool_version

#: What is compared: the heading, and the figure of a run.
MEASURES: Final[tuple[tuple[str, Callable[[Run], float]], ...]] = (
    ("tokens", lambda run: run.after.tokens),
    ("bytes", lambda run: run.after.bytes),
    ("chars", lambda run: run.after.characters),
    ("tests", lambda run: run.tests),
    ("seconds", lambda run: run.seconds),
    ("of the processor", lambda run: run.processor),
)


def main() -> int:
    """Run what the command line asks for; exit with 1 if a case could not be made or run."""
    arguments = _arguments()
    runners = [*_list(arguments.algorithms), *_list(arguments.tools)]
    limits = Limits(
        arguments.jobs, arguments.max_tests, arguments.max_time, arguments.max_processor
    )
    runs: list[Run] = []
    failed = False
    for case in select(_list(arguments.cases)):
        try:
            runs += compare([case], runners, limits, on_run=_tell)
        except (CannotMakeError, FailedRunError) as error:
            print(error, file=sys.stderr)
            failed = True
    print(table(runs, runners))
    versions = [f"{one}: {tool_version(one).split(chr(10))[0]}" for one in runners if one in TOOLS]
    print("; ".join([f"{datetime.now(UTC):%Y-%m-%d}", *versions]))
    if arguments.json is not None:
        Path(arguments.json).write_text(json.dumps([asdict(run) for run in runs], indent=1))
    return 1 if failed else 0


def table(runs: Sequence[Run], runners: Sequence[str]) -> str:
    """Return a Markdown table: a line a run, then the geometric means of the ratios.

    The means are over the cases that every runner has finished or stopped at a limit in.
    """
    heads = [name for name, _ in MEASURES]
    ratios = [f"{name} ×" for name in heads]
    lines = [_row(["case", "original", "reducer", *heads, *ratios, "stopped"])]
    lines.append(_row(["---"] * (4 + 2 * len(heads))))
    by_case: dict[str, dict[str, Run]] = {}
    for run in runs:
        by_case.setdefault(run.case, {})[run.runner] = run
    for case, found in by_case.items():
        first = found.get(runners[0])
        for run in found.values():
            shown = [f"{figure(run):,.0f}" for _, figure in MEASURES]
            against = [_against(run, first, figure) for _, figure in MEASURES]
            original = f"{run.before.tokens:,}"
            lines.append(_row([case, original, run.runner, *shown, *against, run.stopped]))
    whole = [found for found in by_case.values() if len(found) == len(set(runners))]
    if whole:
        for runner in runners:
            means = [_mean(whole, runner, runners[0], figure) for _, figure in MEASURES]
            count = f"{len(whole)} cases"
            lines.append(_row(["geometric mean", count, runner, *[""] * len(heads), *means, ""]))
    return "\n".join(lines)


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive numbers."""
    logarithms = [math.log(one) for one in values]
    return math.exp(sum(logarithms) / len(logarithms))


def _mean(
    cases: Iterable[dict[str, Run]], runner: str, first: str, figure: Callable[[Run], float]
) -> str:
    return f"{geometric_mean(_ratio(one[runner], one[first], figure) for one in cases):.2f}"


def _ratio(run: Run, first: Run, figure: Callable[[Run], float]) -> float:
    # Nothing that is measured is zero but for an empty result, which counts as one.
    return max(figure(run), 1e-9) / max(figure(first), 1e-9)


def _against(run: Run, first: Run | None, figure: Callable[[Run], float]) -> str:
    return "" if first is None else f"{_ratio(run, first, figure):.2f}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _tell(run: Run) -> None:
    print(
        f"{run.case}, {run.runner}: {run.before.tokens:,} -> {run.after.tokens:,} tokens, "
        f"{run.tests:,} tests, {run.seconds:.1f} s {run.stopped}",
        file=sys.stderr,
        flush=True,
    )


def _list(words: str) -> list[str]:
    between = ";" if ";" in words else ","
    return [one.strip() for one in words.split(between) if one.strip()]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", required=True, help="names of cases or languages, or `all`")
    parser.add_argument("--algorithms", default="", help="marrow's algorithms; `default` for none")
    parser.add_argument("--tools", default="", help=f"other tools: {', '.join(TOOLS)}")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="tests at once")
    parser.add_argument("--max-tests", type=int, help="stop each run after so many tests")
    parser.add_argument("--max-time", type=float, help="stop each run after so many seconds")
    parser.add_argument(
        "--max-processor", type=float, help="stop each run after so many seconds of the processor"
    )
    parser.add_argument("--json", metavar="FILE", help="write all figures there too")
    arguments = parser.parse_args()
    if not _list(arguments.algorithms) and not _list(arguments.tools):
        parser.error("name --algorithms or --tools")
    unknown = set(_list(arguments.tools)) - set(TOOLS)
    if unknown:
        parser.error(f"there is no tool called {', '.join(sorted(unknown))}")
    try:
        select(_list(arguments.cases))
    except LookupError as error:
        parser.error(str(error.args[0]))
    return arguments


if __name__ == "__main__":
    sys.exit(main())
