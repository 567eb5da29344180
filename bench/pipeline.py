"""The default pipeline against its targets: C-Vise and C-Reduce on C, perses* elsewhere.

    python -m bench.pipeline                          all cases, -j 1
    python -m bench.pipeline --cases c -j 2           the C cases, two tests at once
    python -m bench.pipeline --cases python,go --max-time 600

On C: at most the tokens of C-Vise, in at most half its time. Elsewhere: at most 60% of the tokens
of perses*, in at most three times its tests. Runs are kept in bench/results/ as those of
bench.compare are.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bench.cases import CannotMakeError, Case, select
from bench.compare import table
from bench.runs import FailedRunError, Limits, Run, compare

OURS: Final = "default"


@dataclass(frozen=True, slots=True)
class Target:
    """What to compare with, and how much of its tokens and of its cost is allowed."""

    others: tuple[str, ...]
    tokens: float
    cost: float
    #: Whether the cost is seconds; tests otherwise.
    timed: bool

    def cost_of(self, run: Run) -> float:
        """Return what a run cost."""
        return run.seconds if self.timed else run.tests


C_TARGET: Final = Target(("cvise", "creduce"), tokens=1.0, cost=0.5, timed=True)
OTHER_TARGET: Final = Target(("perses*",), tokens=0.6, cost=3.0, timed=False)


def main() -> int:
    """Run the cases; exit with 1 if a case could not be run or a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.pipeline", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--cases", default="all", help="names and languages, with commas")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    parser.add_argument("--max-time", type=float, help="seconds for each run")
    arguments = parser.parse_args()
    limits = Limits(arguments.jobs, None, arguments.max_time)
    cases = select(arguments.cases.split(","))
    good = True
    for target, some in (
        (C_TARGET, [case for case in cases if case.language == "c"]),
        (OTHER_TARGET, [case for case in cases if case.language != "c"]),
    ):
        if some:
            good = _judge(some, target, limits) and good
    return 0 if good else 1


def _judge(cases: Sequence[Case], target: Target, limits: Limits) -> bool:
    """Run cases and print how they stand to a target; return whether it is met."""
    runners = [OURS, *target.others]
    runs: list[Run] = []
    good = True
    for case in cases:
        try:
            runs += compare([case], runners, limits)
        except (CannotMakeError, FailedRunError) as error:
            print(error, file=sys.stderr)
            good = False
    print(table(runs, runners))
    by_case = {(run.case, run.runner): run for run in runs}
    first = target.others[0]
    pairs = [
        (by_case[case.name, OURS], by_case[case.name, first])
        for case in cases
        if (case.name, OURS) in by_case and (case.name, first) in by_case
    ]
    if not pairs:
        return False
    tokens = _mean([ours.after.tokens / max(1, other.after.tokens) for ours, other in pairs])
    cost = _mean([target.cost_of(ours) / max(1, target.cost_of(other)) for ours, other in pairs])
    what = "time" if target.timed else "tests"
    print(f"\nagainst {first}, geometric means over {len(pairs)} cases:")
    print(
        f"  tokens {tokens:.2f} (target {target.tokens}), {what} {cost:.2f} (target {target.cost})"
    )
    if target.timed:
        # What other work on the machine changes less.
        processor = _mean([ours.processor / max(1, other.processor) for ours, other in pairs])
        print(f"  seconds of the processor {processor:.2f}")
    return good and tokens <= target.tokens and cost <= target.cost


def _mean(ratios: Sequence[float]) -> float:
    # An empty result counts as a thousandth of a token: it has no logarithm.
    return math.exp(sum(math.log(max(ratio, 0.001)) for ratio in ratios) / len(ratios))


if __name__ == "__main__":
    sys.exit(main())
