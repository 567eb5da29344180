"""What is believed of the types of nodes while a reduction runs: the model, and what was seen.

The model's curve says how likely a removal is at the present size (section 3.1 of "Type Batched
Program Reduction"). The outcomes of this very run correct it: the curve counts as much as some
outcomes, and those that were seen count beside it (the mean of a Beta distribution). Outcomes are
those of the stream, in its order, so that beliefs are the same with any number of workers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from marrow.learn.model import Model

#: How many outcomes of this run weigh as much as the curve. Programs differ more from each other
#: than the nodes of one: a handful is enough.
WEIGHT: Final = 4.0

# A type is never beyond hope, and nothing is certain: products and quotients stay finite.
_LEAST: Final = 1e-4


class Seen(NamedTuple):
    """How many nodes of a type went, and how many did not."""

    gone: float = 0.0
    kept: float = 0.0


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The probability that a node of a type can go.

    `start` is the number of tokens at the start. Without `online` only the model counts, as in the
    paper; without `varying` it is asked for its mean over all sizes.
    """

    model: Model
    start: int
    online: bool = True
    varying: bool = True
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def probability(self, type_name: str, tokens: int) -> float:
        """Return the probability for a node of a type, in a tree with so many tokens."""
        curve = self.model.curve(type_name)
        chance = curve.probability(tokens / max(1, self.start)) if self.varying else curve.mean
        gone, kept = self.seen.get(type_name, _NOTHING)
        chance = (WEIGHT * chance + gone) / (WEIGHT + gone + kept)
        return min(1.0 - _LEAST, max(_LEAST, chance))

    def after(self, type_names: Iterable[str], *, gone: bool) -> Beliefs:
        """Return the beliefs after nodes of these types went, or one was found to stay."""
        if not self.online:
            return self
        seen = dict(self.seen)
        for name in type_names:
            before = seen.get(name, _NOTHING)
            seen[name] = Seen(before.gone + gone, before.kept + (not gone))
        return replace(self, seen=seen)


_NOTHING: Final = Seen()
