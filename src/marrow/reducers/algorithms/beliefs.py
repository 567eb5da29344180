"""Beliefs: how likely a node can go, by the model and by the outcomes of this run.

The model's curve gives the probability of a removal at the present size (section 3.1 of "Type
Batched Program Reduction"). The outcomes of the run correct it: the curve counts as much as a few
outcomes, and the outcomes of the run count beside it (the mean of a Beta distribution), less once
others contradict them. They are those of the stream, in its order, so beliefs are the same with any
number of workers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from marrow.learn.model import Model
from marrow.learn.types import Typed
from marrow.tree import Place

#: How many outcomes of this run weigh as much as the curve. Programs differ more from each other
#: than the nodes of one: a handful is enough.
WEIGHT: Final = 4.0

#: The weight that an outcome keeps when another contradicts it. Removals come in waves: once the
#: last use of many declarations is deleted, earlier failures say nothing about them.
FADING: Final = 0.9

#: A node is in doubt if its belief is less than this share of that of its type. After a failure by
#: itself, it is in doubt until the tree has half the tokens it had then.
IN_DOUBT: Final = 0.5

# No belief is 0 or 1, so products and quotients stay finite.
_LEAST: Final = 1e-4


class Seen(NamedTuple):
    """How many nodes of a type were deleted and stayed; contradicted outcomes count less."""

    deleted: float = 0.0
    kept: float = 0.0


class Doubt(NamedTuple):
    """The belief that a failure left in a node, and the tokens that the tree had then."""

    belief: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The probability that a node can go, by its type and by what was tried.

    `start` is the number of tokens at the start. Without `online` only the model counts for types,
    as in the paper; without `varying`, its share of successes. With an `initial` belief, b_n of
    section 3.3, the beliefs in nodes are apart from the model, as in the paper: every node of a
    batch begins with it, and rates come from the model alone.
    """

    model: Model
    start: int
    online: bool = True
    varying: bool = True
    initial: float | None = None
    plain: bool = False
    seen: Mapping[str, Seen] = field(default_factory=dict)
    doubts: Mapping[Place, Doubt] = field(default_factory=dict)

    def in_type(self, type_name: str, tokens: int) -> float:
        """Return the probability for a node of a type, in a tree of that many tokens."""
        curve = self.model.curve(type_name)
        chance = curve.probability(tokens / max(1, self.start)) if self.varying else curve.mean
        deleted, kept = self.seen.get(type_name, _NOTHING)
        chance = (WEIGHT * chance + deleted) / (WEIGHT + deleted + kept)
        return min(1.0 - _LEAST, max(_LEAST, chance))

    def in_node(self, place: Place, of_type: float, tokens: int) -> float:
        """Return the probability for a node, given that of its type.

        A node that had to stay may go once what needed it is deleted: the doubt fades as the tree
        shrinks.
        """
        doubt = self.doubts.get(place)
        if self.initial is not None:
            return self.initial if doubt is None else doubt.belief
        if doubt is None:
            return of_type
        weight = tokens / doubt.tokens if self.online else 1.0
        return weight * min(doubt.belief, of_type) + (1.0 - weight) * of_type

    def in_doubt(self, place: Place, of_type: float, tokens: int) -> bool:
        """Whether a batch skips a node: the belief in it is far below that in its type."""
        return self.online and self.in_node(place, of_type, tokens) < IN_DOUBT * of_type

    def for_batch(self) -> Beliefs:
        """Return the beliefs at the start of a batch: `initialize_probabilities` of the paper."""
        return self if self.initial is None else replace(self, doubts={})

    def after_success(self, type_names: Iterable[str]) -> Beliefs:
        """Return the beliefs after nodes of these types went."""
        return replace(self, seen=self._seen(type_names, Seen(1, 0)))

    def after_failing(self, type_name: str) -> Beliefs:
        """Return the beliefs after something of this type had to stay, whatever else it was."""
        return replace(self, seen=self._seen([type_name], Seen(0, 1)))

    def after_failure(self, beliefs: Mapping[Typed, float], tokens: int) -> Beliefs:
        """Return the beliefs after these nodes could not all go; each comes with its belief.

        By Bayes' rule: the probability that each must stay, given that one of them must.
        """
        some_must_stay = 1.0 - math.prod(beliefs.values())
        doubts = dict(self.doubts)
        for one, belief in beliefs.items():
            left = 1.0 - (1.0 - belief) / some_must_stay if len(beliefs) > 1 else 0.0
            doubts[one.place] = Doubt(max(0.0, left), tokens)
        seen = self.seen
        if len(beliefs) == 1:
            seen = self._seen([one.type for one in beliefs], Seen(0, 1))
        return replace(self, doubts=doubts, seen=seen)

    def doubting(self, places: Iterable[Place], tokens: int) -> Beliefs:
        """Return the beliefs after each of these nodes could not go by itself."""
        return replace(self, doubts={**self.doubts, **dict.fromkeys(places, Doubt(0.0, tokens))})

    def _seen(self, type_names: Iterable[str], outcome: Seen) -> Mapping[str, Seen]:
        if not self.online:
            return self.seen
        seen = dict(self.seen)
        for name in type_names:
            before = seen.get(name, _NOTHING)
            seen[name] = Seen(
                before.deleted * FADING**outcome.kept + outcome.deleted,
                before.kept * FADING**outcome.deleted + outcome.kept,
            )
        return seen


_NOTHING: Final = Seen()
