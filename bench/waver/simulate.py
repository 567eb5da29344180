"""Reductions of tests that waver, simulated: `python -m bench.waver.simulate [--seeds N]`.

A candidate fails with a rate that is known, so the result can be judged: does it fail at least as
often as the input, what does marrow say of it, and how many runs did that take beside the same
reduction with a test that fails every time? Each run of the test draws from a seeded generator.
"""

from __future__ import annotations

import argparse
import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import marrow
from bench.waver.reductions import REDUCTIONS, WaveringInput
from marrow.run.test.unfit_test import UnfitTestError

RATES: Final = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95)

# A rising rate ends below certainty.
_MOST: Final = 0.98


@dataclass(frozen=True, slots=True)
class Simulated:
    """How a reduction ended: the rate of the result beside the input's, the runs, what was said."""

    share: float
    runs: int
    size: int
    lie: bool
    refused: str = ""


def simulated(case: WaveringInput, rate: float, seed: int) -> Simulated:
    """Reduce a case whose input fails at this rate."""
    lots = random.Random(f"{case.name} {rate} {seed}")
    runs = 0

    def test(text: bytes) -> bool:
        nonlocal runs
        runs += 1
        return lots.random() < min(_MOST, rate * case.share(text))

    try:
        result = marrow.reduce(case.text, test, language=case.language, jobs=1)
    except UnfitTestError as error:
        return Simulated(0.0, runs, len(case.text), lie=False, refused=error.problem)
    share = case.share(result.text)
    seen = result.reliability
    true = min(_MOST, rate * share)
    # A lie: called verified though it never fails, or an interval that is far from the truth.
    wrong = seen is not None and not seen.lowest - 0.1 <= true <= seen.highest + 0.1
    return Simulated(share, runs, len(result.text), lie=result.verified and (not share or wrong))


def steady(case: WaveringInput) -> tuple[int, int]:
    """Return the runs of a test that fails every time the candidate can fail, and the size."""
    runs = 0

    def test(text: bytes) -> bool:
        nonlocal runs
        runs += 1
        return case.share(text) >= 1.0

    result = marrow.reduce(case.text, test, language=case.language, jobs=1)
    return runs, len(result.text)


def main() -> None:
    """Simulate, and print a line for each rate and each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rates", type=float, nargs="*", default=RATES)
    parser.add_argument("--case", default="")
    asked = parser.parse_args()
    plain = {case.name: steady(case) for case in REDUCTIONS}
    found: dict[tuple[str, float], list[Simulated]] = {}
    for case in REDUCTIONS:
        for rate in asked.rates if asked.case in case.name else ():
            found[case.name, rate] = [simulated(case, rate, seed) for seed in range(asked.seeds)]
        _tell(case.name, {one: kept for one, kept in found.items() if one[0] == case.name}, plain)
    for rate in asked.rates:
        _tell(f"rate {rate}", {one: kept for one, kept in found.items() if one[1] == rate}, plain)
    _tell("all", found, plain)


def _tell(
    name: str, found: dict[tuple[str, float], list[Simulated]], plain: dict[str, tuple[int, int]]
) -> None:
    every = [(key, one) for key, kept in found.items() for one in kept]
    if not every:
        return

    def share(holds: Callable[[Simulated], bool]) -> float:
        return statistics.fmean(holds(one) for _, one in every)

    costs = [one.runs * key[1] / plain[key[0]][0] for key, one in every if not one.refused]
    sizes = [one.size / plain[key[0]][1] for key, one in every if not one.refused]
    print(
        f"{name:34} as often {share(lambda one: one.share >= 1.0):6.1%}"
        f"  nearly {share(lambda one: one.share >= 0.8):6.1%}"
        f"  lies {share(lambda one: one.lie):5.1%}"
        f"  refused {share(lambda one: bool(one.refused)):5.1%}"
        f"  runs x rate / steady {statistics.fmean(costs):5.2f} (most {max(costs):5.2f})"
        f"  size {statistics.fmean(sizes):5.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
