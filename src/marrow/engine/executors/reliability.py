"""How reliable a flaky failure is: the share of runs that show it, estimated from some of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Final

#: How sure a bound is, as in the checks of patterns.
CONFIDENCE: Final = 0.95

# Halving an interval so often makes it smaller than what a percentage shows.
_HALVINGS: Final = 30


def at_least(needed: int, runs: int, share: float) -> float:
    """Return the chance that at least `needed` of `runs` runs show what a `share` of all does."""
    return sum(
        comb(runs, count) * share**count * (1.0 - share) ** (runs - count)
        for count in range(needed, runs + 1)
    )


@dataclass(frozen=True, slots=True)
class Reliability:
    """In how many of some runs on the same input the test was interesting."""

    interesting: int
    runs: int

    @property
    def share(self) -> float:
        """The share of these runs."""
        return self.interesting / self.runs

    @property
    def lowest(self) -> float:
        """The share of all runs is at least this, with 95% confidence.

        The one-sided bound of Clopper and Pearson (Biometrika 26, 1934): it holds for any number of
        runs, where the usual approximations do not.
        """
        low, high = 0.0, self.share
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if at_least(self.interesting, self.runs, middle) > 1.0 - CONFIDENCE:
                high = middle
            else:
                low = middle
        return low

    def words(self) -> str:
        """Say it in words."""
        return (
            f"interesting in {self.interesting} of {self.runs} runs; in {self.lowest:.0%} of all "
            f"or more, with {CONFIDENCE:.0%} confidence"
        )
