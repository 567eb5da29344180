"""Delete runs of declarations from the outline of a large text.

They are ordered, those least likely to be needed
first: what no level of precision keeps (`lookup_precision`), what only the most generous one does,
and so on, and within a level the farthest from the last declaration. A run of them is deleted with
its dependents (`dependents`). A run that fails is tried without what the output of its test says is
needed (`slice_repair`), a few times, then by halves, down to a small share of the text; if its
first half goes, the second has to stay, which takes no test.

The order is a use of the idea of Kalhauge and Palsberg, "Binary Reduction of Dependency Graphs"
(ESEC/FSE 2019): only closed sets are tried. Their algorithm by bisection took
too many tests, as names tell only most of what is needed (docs/lab/large.md).

Guarantee: none by itself; later stages see every token. Worst case: 2/s tests, where s is the share
at which runs are no longer halved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

from marrow.base.deadline import look
from marrow.diagnostics.missing_names import misses_bodies
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Deleted, Unit
from marrow.reducers.slicing.definitions import middle_of
from marrow.reducers.slicing.dependents import Dependents, without_units
from marrow.reducers.slicing.lookup_precision import LookupPrecision, closure
from marrow.reducers.slicing.slice_repair import SliceRepair
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Stream, finish, heard
from marrow.tree import Token, Tree
from marrow.tree.outline import DeclarationOutline

# How often a run is tried in all, each time without what the test said is needed.
_TRIES: Final = 4


@dataclass(frozen=True, slots=True)
class _Run:
    """Units to delete at once. `stays`: that is known to fail; `half`: the next run is the other
    half of one that failed."""

    units: tuple[Unit, ...]
    stays: bool = False
    half: bool = False


#: What follows, given whether functions are linked.
RunsDone: TypeAlias = Callable[[Tree, bool], Stream | None]


class DeleteRuns:
    """Deletes units of an outline, in runs; `form` is what a body becomes."""

    def __init__(
        self,
        outline: DeclarationOutline,
        form: Token,
        done: RunsDone = lambda tree, _: finish(tree),
        least: float = 0.01,
        patience: int | None = None,
        *,
        linked: bool = False,
    ) -> None:
        """Runs with less than a share `least` of the tokens are not halved.

        After `patience` failures in a row the rest stays. Where functions are `linked`, they are
        useless without their bodies; `done` says what follows, given whether a linker said so by
        then.
        """
        self._outline: Final = outline
        self._elements: Final = outline.elements
        self.graph: Final = DeclarationGraph(outline)
        self._form: Final = form
        self._done: Final = done
        self._least: Final = least
        self._patience: Final = patience
        self.linked: Final = linked
        self.repair: Final = SliceRepair(self.graph, outline.usual)
        self.dependents: Final = Dependents(self.graph, linked=linked)

    # -- the units, the least likely to be needed first -----------------------------------------

    @cached_property
    def _order(self) -> list[list[int]]:
        """The elements, by the precision that needs them; in each the farthest first.

        A namespace goes with its last element.
        """
        regions: list[list[int]] = []
        known: set[int] = set()
        for precision in LookupPrecision:
            kept = closure(self.graph, self._outline.roots, precision)
            regions.append([index for index in kept if index not in known])
            known.update(kept)
        regions.append([one for one in reversed(range(len(self._elements))) if one not in known])
        return [
            [
                one
                for one in reversed(each)
                if one != self.graph.last and not self._elements[one].scope
            ]
            for each in reversed(regions)
        ]

    def elements(self) -> list[list[Unit]]:
        """Return the elements that can be deleted."""
        return [[Unit(one) for one in region] for region in self._order]

    def _tokens(self, unit: Unit) -> int:
        """Return the tokens of a unit, without those of the elements in it."""
        element = self._elements[unit.at]
        place = element.body if unit.body and element.body is not None else element.place
        tokens = tokens_at(self._outline.tree, place)
        if not unit.body and element.listed:
            inside = self.graph.members.get(unit.at, ())
            tokens -= sum(
                tokens_at(self._outline.tree, self._elements[one].place) for one in inside
            )
        return max(1, tokens)

    @cached_property
    def sizes(self) -> dict[Unit, int]:
        """The tokens of each unit."""
        bodies = (Unit(at, body=True) for at, one in enumerate(self._elements) if one.body)
        return {one: self._tokens(one) for one in (*bodies, *map(Unit, range(len(self._elements))))}

    # -- the search -----------------------------------------------------------------------------

    def run(self, tree: Tree, regions: Sequence[Sequence[Unit]]) -> Stream:
        """Delete what can go, a region at once where that works."""
        runs = tuple(_Run(tuple(region)) for region in regions if region)
        return self._next(tree, frozenset(), runs, frozenset(), self.linked)

    def _next(
        self, tree: Tree, deleted: Deleted, runs: tuple[_Run, ...], needed: Deleted, linked: bool
    ) -> Stream:
        """Try the first run, then the others; `needed` is what tests said is needed."""
        failures = 0
        while runs and (self._patience is None or failures < self._patience):
            look()
            first, rest = runs[0], runs[1:]
            units = tuple(one for one in first.units if one not in deleted and one not in needed)
            if not units:
                runs = rest
                continue
            for _ in range(_TRIES if not first.stays else 0):
                more = self.dependents.with_dependents(deleted, units)
                candidate = None if more is None else self.without(tree, deleted, more)
                if more is None or candidate is None:
                    break
                # If the first half of a run that stays can go, the second half has to stay.
                other = rest
                if first.half and rest and len(units) == len(first.units):
                    other = (replace(rest[0], stays=True), *rest[1:])
                one, hearing = heard(
                    candidate, "deleting runs", self._next, candidate, more, other, needed, linked
                )
                yield one
                failures += 1
                linked = linked or misses_bodies(hearing.output)
                needed |= self._needed(hearing.output, more)
                fewer = tuple(one for one in units if one not in needed)
                if len(fewer) == len(units) or not self._large(tree, fewer):
                    units = fewer
                    break
                units = fewer
            runs = (*self._halves(tree, units), *rest)
        return self._done(tree, linked)

    def _needed(self, output: bytes, more: Deleted) -> Deleted:
        """Return the units that a failing test says are needed, and what these need."""
        missing = self.repair.missing(output, more)
        return self.repair.with_needs(missing, {one.at for one in more if one.body})

    def _halves(self, tree: Tree, units: Sequence[Unit]) -> tuple[_Run, ...]:
        """Return the halves of a run, by tokens; none if it is small."""
        if len(units) < 2 or not self._large(tree, units):
            return ()
        sizes = [self.sizes[one] for one in units]
        middle = middle_of(sizes, sum(sizes))
        return _Run(tuple(units[:middle]), half=True), _Run(tuple(units[middle:]))

    def _large(self, tree: Tree, units: Sequence[Unit]) -> bool:
        """Whether some units are a share of the tokens that is worth a test."""
        return sum(self.sizes[one] for one in units) >= self._least * tree.token_count

    def without(self, tree: Tree, before: Deleted, deleted: Deleted) -> Tree | None:
        """Return the tree in which more is deleted than before."""
        return without_units(self._outline, self._form, deleted, tree, before)
