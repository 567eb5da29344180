"""Probabilistic delta debugging, and its counter form.

ProbDD (Wang, Shen, Chen, Xiong, Zhang, "Probabilistic Delta Debugging", ESEC/FSE 2021): every
element has a belief, the probability that it must stay. The set of elements whose removal has the
best expected gain is tried next; a failure raises the beliefs in its elements by Bayes' rule.
Departure: an element counts by its tokens, unless `weighted` is off.

CDD (Zhang et al., "Toward a Better Understanding of Probabilistic Delta Debugging", ICSE 2025): the
beliefs of ProbDD grow alike, so that the sizes of the sets to try follow from the number of the
round alone; elements are tried in sets of that size, round by round.

Both end with a round in which every single element is tried, so that the guarantee is ddmin's:
1-minimal. Worst case: O(|c|) tests before that round, and ddmin's for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from marrow.reducers.algorithms.ddmin import Configuration, Minimal, one_by_one
from marrow.reducers.streams.stream import Stream

T = TypeVar("T")

#: The first belief in every element, σ of the paper.
FIRST_BELIEF: Final = 0.1

# A belief this near to one is certainty: the floating-point product below would never move again.
_CERTAIN: Final = 1.0 - 1e-9


@dataclass(frozen=True, slots=True)
class Probdd:
    """ProbDD. `weighted`: the gain of a set is its tokens, not its elements as in the paper."""

    weighted: bool = True

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration by beliefs."""
        return self._with(configuration, (FIRST_BELIEF,) * len(configuration.elements), done)

    def _with(
        self, configuration: Configuration[T], beliefs: tuple[float, ...], done: Minimal[T]
    ) -> Stream:
        weights = configuration.weights() if self.weighted else [1] * len(beliefs)
        most = len(configuration.elements) - configuration.minimum
        current = list(beliefs)
        while chosen := _best_set(current, weights, most):
            kept = [i for i in range(len(current)) if i not in chosen]
            smaller = _without(configuration, chosen, kept)
            left = tuple(current[i] for i in kept)
            yield smaller.attempt(self._with, left, done)
            _raise(current, chosen)
        return one_by_one(configuration, done)


@dataclass(frozen=True, slots=True)
class Cdd:
    """CDD, the counter form."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration by counting rounds."""
        return _cdd(configuration, 0, 0, done)


def _best_set(beliefs: Sequence[float], weights: Sequence[int], most: int) -> set[int]:
    """Return the elements whose removal has the best expected gain; none if all must stay.

    The gain of a set is its weight times the probability that none of it must stay. The best set
    takes elements in the order of what they add for what they risk.
    """
    open_ones = [i for i, belief in enumerate(beliefs) if belief < _CERTAIN]
    open_ones.sort(key=lambda i: (math.log1p(-beliefs[i]) / -weights[i], -i))
    chance, weight, best, count = 1.0, 0, 0.0, 0
    for taken, i in enumerate(open_ones[: max(0, most)], start=1):
        chance *= 1.0 - beliefs[i]
        weight += weights[i]
        if weight * chance > best:
            best, count = weight * chance, taken
    return set(open_ones[:count])


def _raise(beliefs: list[float], chosen: set[int]) -> None:
    """Update the beliefs in elements that could not all go: Bayes' rule."""
    if len(chosen) == 1:
        beliefs[next(iter(chosen))] = 1.0
        return
    all_may_go = math.prod(1.0 - beliefs[i] for i in chosen)
    for i in chosen:
        beliefs[i] = min(1.0, beliefs[i] / (1.0 - all_may_go))


def _cdd(configuration: Configuration[T], number: int, position: int, done: Minimal[T]) -> Stream:
    """Try sets of the size of this round, from `position` elements before the end on."""
    count = len(configuration.elements)
    most = count - configuration.minimum
    while most > 0:
        size = min(_size(number), most)
        while position < count:
            end = count - position
            chosen = range(max(0, end - size), end)
            kept = [i for i in range(count) if i not in chosen]
            smaller = _without(configuration, chosen, kept)
            yield smaller.attempt(_cdd, number, position, done)
            position += len(chosen)
        if size == 1:
            break
        number, position = number + 1, 0
    return one_by_one(configuration, done)


def _size(number: int) -> int:
    """Return the size of the sets of a round.

    With a belief p in each element, k(1 - p)^k is best at k = -1/ln(1 - p). When a round fails the
    beliefs grow by 1/(1 - 1/e), as the chance of such a set is about 1/e.
    """
    belief = min(FIRST_BELIEF * (1.0 / (1.0 - math.exp(-1.0))) ** number, 0.999)
    return max(1, round(-1.0 / math.log1p(-belief)))


def _without(
    configuration: Configuration[T], chosen: Sequence[int] | set[int] | range, kept: Sequence[int]
) -> Configuration[T]:
    elements = configuration.elements
    return configuration.without([elements[i] for i in sorted(chosen)], [elements[i] for i in kept])
