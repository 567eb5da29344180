"""Cut probabilities: how likely it is that some declarations can be deleted together.

As in ProbDD (`algorithms.probdd`) every declaration has a belief, the probability that it must
stay; a failure raises the beliefs in all that was to be deleted by Bayes' rule. The declaration
graph is wrong in places, for large cuts more often than for small ones: so outcomes are counted as
well, by the size of the cut.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from marrow.reducers.slicing.declaration_graph import Scope, Unit
from marrow.tree.outline import Mentions

# The first belief that a declaration must stay: of cuts of 500 declarations a third went.
_BELIEF: Final = 0.002

# No belief is quite one, so that every chance can recover.
_CERTAIN: Final = 0.99

# Successes and failures that count beside those of the run, for each size of cuts.
_WENT: Final = 2.0
_STAYED: Final = 1.0

# The weight that outcomes keep as others of their kind follow.
_FADING: Final = 0.95

# The share of a belief that is left when much is deleted: what needed a declaration may be deleted,
# too.
_FADED: Final = 0.5

# The chance of what a test said is needed, when much is deleted.
NEEDED: Final = 0.8

#: What tells a declaration from others, in any outline of what is left of a text.
Declared: TypeAlias = tuple[Scope, str, frozenset[bytes], Mentions]


@dataclass(frozen=True, slots=True)
class CutProbabilities:
    """The chances of units, and the outcomes of cuts: those that went, those that stayed.

    The chance that a unit can go is one minus the belief in it.
    """

    chances: dict[Unit, float] = field(default_factory=dict)
    went: Mapping[int, float] = field(default_factory=dict)
    stayed: Mapping[int, float] = field(default_factory=dict)

    def chance(self, units: Collection[Unit]) -> float:
        """Return the chance that some units can go, as far as they are known."""
        known = self.chances.keys() & units
        unknown = (1.0 - _BELIEF) ** (len(units) - len(known))
        return math.prod(map(self.chances.__getitem__, known), start=unknown)

    def of_size(self, size: int) -> float:
        """Return the share of successes among cuts of about that many units."""
        went = self.went.get(_class(size), 0.0) + _WENT
        return went / (went + self.stayed.get(_class(size), 0.0) + _STAYED)

    def of_cut(self, units: Collection[Unit], size: int) -> float:
        """Return the chance that a cut goes for which that many units were foreseen."""
        return self.chance(units) * self.of_size(size)

    def after_success(self, size: int) -> CutProbabilities:
        """Return the probabilities after a cut of this size went."""
        return self._after(size, 1.0, 0.0)

    def _after(self, size: int, went: float, stayed: float) -> CutProbabilities:
        """Count the outcome of a cut of this size; earlier ones fade."""
        one = _class(size)
        return replace(
            self,
            went={**self.went, one: self.went.get(one, 0.0) * _FADING + went},
            stayed={**self.stayed, one: self.stayed.get(one, 0.0) * _FADING + stayed},
        )

    def after_failure(self, units: Collection[Unit], size: int) -> CutProbabilities:
        """Return the probabilities after some units had to stay, and it is unknown which.

        They are those of a cut of this size.
        """
        some_must_stay = 1.0 - self.chance(units)
        chances = dict(self.chances)
        for unit in units:
            belief = 1.0 - chances.get(unit, 1.0 - _BELIEF)
            chances[unit] = 1.0 - min(_CERTAIN, belief / some_must_stay)
        return replace(self._after(size, 0.0, 1.0), chances=chances)

    def faded(self) -> CutProbabilities:
        """Return the probabilities after much was deleted."""
        chances = {one: 1.0 - _faded(1.0 - chance) for one, chance in self.chances.items()}
        return replace(self, chances=chances)


@dataclass(frozen=True, slots=True)
class KnownCuts:
    """What the cuts of one round have shown, for the next one, which has another outline.

    `linked`: functions are useless without their bodies, as a linker said.
    """

    chances: Mapping[Declared, float] = field(default_factory=dict)
    went: Mapping[int, float] = field(default_factory=dict)
    stayed: Mapping[int, float] = field(default_factory=dict)
    linked: bool = False


def _class(size: int) -> int:
    """Return the class of a size: up to 1, 7, 31, 127, ..."""
    return size.bit_length() // 2


def _faded(belief: float) -> float:
    return _BELIEF + _FADED * max(0.0, belief - _BELIEF)
