"""ddmin, the minimizing delta debugging algorithm of Zeller and Hildebrandt.

As Figure 1 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta Debugging"
has it. Guarantee: 1-minimal (no single element can be removed) when it ends, as long as the test
is deterministic. Worst case: |c|² + 3|c| tests.

Departures from the figure, each an option:

- `subsets=False`: only complements are tried;
- `factor`: the granularity may grow by another factor than 2;
- `backwards`: elements are removed from the back;
- `restart=False`: after a success the round continues with the next part. A round without success
  still ends it, so the guarantee holds;
- `carry`: the position survives an increase of the granularity, and the first parts are
  the smaller ones (Picire's default);
- `weighted`: parts have equal weight in tokens instead of equal length (Zhou et al.'s WDD).

The empty configuration is tried first where it is allowed. The figure assumes that it fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Concatenate, Final, Generic, ParamSpec, Protocol, TypeAlias, TypeVar

from marrow.reducers.algorithms.traversal import deleting
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Attempt, Done, Stream, attempt
from marrow.tree import Place, Tree, deletable, minimum

P = ParamSpec("P")
T = TypeVar("T")


def _one(_: Tree, __: object) -> int:
    return 1


#: Takes elements away from a tree, given those that go and those that stay.
Remove: TypeAlias = Callable[[Tree, Sequence[T], Sequence[T]], Tree]


def delete_places(tree: Tree, deleted: Sequence[Place], _: Sequence[Place]) -> Tree:
    """Delete the nodes at some places: the usual way, where the elements are nodes."""
    return tree.delete(deleted)


@dataclass(frozen=True, slots=True)
class Configuration(Generic[T]):
    """A list of elements that a tree still has, and how to take some of them away.

    `minimum` is how many of them must stay.
    """

    tree: Tree
    elements: tuple[T, ...]
    remove: Remove[T]
    minimum: int = 0
    phase: str = ""
    #: The weight of an element, mostly its number of tokens; for minimisers that care.
    weigh: Callable[[Tree, T], int] = _one

    def weights(self) -> list[int]:
        """Return the weight of every element."""
        return [self.weigh(self.tree, element) for element in self.elements]

    def without(self, deleted: Sequence[T], kept: Sequence[T]) -> Configuration[T]:
        """Return the configuration without some elements."""
        tree = self.remove(self.tree, deleted, kept)
        return replace(self, tree=tree, elements=tuple(kept))

    def attempt(
        self,
        then: Callable[Concatenate[Configuration[T], P], Stream | None],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Attempt:
        """Return the attempt at this configuration; `then` continues with it."""
        return attempt(self.tree, self.phase, then, self, *args, **kwargs)


def elements_of(
    tree: Tree, place: Place, places: tuple[Place, ...] | None = None, phase: str = ""
) -> Configuration[Place] | None:
    """Return the elements of a list, or some of them; None if all of them have to stay."""
    node = tree.at(place)
    if node is None:
        return None
    every = deletable(node)
    if places is None:
        places = tuple(place.child(one.key) for one in every if one.token_count)
    least = max(0, minimum(node) - (len(every) - len(places)))
    if len(places) <= least:
        return None
    phase = phase or deleting(tree, place)
    return Configuration(tree, places, delete_places, least, phase, tokens_at)


#: What follows when a configuration is minimal.
Minimal: TypeAlias = Callable[[Configuration[T]], Stream | None]


class ListMinimizer(Protocol):
    """A way to minimise a configuration: ddmin, or another with the same guarantee."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Return the stream of attempts; `done` says what follows."""


def minimize_lists(
    minimize: ListMinimizer,
    lists: Sequence[tuple[Place, tuple[Place, ...] | None]],
    tree: Tree,
    done: Done,
    phase: str = "",
) -> Stream | None:
    """Minimise one list after the other, or some elements of each."""
    for number, (place, some) in enumerate(lists):
        elements = elements_of(tree, place, some, phase)
        if elements is not None:
            rest = partial(minimize_lists, minimize, lists[number + 1 :], done=done, phase=phase)
            return minimize(elements, partial(_continued, rest))
    return done(tree)


def _continued(then: Done, result: Configuration[Place]) -> Stream | None:
    return then(result.tree)


def minimize_group(
    minimize: ListMinimizer, configuration: Configuration[T], done: Done
) -> Stream | None:
    """Minimise nodes of a group; all of several are tried only when one of them is left.

    That seldom works where the node that holds them must stay.
    """
    several = len(configuration.elements) > 1

    def last(result: Configuration[T]) -> Stream | None:
        if not several or len(result.elements) != 1:
            return done(result.tree)
        return minimize(replace(result, minimum=0), lambda end: done(end.tree))

    return minimize(replace(configuration, minimum=int(several)), last)


_Parts: TypeAlias = tuple[tuple[T, ...], ...]


@dataclass(frozen=True, slots=True)
class Ddmin:
    """ddmin with its options. The defaults are what marrow found to need the fewest tests."""

    subsets: bool = False
    factor: int = 2
    backwards: bool = True
    restart: bool = False
    carry: bool = False
    weighted: bool = False

    def __post_init__(self) -> None:
        if self.factor < 2:
            raise ValueError("the split factor must be at least 2")

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration: the empty one first, then `ddmin2` with two parts."""
        return empty_first(configuration, done, lambda: self._subset(configuration, done))

    def ddmin2(
        self, configuration: Configuration[T], parts: _Parts[T], offset: float, done: Minimal[T]
    ) -> Stream:
        """Reduce to a subset, else to a complement, else increase the granularity, else done.

        Complements are tried from `offset` on and around: forwards from the part there, backwards
        from the one before it.
        """
        count = len(parts)
        order = [*reversed(range(count))] if self.backwards else [*range(count)]
        if self.subsets:
            for index in order:
                kept = parts[index]
                smaller = configuration.without(_joined(_others(parts, index)), kept)
                yield smaller.attempt(self._subset, done)
        # With two parts a complement is the other subset.
        if count > 2 or not self.subsets:
            for turn in order:
                index = int((turn + offset) % count)
                others = _others(parts, index)
                smaller = configuration.without(parts[index], _joined(others))
                next_offset = 0 if self.restart else index
                yield smaller.attempt(self._complement, others, next_offset, done)
        if count < len(configuration.elements):
            finer = self._parts(configuration, count * self.factor)
            start = offset * len(finer) / count if self.carry else 0
            return self.ddmin2(configuration, finer, start, done)
        return done(configuration)

    def _subset(
        self, smaller: Configuration[T], done: Minimal[T], offset: float = 0
    ) -> Stream | None:
        """Go on with the kept subset, in as few parts as possible."""
        if len(smaller.elements) < 2:
            return done(smaller)
        return self.ddmin2(smaller, self._parts(smaller, self.factor), offset, done)

    def _complement(
        self, smaller: Configuration[T], parts: _Parts[T], offset: float, done: Minimal[T]
    ) -> Stream | None:
        """Go on with the remaining parts, n - 1 of them, but never fewer than two."""
        if len(smaller.elements) < 2 or len(parts) < 2:
            return self._subset(smaller, done, offset if self.carry else 0)
        return self.ddmin2(smaller, parts, offset, done)

    def _parts(self, configuration: Configuration[T], count: int) -> _Parts[T]:
        count = min(count, len(configuration.elements))
        if self.weighted:
            return split_by_weight(configuration.elements, configuration.weights(), count)
        if self.carry:
            return split_rising(configuration.elements, count)
        return split(configuration.elements, count)


@dataclass(frozen=True, slots=True)
class Wdd(Ddmin):
    """ddmin with parts of equal weight in tokens (Zhou et al., "WDD", 2025)."""

    weighted: bool = field(default=True, init=False)


@dataclass(frozen=True, slots=True)
class OneByOne:
    """For a configuration of which little can go: the empty one first, then `one_by_one`."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return empty_first(configuration, done, lambda: one_by_one(configuration, done))


ddmin: Final = Ddmin()
all_or_one: Final = OneByOne()

#: The algorithm as printed, which Perses uses too.
AS_PRINTED: Final = Ddmin(subsets=True, backwards=False, restart=True)


def empty_first(
    configuration: Configuration[T], done: Minimal[T], several: Callable[[], Stream | None]
) -> Stream:
    """Try the empty configuration where it is allowed, then what follows for `several` elements."""
    elements = configuration.elements
    if configuration.minimum == 0 and elements:
        yield configuration.without(elements, ()).attempt(done)
    return done(configuration) if len(elements) < 2 else several()


def one_by_one(configuration: Configuration[T], done: Minimal[T]) -> Stream | None:
    """Try to remove every single element, until a whole round removes none: 1-minimality.

    For minimisers that get there in another way. A candidate that is known to fail costs no test.
    """
    if len(configuration.elements) <= configuration.minimum:
        return done(configuration)
    parts = tuple((element,) for element in configuration.elements)
    return ddmin.ddmin2(configuration, parts, 0, done)


def split(elements: Sequence[T], count: int) -> _Parts[T]:
    """Split a list into `count` parts of nearly the same length."""
    bounds = [len(elements) * index // count for index in range(count + 1)]
    return tuple(tuple(elements[start:end]) for start, end in pairwise(bounds))


def split_rising(elements: Sequence[T], count: int) -> _Parts[T]:
    """Split a list into `count` parts that never get shorter: Zeller's own way."""
    parts: list[tuple[T, ...]] = []
    start = 0
    for left in range(count, 0, -1):
        end = start + (len(elements) - start) // left
        parts.append(tuple(elements[start:end]))
        start = end
    return tuple(parts)


def split_by_weight(elements: Sequence[T], weights: Sequence[int], count: int) -> _Parts[T]:
    """Split a list into `count` parts of nearly the same weight, none of them empty."""
    parts: list[tuple[T, ...]] = []
    start = 0
    rest = sum(weights)
    for left in range(count, 1, -1):
        # The rest is shared fairly; every later part needs an element of its own.
        end, weight = start + 1, weights[start]
        most = len(elements) - (left - 1)
        while end < most and weight + weights[end] / 2 <= rest / left:
            weight += weights[end]
            end += 1
        parts.append(tuple(elements[start:end]))
        rest -= weight
        start = end
    parts.append(tuple(elements[start:]))
    return tuple(parts)


def _others(parts: _Parts[T], index: int) -> _Parts[T]:
    return parts[:index] + parts[index + 1 :]


def _joined(parts: _Parts[T]) -> tuple[T, ...]:
    return tuple(element for part in parts for element in part)
