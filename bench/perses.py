"""Table 3 of the Perses paper: size, tests, time and speed of `perses*` against other reducers.

    python -m bench.perses --cases c [-j 1] [--max-time 3600] [--max-tests 2000]

Prints every run, then the ratios of `perses*` to each of the others over all cases: of the means,
as the paper has them, and geometric means of the ratios, which no large case dominates. Time is
that of the processor. Runs that a limit stopped are marked; with `--max-tests` the sizes are those
after the same number of tests.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Final

from bench import blind
from bench.cases import select
from bench.compare import geometric_mean, table
from bench.runs import Limits, Run, compare

OURS: Final = "perses*"
OTHERS: Final = ("ddmin*", blind.NAME, "hdd*", "hddr*")

#: The rows of the table.
ROWS: Final[tuple[tuple[str, Callable[[Run], float]], ...]] = (
    ("size", lambda run: run.after.tokens),
    ("tests", lambda run: run.tests),
    ("time", lambda run: run.processor),
    ("speed", lambda run: (run.before.tokens - run.after.tokens) / run.processor),
)


def ratios(runs: Sequence[Run], others: Sequence[str] = OTHERS) -> str:
    """Return the table of ratios over the cases that all reducers ran on, as Markdown."""
    names = (OURS, *others)
    cases: dict[str, dict[str, Run]] = {}
    for run in runs:
        cases.setdefault(run.case, {})[run.runner] = run
    whole = [found for found in cases.values() if all(name in found for name in names)]
    lines = [f"| {OURS} against | {' | '.join(others)} |", "| --- |" + " ---: |" * len(others)]
    for row, figure in ROWS if whole else ():
        cells = []
        for other in others:
            ours = [figure(found[OURS]) for found in whole]
            theirs = [figure(found[other]) for found in whole]
            of_means = sum(ours) / sum(theirs)
            each = geometric_mean(a / b for a, b in zip(ours, theirs, strict=True))
            cells.append(f"{of_means:.0%} ({each:.0%})")
        lines.append(f"| {row} | {' | '.join(cells)} |")
    return "\n".join([*lines, f"\n{len(whole)} cases; in brackets the geometric mean."])


def main() -> None:
    """Run what is not known yet, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", default="c")
    parser.add_argument("--others", default=",".join(OTHERS))
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--max-tests", type=int)
    arguments = parser.parse_args()
    others = arguments.others.split(",")
    limits = Limits(arguments.jobs, arguments.max_tests, arguments.max_time)
    runs = compare(select(arguments.cases.split(",")), [OURS, *others], limits)
    print(table(runs, [OURS, *others]))
    print()
    print(ratios(runs, others))


if __name__ == "__main__":
    main()
