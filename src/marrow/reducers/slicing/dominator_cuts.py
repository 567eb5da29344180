"""Dominator cuts: delete a declaration with its dependents and with all that only they need.

On the outline of a large text (`marrow.tree.outline`). What a declaration alone needs is what every
path from the last declaration crosses it to reach, in the graph of dependencies: the declarations
that it *dominates*. The dominator tree tells them for all declarations at once (`dominators`). A
class of strings may go in one test, with its traits and all functions of strings.

The cut that promises most comes first: its tokens times the chance that all of it can go
(`cut_probabilities`). A failure makes cuts that would delete nearly the same less likely. If the
output of the test says what is missing, only that is to blame, and stays from then on. Where cuts
mostly succeed, several go in one test, as long as they promise more together. Once a linker misses
functions, dependents do not stay without their bodies: they are deleted, too.

Guarantee: none by itself. Worst case: a few tests for each declaration that dominates a given share
of the tokens, with its dependents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.diagnostics.missing_names import misses_bodies
from marrow.reducers.slicing.cut_probabilities import NEEDED, CutProbabilities, Declared, KnownCuts
from marrow.reducers.slicing.declaration_graph import Deleted, Unit
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import DeletionClosure
from marrow.reducers.slicing.lookup_precision import Closure, LookupPrecision
from marrow.reducers.streams.stream import Stream, heard
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline

# Cuts that promise less than this share of the tokens are left to later stages, or to the next
# round: other stages take about as much in a test.
_LEAST: Final = 0.003

# Cuts with less than this share of the tokens are not looked at.
_SMALLEST: Final = 0.0015

# How often a cut is tried in all, each time without what the test said is needed.
_SMALLER: Final = 3

# Cuts are foreseen anew when this share of the tokens is deleted.
_STALE: Final = 0.1

# How many cuts are remembered: those of one text.
_KNOWN: Final = 1024

# At most this many cuts go in one test.
_MOST: Final = 32


@dataclass(frozen=True, slots=True)
class CutCandidate:
    """A cut as it was foreseen: the element, what would go with it, and the tokens of that."""

    index: int
    units: tuple[Unit, ...]
    tokens: int


class _CutClosure(NamedTuple):
    """What goes with some elements: their dependents, and what nothing else leads to."""

    dependents: Deleted
    lost: tuple[Unit, ...]


class _Cut(NamedTuple):
    """One cut or several: their elements and sizes, what goes, and the candidate without it."""

    elements: tuple[int, ...]
    sizes: tuple[int, ...]
    more: Deleted
    candidate: Tree


@dataclass(frozen=True, slots=True)
class CutState:
    """How far the cuts have come."""

    tree: Tree
    candidates: tuple[CutCandidate, ...]
    #: The tokens that the text had when the cuts were foreseen.
    tokens: int
    probabilities: CutProbabilities
    deleted: Deleted = frozenset()
    #: What tests said is needed.
    needed: Deleted = frozenset()
    #: How often cuts failed, by their elements.
    failed: Mapping[int, int] = field(default_factory=dict)

    def after_success(self, cut: _Cut) -> CutState:
        """Return the state after a cut that succeeded."""
        after = self.probabilities.after_success(cut.sizes)
        deleted = self.deleted | cut.more
        return replace(self, tree=cut.candidate, deleted=deleted, probabilities=after)

    def after_failure(self, cut: _Cut) -> CutState:
        """Return the state after a cut that failed for an unknown reason."""
        failed = dict(self.failed)
        if len(cut.elements) == 1:
            failed[cut.elements[0]] = _SMALLER
        probabilities = self.probabilities.after_failure(cut.more, cut.sizes)
        return replace(self, probabilities=probabilities, failed=failed)

    def after_missing(self, cut: _Cut, missing: Deleted) -> CutState:
        """Return the state after a cut that failed because something was missing."""
        failed = dict(self.failed)
        for one in cut.elements:
            failed[one] = failed.get(one, 0) + 1
        return replace(self, needed=self.needed | missing, failed=failed)

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
            Unit(at): 1.0 - known.beliefs[declared]
            for at in range(len(self._elements) if known.beliefs else 0)
            if (declared := self._declared(at)) in known.beliefs
        }
        probabilities = CutProbabilities(chances, known.went, known.stayed).faded()
        foreseen = self._foreseen(tree, frozenset())
        return self._next(CutState(tree, foreseen, tree.token_count, probabilities))

    def _declared(self, index: int) -> Declared:
        element = self._elements[index]
        return self._graph.scopes[index], element.symbol, element.declares, element.mentions

    def _known(self, state: CutState, *, linked: bool = False) -> KnownCuts:
        """Return what the next round has to know."""
        needed = dict.fromkeys(state.needed, 1.0 - NEEDED)
        beliefs = {
            self._declared(one.at): 1.0 - chance
            for one, chance in sorted({**state.probabilities.chances, **needed}.items())
            if not one.body and one not in state.deleted
        }
        probabilities = state.probabilities
        return KnownCuts(beliefs, probabilities.went, probabilities.stayed, self._linked or linked)

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
            units = dict.fromkeys(sorted(closure.more))
            pending = [one.at for one in units if not one.body]
            while pending:
                for one in below.get(pending.pop(), ()):
                    lower = self._dependents.whole[one]
                    if lower not in units and one not in self._scopes:
                        units[lower] = None
                        pending.append(one)
            if (tokens := self._tokens(units)) >= least:
                found.append(CutCandidate(index, tuple(units), tokens))
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
                probabilities=state.probabilities.faded(),
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
            state = state.after_missing(cut, missing) if missing else state.after_failure(cut)
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
                units = tuple(unit for unit in one.units if unit not in state.deleted)
                found.append(CutCandidate(one.index, units, self._tokens(units)))
        return tuple(found)

    def _best(self, state: CutState) -> tuple[_Cut | None, CutState]:
        """Return the cut, or the cuts, that promise most; None if that is little.

        And the state without cuts that can no longer be made: the dependents of a cut only become
        more, and what is needed stays needed.
        """
        least = _LEAST * self._counted(state.tree)
        found: _Cut | None = None
        known: dict[int, Deleted | None] = {}
        for candidates in self._promising(state, least):
            for some in (candidates, candidates[:1]) if len(candidates) > 1 else (candidates,):
                found = found or self._cut(state, some, least)
            first = candidates[0].index
            known[first] = self._going(state, (first,))
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
                units = going - anyway
                candidates.append(CutCandidate(one.index, tuple(units), self._tokens(units)))
        return replace(state, candidates=tuple(candidates))

    def _promising(self, state: CutState, least: float) -> Iterator[list[CutCandidate]]:
        """Yield cuts to make at once, those that promise most first, as far as can be foreseen."""
        odds = state.probabilities
        ranked: list[tuple[float, float, CutCandidate]] = []
        for one in state.candidates:
            if state.open(self._dependents.whole[one.index]):
                chance = odds.chance(one.units) * odds.of_size(len(one.units))
                ranked.append((chance * one.tokens, chance, one))
        ranked.sort(key=lambda one: (-one[0], one[2].index))
        for at, (promise, chance, first) in enumerate(ranked):
            # What really goes with a cut may be more than was foreseen.
            if promise < least / 2:
                return
            tokens = first.tokens
            chosen, away = [first], set(first.units)
            for _, of_other, other in ranked[at + 1 :]:
                if len(chosen) == _MOST:
                    break
                if (tokens + other.tokens) * of_other <= tokens:
                    continue
                if self._dependents.whole[other.index] in away:
                    continue
                new = [unit for unit in other.units if unit not in away]
                with_it = tokens + self._tokens(new)
                then = chance * odds.chance(new) * odds.of_size(len(other.units))
                if with_it * then > tokens * chance:
                    chosen.append(other)
                    away.update(new)
                    tokens, chance = with_it, then
            yield chosen

    def _cut(
        self, state: CutState, candidates: Sequence[CutCandidate], least: float
    ) -> _Cut | None:
        """Return some cuts as one, if they promise at least that many tokens.

        None also if the elements or their dependents are needed, as the test of another cut said.
        """
        elements = tuple(one.index for one in candidates)
        more = self._going(state, elements)
        if more is None:
            return None
        sizes = tuple(len(one.units) for one in candidates)
        odds = state.probabilities
        chance = odds.chance(more) * math.prod(map(odds.of_size, sizes))
        if self._tokens(more) * chance < least:  # some tokens may count twice in this
            return None
        candidate = self._runs.without(state.tree, state.deleted, state.deleted | more)
        if candidate is None:
            return None
        removed = state.tree.token_count - candidate.token_count
        return _Cut(elements, sizes, more, candidate) if removed * chance >= least else None

    def _going(self, state: CutState, elements: tuple[int, ...]) -> Deleted | None:
        """Return what goes with some elements; None if any of it is needed."""
        return self._known_going(state.deleted, state.needed, elements)

    def _find_going(
        self, deleted: Deleted, needed: Deleted, elements: tuple[int, ...]
    ) -> Deleted | None:
        closure = self._closure(deleted, elements)
        if closure is None or not needed.isdisjoint(closure.dependents):
            return None
        kept = self._kept(needed)
        useless, without = self._useless(deleted, kept)
        going = self._dependents.closure(without)
        if not going.delete(self._dependents.whole[one] for one in elements):
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

    def _find_closure(self, deleted: Deleted, elements: tuple[int, ...]) -> _CutClosure | None:
        """Return what goes with some elements, if the last declaration can do without them."""
        whole, closure = self._dependents.whole, self._dependents.closure(deleted)
        if not closure.delete(whole[one] for one in elements):
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
