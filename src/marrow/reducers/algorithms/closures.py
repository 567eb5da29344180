"""Closures: delta debugging on what needs what, a list minimiser.

Kalhauge and Palsberg, "Binary Reduction of Dependency Graphs" (ESEC/FSE 2019), the algorithm of
J-Reduce. An element needs the elements that introduce the names it mentions (`marrow.tree.names`:
a name is introduced where it is mentioned first). Only closed sets are tried: those that hold all
they need. The closures of the elements are ordered, the smallest first. By bisection the
least number of them is found that suffices beside the closures known to be needed; the last of
these is needed too. That is repeated until the needed ones suffice.

Guarantee: 1-minimal, as single elements are tried at the end. Worst case: log2(n) + 1 tests for
each needed closure of n, and those of trying single elements, |c|² for |c| elements left. In the
paper's setting (monotone on closed sets) no needed closure holds one that is not. Departures: names
take the place of the bytecode's references, and single elements are tried at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from marrow.reducers.algorithms.ddmin import Configuration, Minimal, empty_first, one_by_one
from marrow.reducers.streams.stream import Stream
from marrow.tree import Place, Tree
from marrow.tree.names import names_of

T = TypeVar("T")

#: Positions in the list of elements.
_Set: TypeAlias = frozenset[int]


@dataclass(frozen=True, slots=True)
class Closures:
    """Binary reduction over the closures of elements."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration: the empty one first, then by closures."""

        def several() -> Stream | None:
            elements = configuration.elements
            search = _Search(elements, done)
            return search.next(configuration, frozenset(), closures_of(configuration))

        return empty_first(configuration, done, several)


def closures_of(configuration: Configuration[T]) -> tuple[_Set, ...]:
    """Return the closure of each element once, the smallest first."""
    needs = _needs(configuration.tree, configuration.elements)
    found: dict[_Set, None] = {}
    for first in range(len(needs)):
        closure = {first}
        pending = [first]
        while pending:
            for other in needs[pending.pop()]:
                if other not in closure:
                    closure.add(other)
                    pending.append(other)
        found[frozenset(closure)] = None
    return tuple(sorted(found, key=lambda one: (len(one), sorted(one))))


def _needs(tree: Tree, elements: Sequence[object]) -> list[set[int]]:
    """Return which elements each needs; none, if the elements are not places in the tree."""
    places = {one: at for at, one in enumerate(elements) if isinstance(one, Place)}
    found: list[set[int]] = [set() for _ in elements]
    names = names_of(tree)
    for mentions in names.places.values():
        holders = [_holder(places, place) for place in mentions]
        first = holders[0]
        if first is not None:
            for other in holders:
                if other is not None and other != first:
                    found[other].add(first)
    return found


def _holder(places: dict[Place, int], mention: Place) -> int | None:
    """Return the element around a mention."""
    return next((places[step] for step in mention.upwards() if step in places), None)


@dataclass(frozen=True, slots=True)
class _Search(Generic[T]):
    """A binary reduction under way; sets are positions in the elements at its start."""

    elements: tuple[T, ...]
    done: Minimal[T]

    def next(self, configuration: Configuration[T], needed: _Set, rest: tuple[_Set, ...]) -> Stream:
        """Try the needed closures alone, else look for another one; all of `rest` suffices."""
        smaller = self._with(configuration, needed)
        if needed and smaller is not None:
            yield smaller.attempt(one_by_one, self.done)
        return self.bisect(configuration, needed, rest, 0)

    def bisect(
        self,
        configuration: Configuration[T],
        needed: _Set,
        rest: tuple[_Set, ...],
        lower: int,
    ) -> Stream:
        """Find the least number of closures that suffice; the first `lower` do not."""
        while len(rest) - lower > 1:
            middle = (lower + len(rest)) // 2
            smaller = self._with(configuration, needed.union(*rest[:middle]))
            if smaller is None:
                rest = rest[:middle]  # nothing else is left
                continue
            yield smaller.attempt(self.bisect, needed, rest[:middle], lower)
            lower = middle
        if not rest:
            return one_by_one(configuration, self.done)
        needed |= rest[-1]
        rest = tuple(one for one in rest[:-1] if not one <= needed)
        if self._with(configuration, needed) is None:
            return one_by_one(configuration, self.done)
        return self.next(configuration, needed, rest)

    def _with(self, configuration: Configuration[T], kept: _Set) -> Configuration[T] | None:
        """Return the configuration of some elements; None if that is all there are, or too few."""
        wanted = {self.elements[at] for at in kept}
        stay = [one for one in configuration.elements if one in wanted]
        deleted = [one for one in configuration.elements if one not in wanted]
        if not deleted or len(stay) < max(1, configuration.minimum):
            return None
        return configuration.without(deleted, stay)
