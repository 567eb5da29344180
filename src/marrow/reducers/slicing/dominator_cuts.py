"""Dominator cuts: delete a declaration with its dependents and with all that only they need.

On the outline of a large text (`marrow.tree.outline`). What a declaration alone needs is what every
path from the last declaration crosses it to reach, in the graph of dependencies: the declarations
that it *dominates*. The dominator tree tells them for all declarations at once (`dominators`). A
class of strings may go in one test, with its traits and all functions of strings.

The cut that promises most comes first: its tokens times the chance that all of it can go
(`cut_probabilities`). A failure makes cuts that would delete nearly the same less likely. If the
output of the test says what is missing, only that is to blame, and stays from then on. Once a
linker misses functions, dependents do not stay without their bodies: they are deleted, too.

Guarantee: none by itself. Worst case: a few tests for each declaration that dominates a given share
of the tokens, with its dependents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.diagnostics.missing_names import misses_bodies
from marrow.reducers.slicing.cut_probabilities import (
    NEEDED,
    Chances,
    Declared,
    KnownCuts,
    after_failure,
    chance_of,
    faded,
)
from marrow.reducers.slicing.declaration_graph import Deleted, Unit
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import DeletionClosure
from marrow.reducers.slicing.lookup_precision import Closure, LookupPrecision
from marrow.reducers.streams.stream import Stream, heard
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline

# Cuts that promise less than this share of the tokens are left to later stages, or to the next
# round: other stages take about as much in a test. Of cuts that promise more two thirds went.
_LEAST: Final = 0.0045

# Cuts with less than this share of the tokens are not looked at.
_SMALLEST: Final = 0.0015

# How often a cut is tried in all, each time without what the test said is needed.
_SMALLER: Final = 3

# Cuts are foreseen anew when this share of the tokens is deleted.
_STALE: Final = 0.1

# How many cuts are remembered: those of one text.
_KNOWN: Final = 1024


@dataclass(frozen=True, slots=True)
class CutCandidate:
    """A cut as it was foreseen: the element, what would go with it, and the tokens of that."""

    index: int
    #: Never changed; with a plain set, what it has in common with a few others is found quickly.
    units: set[Unit]
    tokens: int


class _CutClosure(NamedTuple):
    """What goes with an element: its dependents, and what nothing else leads to."""

    dependents: Deleted
    lost: tuple[Unit, ...]


class _Cut(NamedTuple):
    """A cut: its element, what goes, and what is left then."""

    element: int
    more: Deleted
    candidate: Tree


@dataclass(frozen=True, slots=True)
class CutState:
    """How far the cuts have come."""

    tree: Tree
    candidates: tuple[CutCandidate, ...]
    #: The tokens that the text had when the cuts were foreseen.
    tokens: int
    chances: Chances
    deleted: Deleted = frozenset()
    #: What tests said is needed.
    needed: Deleted = frozenset()
    #: How often cuts failed, by their elements.
    failed: Mapping[int, int] = field(default_factory=dict)

    def after_success(self, cut: _Cut) -> CutState:
        """Return the state after a cut that succeeded."""
        return replace(self, tree=cut.candidate, deleted=self.deleted | cut.more)

    def after_failure(self, cut: _Cut, missing: Deleted) -> CutState:
        """Return the state after a cut that failed: because of what was missing, if that is known.

        Then it may be tried again without that.
        """
        failures = self.failed.get(cut.element, 0) + 1 if missing else _SMALLER
        failed = {**self.failed, cut.element: failures}
        if missing:
            return replace(self, needed=self.needed | missing, failed=failed)
        return replace(self, chances=after_failure(self.chances, cut.more), failed=failed)

    def open(self, unit: Unit) -> bool:
        """Whether the cut of an element may be tried."""
        tried = self.failed.get(unit.at, 0) >= _SMALLER
        return not (tried or unit in self.deleted or unit in self.needed)


class DominatorCuts:
    """The cuts of an outline."""

    def __init__(
        self,
        outline: DeclarationOutline,
        runs: DeleteRuns,
        done: Callable[[Tree, KnownCuts], Stream | None],
        among: frozenset[int] | None = None,
    ) -> None:
        """`done` says what follows, given what is known by then.

        `runs` has the graph of the outline. `among` are the elements that cuts begin with, if not
        all of them: then the tokens of these count, not those of the text.
        """
        self._outline: Final = outline
        self._elements: Final = outline.elements
        self._graph: Final = runs.graph
        self._runs: Final = runs
        self._dependents: Final = runs.dependents
        self._linked: Final = runs.linked
        self._done: Final = done
        self._among: Final = range(len(outline.elements)) if among is None else among
        self._few: Final = None if among is None else self._tokens(map(Unit, among))
        with_bodies = frozenset(at for at, one in enumerate(self._elements) if one.body is not None)
        self._nothing_kept: Final = Closure(self._graph, LookupPrecision.BARE, with_bodies)
        self._last_kept = (frozenset[Unit](), self._nothing_kept, frozenset[Unit]())
        self._useless: Final = lru_cache(maxsize=2)(self._find_useless)
        self._closure: Final = lru_cache(maxsize=_KNOWN)(self._find_closure)
        self._known_going: Final = lru_cache(maxsize=_KNOWN)(self._find_going)

    def run(self, known: KnownCuts | None = None) -> Stream:
        """Try the cuts, the most promising first; `known` is what an earlier round has shown."""
        tree, known = self._outline.tree, known or KnownCuts()
        chances = {
            Unit(at): known.chances[declared]
            for at in range(len(self._elements) if known.chances else 0)
            if (declared := self._declared(at)) in known.chances
        }
        foreseen = self._foreseen(tree, frozenset())
        return self._next(CutState(tree, foreseen, tree.token_count, faded(chances)))

    def _declared(self, index: int) -> Declared:
        element = self._elements[index]
        return self._graph.scopes[index], element.symbol, element.declares, element.mentions

    def _known(self, state: CutState, *, linked: bool = False) -> KnownCuts:
        """Return what the next round has to know."""
        known = state.chances | dict.fromkeys(state.needed, NEEDED)
        chances = {
            self._declared(one.at): chance
            for one, chance in sorted(known.items())
            if not one.body and one not in state.deleted
        }
        return KnownCuts(chances, self._linked or linked)

    def _foreseen(self, tree: Tree, deleted: Deleted) -> tuple[CutCandidate, ...]:
        """Return the cuts that have a good part of the tokens, as far as can be foreseen.

        That is an element, its dependents, and what each of them dominates.
        """
        below = self._graph.dominated(deleted)
        most = self._most_tokens(below)
        least = _SMALLEST * self._counted(tree)
        found: list[CutCandidate] = []
        for index, unit in enumerate(self._dependents.whole):
            look()
            if index in self._fixed or index not in self._among or unit in deleted:
                continue
            closure = self._dependents.closure(deleted)
            if not closure.delete((unit,)) or sum(map(most.__getitem__, closure.more)) < least:
                continue
            units = set(closure.more)
            pending = [one.at for one in units if not one.body]
            while pending:
                for one in below.get(pending.pop(), ()):
                    lower = self._dependents.whole[one]
                    if lower not in units and one not in self._scopes:
                        units.add(lower)
                        pending.append(one)
            if (tokens := self._tokens(units)) >= least:
                found.append(CutCandidate(index, units, tokens))
        return tuple(found)

    def _most_tokens(self, below: Mapping[int, Sequence[int]]) -> Mapping[int, int]:
        """Return the tokens of each unit, with those of all that it dominates."""
        found: dict[int, int] = dict(self._runs.sizes.items())
        order = [*below.get(len(self._elements), ())]
        for index in order:
            order += below.get(index, ())
        for index in reversed(order):
            found[2 * index] += sum(found[2 * one] for one in below.get(index, ()))
        return found

    def _counted(self, tree: Tree) -> int:
        """Return the tokens of which a cut has to promise a share."""
        return tree.token_count if self._few is None else self._few

    def _tokens(self, units: Iterable[Unit]) -> int:
        return sum(map(self._runs.sizes.__getitem__, units))

    @cached_property
    def _scopes(self) -> frozenset[int]:
        return frozenset(at for at, one in enumerate(self._elements) if one.scope)

    @cached_property
    def _fixed(self) -> frozenset[int]:
        return self._scopes | {self._graph.last}

    # -- the search -----------------------------------------------------------------------------

    def _next(self, state: CutState) -> Stream:
        tree = state.tree
        if tree.token_count < (1.0 - _STALE) * state.tokens:
            foreseen = self._foreseen(tree, state.deleted)
            state = replace(
                state,
                candidates=foreseen,
                tokens=tree.token_count,
                chances=faded(state.chances),
                failed={},
            )
        else:
            state = replace(state, candidates=self._left(state))
        while True:
            look()
            cut, state = self._best(state)
            if cut is None:
                break
            one, hearing = heard(cut.candidate, "cutting", self._next, state.after_success(cut))
            yield one
            # What was deleted before this cut is not to blame.
            missing = self._runs.repair.missing(hearing.output, state.deleted | cut.more) & cut.more
            state = state.after_failure(cut, missing)
            if not self._linked and misses_bodies(hearing.output):
                return self._done(tree, self._known(state, linked=True))
        return self._done(tree, self._known(state))

    def _left(self, state: CutState) -> tuple[CutCandidate, ...]:
        """Return what was foreseen, without what was deleted since."""
        found: list[CutCandidate] = []
        for one in state.candidates:
            if state.deleted.isdisjoint(one.units):
                found.append(one)
            elif self._dependents.whole[one.index] not in state.deleted:
                units = one.units - state.deleted
                found.append(CutCandidate(one.index, units, self._tokens(units)))
        return tuple(found)

    def _best(self, state: CutState) -> tuple[_Cut | None, CutState]:
        """Return the cut that promises most; None if that is little.

        And the state without cuts that can no longer be made: the dependents of a cut only become
        more, and what is needed stays needed.
        """
        least = _LEAST * self._counted(state.tree)
        found: _Cut | None = None
        known: dict[int, Deleted | None] = {}
        for one in self._promising(state, least):
            found = self._cut(state, one, least)
            known[one.index] = self._going(state, one.index)
            if found is not None:
                break
        return found, self._with_known(state, known)

    def _with_known(self, state: CutState, known: Mapping[int, Deleted | None]) -> CutState:
        """Return a state in which some cuts are what really goes with them, beside what goes
        anyway; those that can no longer be made are left out."""
        anyway, _ = self._useless(state.deleted, self._kept(state.needed))
        candidates: list[CutCandidate] = []
        for one in state.candidates:
            if one.index not in known:
                candidates.append(one)
            elif (going := known[one.index]) is not None:
                units = set(going - anyway)
                candidates.append(CutCandidate(one.index, units, self._tokens(units)))
        return replace(state, candidates=tuple(candidates))

    def _promising(self, state: CutState, least: float) -> list[CutCandidate]:
        """Return the cuts that may be made, those that promise most first, as was foreseen."""
        ranked: list[tuple[float, int, CutCandidate]] = []
        for one in state.candidates:
            if state.open(self._dependents.whole[one.index]):
                promise = chance_of(state.chances, one.units) * one.tokens
                # What really goes with a cut may be more than was foreseen.
                if promise >= least / 2:
                    ranked.append((-promise, one.index, one))
        return [one for _, _, one in sorted(ranked)]

    def _cut(self, state: CutState, one: CutCandidate, least: float) -> _Cut | None:
        """Return a cut as it really is, if it promises at least that many tokens.

        None also if the element or its dependents are needed, as the test of another cut said.
        """
        more = self._going(state, one.index)
        chance = 0.0 if more is None else chance_of(state.chances, more)
        if more is None or self._tokens(more) * chance < least:  # some tokens may count twice
            return None
        candidate = self._runs.without(state.tree, state.deleted, state.deleted | more)
        if candidate is None:
            return None
        removed = state.tree.token_count - candidate.token_count
        return _Cut(one.index, more, candidate) if removed * chance >= least else None

    def _going(self, state: CutState, index: int) -> Deleted | None:
        """Return what goes with an element; None if any of it is needed."""
        return self._known_going(state.deleted, state.needed, index)

    def _find_going(self, deleted: Deleted, needed: Deleted, index: int) -> Deleted | None:
        closure = self._closure(deleted, index)
        if closure is None or not needed.isdisjoint(closure.dependents):
            return None
        kept = self._kept(needed)
        useless, without = self._useless(deleted, kept)
        going = self._dependents.closure(without)
        if not going.delete((self._dependents.whole[index],)):
            return None
        going = self._with_useless(going, closure.lost, kept - closure.dependents)
        more = useless | going.more
        # The body of what goes whole does not count.
        return frozenset(one for one in more if not one & 1 or one - 1 not in more)

    def _find_useless(self, deleted: Deleted, kept: Deleted) -> tuple[Deleted, Deleted]:
        """Return what goes with any cut, as nothing depends on it; and all that is deleted then."""
        reached = self._graph.reachable(deleted).reached
        unreached = [one for one in self._dependents.whole if not reached[one]]
        going = self._with_useless(self._dependents.closure(deleted), unreached, kept)
        return frozenset(going.more), deleted | going.more

    def _with_useless(
        self, going: DeletionClosure, useless: Sequence[Unit], kept: Deleted
    ) -> DeletionClosure:
        """Delete what is useless too, but for what would take something along that is needed."""
        pending = [[one for one in useless if one not in kept and one.at not in self._scopes]]
        while pending:
            some, more = pending.pop(), going.copy()
            if more.delete(some) and kept.isdisjoint(more.more):
                going = more
            elif len(some) > 1:
                pending += [some[len(some) // 2 :], some[: len(some) // 2]]
        return going

    def _find_closure(self, deleted: Deleted, index: int) -> _CutClosure | None:
        """Return what goes with an element, if the last declaration can do without it."""
        whole, closure = self._dependents.whole, self._dependents.closure(deleted)
        if not closure.delete((whole[index],)):
            return None
        dependents = frozenset(closure.more)
        lost = self._graph.reachable(deleted).lost(dependents)
        return _CutClosure(
            dependents, tuple(whole[one >> 1] for one in sorted(lost) if not one & 1)
        )

    def _kept(self, needed: Deleted) -> Deleted:
        """Return what tests said is needed, and all that this needs."""
        before, closure, kept = self._last_kept
        if before is not needed:
            if not needed >= before:
                before, closure = frozenset(), self._nothing_kept
            more = sorted(needed - before)
            bodies = [one.at for one in more if one.body]
            closure = closure.copy()
            closure.emptied = self._nothing_kept.emptied.difference(
                one.at for one in needed if one.body
            )
            kept = frozenset(map(Unit, closure.add((one.at for one in more), bodies)))
            self._last_kept = (needed, closure, kept)
        return kept
