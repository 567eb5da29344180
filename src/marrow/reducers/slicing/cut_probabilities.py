"""Cut probabilities: how likely it is that some declarations can be deleted together.

As in ProbDD (`algorithms.probdd`) every declaration has a belief, the probability that it must
stay; a failure raises the beliefs in all that was to be deleted by Bayes' rule.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from marrow.reducers.slicing.declaration_graph import Scope, Unit
from marrow.tree.outline import Mentions

# The first belief that a declaration must stay: of cuts of 500 declarations a third went.
_BELIEF: Final = 0.002

# No belief is quite one, so that every chance can recover.
_CERTAIN: Final = 0.99

# The share of a belief that is left when much is deleted: what needed a declaration may be deleted,
# too.
_FADED: Final = 0.5

# The chance of what a test said is needed, when much is deleted.
NEEDED: Final = 0.8

#: What tells a declaration from others, in any outline of what is left of a text.
Declared: TypeAlias = tuple[Scope, str, frozenset[bytes], Mentions]


#: The chance that each unit can go, as far as something is known: one minus the belief in it.
Chances: TypeAlias = dict[Unit, float]


def chance_of(chances: Chances, units: Collection[Unit]) -> float:
    """Return the chance that some units can go together."""
    known = chances.keys() & units
    unknown = (1.0 - _BELIEF) ** (len(units) - len(known))
    return math.prod(map(chances.__getitem__, known), start=unknown)


def after_failure(chances: Chances, units: Collection[Unit]) -> Chances:
    """Return the chances after some units had to stay, and it is unknown which."""
    some_must_stay = 1.0 - chance_of(chances, units)
    changed = dict(chances)
    for unit in units:
        belief = 1.0 - chances.get(unit, 1.0 - _BELIEF)
        changed[unit] = 1.0 - min(_CERTAIN, belief / some_must_stay)
    return changed


def faded(chances: Chances) -> Chances:
    """Return the chances after much was deleted."""
    beliefs = ((one, 1.0 - chance) for one, chance in chances.items())
    return {one: 1.0 - (_BELIEF + _FADED * max(0.0, belief - _BELIEF)) for one, belief in beliefs}


@dataclass(frozen=True, slots=True)
class KnownCuts:
    """What the cuts of one round have shown, for the next one, which has another outline.

    `linked`: functions are useless without their bodies, as a linker said.
    """

    chances: Mapping[Declared, float] = field(default_factory=dict)
    linked: bool = False
