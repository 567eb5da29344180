"""The reliability of a flaky failure: the share of runs that show it, estimated from some."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Final

#: How sure a bound is, as in the checks of patterns.
CONFIDENCE: Final = 0.95

# So many halvings make an interval smaller than a percentage can show.
_HALVINGS: Final = 30


def at_least(needed: int, runs: int, share: float) -> float:
    """Return the chance of `needed` or more interesting runs of `runs`, if a `share` of all is."""
    return sum(
        comb(runs, count) * share**count * (1.0 - share) ** (runs - count)
        for count in range(needed, runs + 1)
    )


@dataclass(frozen=True, slots=True)
class Reliability:
    """The number of interesting runs among some on the same input."""

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
        """Return it in words."""
        return (
            f"interesting in {self.interesting} of {self.runs} runs; in {self.lowest:.0%} of all "
            f"or more, with {CONFIDENCE:.0%} confidence"
        )
