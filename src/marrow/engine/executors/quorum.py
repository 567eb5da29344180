"""Rules for tests that waver: when several runs of a test make a verdict on a candidate.

A rule knows how many more runs are needed however they end. So free workers take part in a vote, no
run is made in vain, and the number of workers has no influence on the decision.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import Final, Protocol

#: How sure a bound is, as in the checks of patterns.
CONFIDENCE: Final = 0.95

# So many halvings make an interval smaller than a percentage can show.
_HALVINGS: Final = 30


def at_least(needed: int, runs: int, share: float) -> float:
    """Return the chance of `needed` or more interesting runs of `runs`, if a `share` of all is."""
    if share in (0.0, 1.0):
        return float(needed <= runs * share)
    yes, no = math.log(share), math.log1p(-share)
    return math.fsum(
        math.exp(math.log(math.comb(runs, count)) + count * yes + (runs - count) * no)
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

    @property
    def highest(self) -> float:
        """The share of all runs is at most this, with 95% confidence."""
        return 1.0 - Reliability(self.runs - self.interesting, self.runs).lowest

    def counted(self) -> str:
        """Return the numbers in words."""
        return f"interesting in {self.interesting:,} of {self.runs:,} runs"

    def words(self) -> str:
        """Return it in words, with its interval."""
        return (
            f"{self.counted()}; in {self.lowest:.0%} to {self.highest:.0%} of all, each bound with "
            f"{CONFIDENCE:.0%} confidence"
        )

    def __add__(self, other: Reliability) -> Reliability:
        """Return both together."""
        return Reliability(self.interesting + other.interesting, self.runs + other.runs)


def divergence(seen: float, other: float) -> float:
    """Return the relative entropy of two shares: the evidence of a run of one against the other."""
    no = 0.0 if seen == 1.0 else (1.0 - seen) * math.log((1.0 - seen) / (1.0 - other))
    return no if seen == 0.0 else no + seen * math.log(seen / other)


def evidence_of_change(one: Reliability, other: Reliability) -> float:
    """Return the log of how much likelier two shares explain these runs than one would."""
    both = (one + other).share
    if both in (0.0, 1.0):
        return 0.0
    return sum(each.runs * divergence(each.share, both) for each in (one, other))


class VoteRule(Protocol):
    """Decides by the numbers of interesting and of other runs."""

    @property
    def runs(self) -> int:
        """The most runs of a vote."""

    def missing(self, yes: int, no: int) -> int:
        """Return how many more runs are needed however they end; 0 when the vote is decided."""

    def accepts(self, yes: int, no: int) -> bool:
        """Whether a vote that is decided found the candidate interesting."""


#: More runs of one candidate than this are probably a typo.
MOST_RUNS: Final = 1000

# The least number of runs that judge the result at the end. If all 20 are interesting, 86% of all
# are, with 95% confidence; fewer runs would say little.
_LAST_RUNS: Final = 20

# The factor of runs if a vote seems to fail. A result that shows the failure in half of its runs is
# refused for 2/5 by 20 runs in 6% of cases, by 60 in 0.1%.
_DOUBT: Final = 3


@dataclass(frozen=True, slots=True)
class Quorum:
    """A candidate is interesting if `needed` of at most `runs` runs are."""

    needed: int
    runs: int

    def __post_init__(self) -> None:
        if not 1 <= self.needed <= self.runs <= MOST_RUNS:
            raise ValueError(
                f"{self.needed}/{self.runs}: K of N runs must be interesting, with K from 1 to N "
                f"and N up to {MOST_RUNS}"
            )

    @classmethod
    def parse(cls, text: str) -> Quorum:
        """Read `K/N`; raise `ValueError` where it is not that."""
        match = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
        if match is None:
            raise ValueError(f"{text!r}: write K/N, such as 2/5 for two of five runs")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.needed}/{self.runs}"

    def missing(self, yes: int, no: int) -> int:
        """Return how many more runs are needed however they end; 0 when the vote is decided."""
        return max(0, min(self.needed - yes, self.runs - self.needed + 1 - no))

    def accepts(self, yes: int, no: int) -> bool:
        """Whether as many runs as are needed were interesting."""
        del no
        return yes >= self.needed

    @property
    def stages(self) -> tuple[int, int]:
        """The number of runs that judge the result at the end: at first, and in doubt."""
        first = max(_LAST_RUNS, self.runs)
        return first, _DOUBT * first

    def chance(self, share: float) -> float:
        """Return the chance that a vote accepts a candidate with this share of interesting runs."""
        return at_least(self.needed, self.runs, share)

    def holds(self, seen: Reliability) -> bool:
        """Whether a vote would probably accept a text with this reliability."""
        return self.chance(seen.share) >= 0.5

    @property
    def stricter(self) -> Quorum:
        """The same share of twice as many runs, which leaves less to chance."""
        factor = 2 if 2 * self.runs <= MOST_RUNS else 1
        return Quorum(factor * self.needed, factor * self.runs)


def enough_for(seen: Reliability) -> Quorum:
    """Return a quorum that a text with this reliability reaches in nearly all votes.

    Two runs, since one may be interesting by accident; as many as it takes for two in 95% of votes.
    """
    for runs in range(3, MOST_RUNS):
        quorum = Quorum(2, runs)
        if quorum.chance(seen.share) >= CONFIDENCE:
            return quorum
    return Quorum(1, MOST_RUNS)


# The errors of a sequential vote: how often a candidate that fails as often as the input is taken
# for a weaker one before it has failed even once, and how often one is accepted that is as weak as
# is told apart. Both errors cost little: another attempt, or a way back.
_LOST: Final = 0.08
_TAKEN: Final = 0.1

# The evidence a run gives against the weaker rate, in shares of the rate. It sets how many runs a
# candidate takes that fails as often as the input: 6.8 / rate. One that fails half as often is
# then accepted in 7% to 14% of votes.
_EVIDENCE: Final = 0.3

# The same where a result has proved weaker than the input: half of the rate is told from all of it.
_TAKEN_STRICTLY: Final = 0.02
_EVIDENCE_STRICTLY: Final = 0.2

# No vote goes on for longer than this, in runs times rate.
_LONGEST: Final = 25.0
_LONGEST_STRICTLY: Final = 40.0

# A rate is taken for this at most: a test that was interesting in 39 of 40 runs may well be so in
# nine of ten, and one other run must not refuse a candidate.
_HIGHEST: Final = 0.9


@dataclass(frozen=True)
class SequentialTest:
    """A candidate is interesting if it fails as often as the input, as far as the evidence tells.

    A sequential probability ratio test (Wald, 1945) between the rate of the input and a weaker one
    accepts; a candidate is refused when its runs are too unlikely for the rate of the input. That
    takes 2.5 / rate runs where a candidate never fails. A `strict` one tells smaller differences.
    """

    seen: Reliability
    strict: bool = False

    @functools.cached_property
    def rate(self) -> float:
        """The rate of the input, by the runs that were seen."""
        return min(_HIGHEST, self.seen.share)

    @functools.cached_property
    def weaker(self) -> float:
        """The rate that is told from that of the input."""
        wanted = self.rate * (_EVIDENCE_STRICTLY if self.strict else _EVIDENCE)
        low, high = 0.0, self.rate
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if divergence(self.rate, middle) > wanted else (low, middle)
        return high

    @functools.cached_property
    def runs(self) -> int:
        """The most runs of a vote."""
        return math.ceil((_LONGEST_STRICTLY if self.strict else _LONGEST) / self.rate)

    def accepts(self, yes: int, no: int) -> bool:
        """Whether the evidence is for the rate of the input, or none is against it at the end."""
        wanted = math.log(1.0 / (_TAKEN_STRICTLY if self.strict else _TAKEN))
        ratio = yes * math.log(self.rate / self.weaker) + no * math.log(
            (1.0 - self.rate) / (1.0 - self.weaker)
        )
        return ratio >= (wanted if yes + no < self.runs else 0.0)

    def refuses(self, yes: int, no: int) -> bool:
        """Whether the runs are too unlikely for the rate of the input."""
        seen = Reliability(yes, yes + no)
        if seen.share >= self.rate:
            return False
        return seen.runs * divergence(seen.share, self.rate) >= math.log(1.0 / _LOST)

    def missing(self, yes: int, no: int) -> int:
        """Return how many more runs are needed however they end; 0 when the vote is decided."""
        left = self.runs - yes - no
        if left <= 0 or (yes + no and (self.accepts(yes, no) or self.refuses(yes, no))):
            return 0
        for more in range(1, left):
            if self.accepts(yes + more, no) or self.refuses(yes, no + more):
                return more
        return left
