"""Cuts: take one declaration away with all that cannot do without it and all that it alone needs.

On the outline of a large text (`marrow.tree.outline`). What a declaration alone needs is what only
paths through it lead to, in the graph from the last declaration to what that needs, and so on: the
declarations that it *dominates*. The tree of dominators tells them for all declarations at once
(`slicing.dominators`). A class of strings may go in one test, with its traits and all
functions of strings.

The cut that promises most comes first: its tokens times the chance that all of it can go
(`slicing.cut_probabilities`). A failure makes cuts that would take nearly the same less likely. If
the output of the test says what is missing, only that is to blame, and stays from then on. Where
cuts mostly succeed, several go in one test, as long as they promise more together. Once a linker
misses functions, the users of what goes do not stay without their bodies: they go, too.

Guarantee: none by itself. Worst case: a few tests for each declaration that dominates a given share
of the tokens, with its users.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from marrow.base.deadline import look
from marrow.reducers.slicing.cut_probabilities import TOLD, CutOdds, Declared, KnownCuts
from marrow.reducers.slicing.declaration_index import Needs
from marrow.reducers.slicing.delete_runs import Thinning
from marrow.reducers.slicing.dependency_graph import Led
from marrow.reducers.slicing.dependents import Gone, Unit
from marrow.reducers.slicing.lookup_precision import Marking, Reading
from marrow.reducers.slicing.missing_names import misses_bodies
from marrow.reducers.slicing.slice_repair import Growth
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

# What goes with cuts is computed anew when this share of the tokens has gone.
_STALE: Final = 0.1

# So many cuts go in one test at most.
_MOST: Final = 32


@dataclass(frozen=True, slots=True)
class _Prospect:
    """A cut as it was foreseen: the element, what would go with it, and the tokens of that."""

    index: int
    units: tuple[Unit, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class _Closure:
    """What goes with some elements: their users, and what is of no use then.

    `all` is both, and what cannot do without the useless; None if the root is among it.
    """

    users: Gone
    useless: tuple[Unit, ...]
    all: Gone | None


@dataclass(frozen=True, slots=True)
class _Closures:
    """What goes with elements, as far as it was asked for, where some units are gone.

    `unreached` are the elements that nothing leads to there, though they are not gone.
    """

    gone: Gone
    unreached: tuple[int, ...]
    known: dict[tuple[int, ...], _Closure | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Cut:
    """One cut or several: their elements and sizes, what goes, and the candidate without it."""

    elements: tuple[int, ...]
    sizes: tuple[int, ...]
    more: Gone
    candidate: Tree


@dataclass(frozen=True, slots=True)
class _Course:
    """How far the cuts have come."""

    tree: Tree
    prospects: tuple[_Prospect, ...]
    #: The tokens that the text had when the cuts were foreseen.
    tokens: int
    odds: CutOdds
    gone: Gone = frozenset()
    #: What tests said is needed.
    needed: Gone = frozenset()
    #: How often cuts failed, by their elements.
    failed: Mapping[int, int] = field(default_factory=dict)

    def after(self, cut: _Cut) -> _Course:
        """Return the course after a cut that went."""
        odds = self.odds.after_success(cut.sizes)
        return replace(self, tree=cut.candidate, gone=self.gone | cut.more, odds=odds)

    def without(self, cut: _Cut) -> _Course:
        """Return the course after a cut that failed, and nobody knows why."""
        failed = dict(self.failed)
        if len(cut.elements) == 1:
            failed[cut.elements[0]] = _SMALLER
        odds = self.odds.after_failure(cut.more, cut.sizes)
        return replace(self, odds=odds, failed=failed)

    def told(self, cut: _Cut, missing: Gone) -> _Course:
        """Return the course after a cut that failed, as something was missing."""
        failed = dict(self.failed)
        for one in cut.elements:
            failed[one] = failed.get(one, 0) + 1
        return replace(self, needed=self.needed | missing, failed=failed)

    def open(self, unit: Unit) -> bool:
        """Whether the cut of an element may be tried."""
        tried = self.failed.get(unit.at, 0) >= _SMALLER
        return not (tried or unit in self.gone or unit in self.needed)


class Cuts:
    """The cuts of an outline."""

    def __init__(
        self,
        outline: DeclarationOutline,
        thinning: Thinning,
        done: Callable[[Tree, KnownCuts], Stream | None],
        among: frozenset[int] | None = None,
    ) -> None:
        """`done` says what follows, given what is known by then.

        `among` are the elements that cuts begin with, if not all of them: then the tokens of these
        count, not those of the text.
        """
        self._outline: Final = outline
        self._elements: Final = outline.elements
        self._needs: Final = Needs(outline.elements)
        self._thinning: Final = thinning
        self._users: Final = thinning.users
        self._linked: Final = thinning.linked
        self._led: Final = Led(self._needs, outline.last)
        self._growth: Final = Growth(self._needs, outline.usual)
        self._done: Final = done
        self._among: Final = range(len(outline.elements)) if among is None else among
        self._few: Final = None if among is None else self._tokens(map(Unit, among))
        self._last_kept: tuple[Gone, Marking, Gone] = (
            frozenset(),
            self._nothing_kept(),
            frozenset(),
        )
        self._last_closures: _Closures | None = None

    def run(self, known: KnownCuts | None = None) -> Stream:
        """Try the cuts, the most promising first; `known` is what an earlier round has shown."""
        tree, known = self._outline.tree, known or KnownCuts()
        beliefs = {
            Unit(at): known.beliefs[declared]
            for at in range(len(self._elements) if known.beliefs else 0)
            if (declared := self._declared(at)) in known.beliefs
        }
        odds = CutOdds(beliefs, known.went, known.stayed).faded()
        foreseen = self._foreseen(tree, frozenset())
        return self._next(_Course(tree, foreseen, tree.token_count, odds))

    def _declared(self, index: int) -> Declared:
        element = self._elements[index]
        return self._needs.scopes[index], element.symbol, element.declares, element.mentions

    def _known(self, course: _Course, *, linked: bool = False) -> KnownCuts:
        """Return what the next round is to know."""
        told = dict.fromkeys(course.needed, TOLD)
        beliefs = {
            self._declared(one.at): belief
            for one, belief in sorted({**course.odds.beliefs, **told}.items())
            if not one.body and one not in course.gone
        }
        return KnownCuts(beliefs, course.odds.went, course.odds.stayed, self._linked or linked)

    def _foreseen(self, tree: Tree, gone: Gone) -> tuple[_Prospect, ...]:
        """Return the cuts that have a good part of the tokens, as far as can be foreseen.

        That is an element, its users, and what each of them dominates.
        """
        below = self._led.dominated(gone)
        least = _SMALLEST * self._counted(tree)
        found: list[_Prospect] = []
        for index, unit in enumerate(self._users.whole):
            look()
            if index in self._fixed or index not in self._among or unit in gone:
                continue
            going = self._users.going(gone)
            if not going.take((unit,)):
                continue
            units = dict.fromkeys(sorted(going.more))
            pending = [one.at for one in units if not one.body]
            while pending:
                for one in below.get(pending.pop(), ()):
                    lower = self._users.whole[one]
                    if lower not in units and one not in self._scopes:
                        units[lower] = None
                        pending.append(one)
            if (tokens := self._tokens(units)) >= least:
                found.append(_Prospect(index, tuple(units), tokens))
        return tuple(found)

    def _counted(self, tree: Tree) -> int:
        """Return the tokens of which a cut has to promise a share."""
        return tree.token_count if self._few is None else self._few

    def _tokens(self, units: Iterable[Unit]) -> int:
        return sum(map(self._thinning.sizes.__getitem__, units))

    @cached_property
    def _scopes(self) -> frozenset[int]:
        return frozenset(at for at, one in enumerate(self._elements) if one.scope)

    @cached_property
    def _fixed(self) -> frozenset[int]:
        return self._scopes | {self._users.root}

    # -- the search -----------------------------------------------------------------------------

    def _next(self, course: _Course) -> Stream:
        tree = course.tree
        if tree.token_count < (1.0 - _STALE) * course.tokens:
            foreseen = self._foreseen(tree, course.gone)
            odds = course.odds.faded()
            course = replace(
                course, prospects=foreseen, tokens=tree.token_count, odds=odds, failed={}
            )
        else:
            course = replace(course, prospects=self._left(course))
        while True:
            look()
            cut, course = self._best(course)
            if cut is None:
                break
            one, hearing = heard(cut.candidate, "cutting", self._next, course.after(cut))
            yield one
            # What went before this cut is not to blame.
            missing = self._missing(hearing.output, course.gone | cut.more) & cut.more
            course = course.told(cut, missing) if missing else course.without(cut)
            if not self._linked and misses_bodies(hearing.output):
                return self._done(tree, self._known(course, linked=True))
        return self._done(tree, self._known(course))

    def _missing(self, output: bytes, gone: Gone) -> Gone:
        """Return what the output of a test says must not be gone."""
        emptied = {unit.at for unit in gone if unit.body}
        cut = {unit.at for unit in gone if not unit.body}
        missing = self._growth.missing_of(output, cut, emptied)
        bodies = (Unit(one, body=True) for one in missing.bodies)
        return frozenset((*map(Unit, missing.elements), *bodies))

    def _left(self, course: _Course) -> tuple[_Prospect, ...]:
        """Return what was foreseen, without what has gone since."""
        found: list[_Prospect] = []
        for one in course.prospects:
            if self._users.whole[one.index] not in course.gone:
                units = tuple(unit for unit in one.units if unit not in course.gone)
                found.append(_Prospect(one.index, units, self._tokens(units)))
        return tuple(found)

    def _best(self, course: _Course) -> tuple[_Cut | None, _Course]:
        """Return the cut, or the cuts, that promise most; None if that is little.

        And the course without cuts that can no longer be made: of what goes, ever more cannot do
        without it, and what is needed stays so.
        """
        least = _LEAST * self._counted(course.tree)
        found: _Cut | None = None
        hopeless: list[int] = []
        for prospects in self._promising(course, least):
            for some in (prospects, prospects[:1]) if len(prospects) > 1 else (prospects,):
                found = found or self._cut(course, some, least)
            if found is not None:
                break
            if self._users_needed(course, (prospects[0].index,)):
                hopeless.append(prospects[0].index)
        failed = {**course.failed, **dict.fromkeys(hopeless, _SMALLER)}
        return found, replace(course, failed=failed) if hopeless else course

    def _promising(self, course: _Course, least: float) -> Iterator[list[_Prospect]]:
        """Yield cuts to make at once, those that promise most first, as far as can be foreseen."""
        odds = course.odds
        ranked: list[tuple[float, float, _Prospect]] = []
        for one in course.prospects:
            if course.open(self._users.whole[one.index]):
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
                if self._users.whole[other.index] in away:
                    continue
                new = [unit for unit in other.units if unit not in away]
                with_it = tokens + self._tokens(new)
                then = chance * odds.chance(new) * odds.of_size(len(other.units))
                if with_it * then > tokens * chance:
                    chosen.append(other)
                    away.update(new)
                    tokens, chance = with_it, then
            yield chosen

    def _cut(self, course: _Course, prospects: Sequence[_Prospect], least: float) -> _Cut | None:
        """Return some cuts as one, if they promise so many tokens.

        None also if the elements or their users are needed, as the test of another cut said.
        """
        elements = tuple(one.index for one in prospects)
        more = self._going(course, elements)
        if more is None:
            return None
        sizes = tuple(len(one.units) for one in prospects)
        chance = course.odds.chance(more) * math.prod(map(course.odds.of_size, sizes))
        if self._tokens(more) * chance < least:  # some tokens may count twice in this
            return None
        candidate = self._thinning.edited(course.tree, course.gone, course.gone | more)
        if candidate is None:
            return None
        removed = course.tree.token_count - candidate.token_count
        return _Cut(elements, sizes, more, candidate) if removed * chance >= least else None

    def _going(self, course: _Course, elements: tuple[int, ...]) -> Gone | None:
        """Return what goes with some elements; None if the root or a test needs any of it."""
        closure = self._known_closure(course, elements)
        if closure is None or self._users_needed(course, elements):
            return None
        kept = self._kept(course.needed)
        if kept.isdisjoint(closure.useless):
            return closure.all
        going = self._users.going(course.gone)
        going.take(self._users.whole[one] for one in elements)
        useless = [one for one in closure.useless if one not in kept]
        return frozenset(going.more) if going.take(useless) else None

    def _users_needed(self, course: _Course, elements: tuple[int, ...]) -> bool:
        """Whether the users of some elements are the root, or what a test said is needed."""
        closure = self._known_closure(course, elements)
        return closure is None or not course.needed.isdisjoint(closure.users)

    def _known_closure(self, course: _Course, elements: tuple[int, ...]) -> _Closure | None:
        known = self._closures(course.gone)
        if elements not in known.known:
            known.known[elements] = self._closure(known, elements)
        return known.known[elements]

    def _closures(self, gone: Gone) -> _Closures:
        if self._last_closures is None or self._last_closures.gone is not gone:
            reached = self._led.reach(gone).reached
            unreached = (
                one.at for one in self._users.whole if not reached[one] and one not in gone
            )
            self._last_closures = _Closures(gone, tuple(unreached))
        return self._last_closures

    def _closure(self, known: _Closures, elements: Iterable[int]) -> _Closure | None:
        """Return what goes with some elements, if the root can do without them."""
        whole, going = self._users.whole, self._users.going(known.gone)
        if not going.take(whole[one] for one in elements):
            return None
        users = frozenset(going.more)
        lost = self._led.reach(known.gone).lost(users)
        elements = sorted((*known.unreached, *(one >> 1 for one in lost if not one & 1)))
        useless = [
            whole[one] for one in elements if whole[one] not in users and one not in self._scopes
        ]
        can_go = going.take(useless)
        return _Closure(users, tuple(useless), frozenset(going.more) if can_go else None)

    def _kept(self, needed: Gone) -> Gone:
        """Return what tests said is needed, and all that this needs."""
        before, marking, kept = self._last_kept
        if before is not needed:
            if not needed >= before:
                before, marking = frozenset(), self._nothing_kept()
            more = sorted(needed - before)
            bodies = [one.at for one in more if one.body]
            marking = marking.copy()
            marking.emptied = frozenset(self._with_bodies).difference(
                one.at for one in needed if one.body
            )
            kept = frozenset(map(Unit, marking.closed((one.at for one in more), bodies)))
            self._last_kept = (needed, marking, kept)
        return kept

    def _nothing_kept(self) -> Marking:
        return Marking(self._needs, Reading.BARE, self._with_bodies)

    @cached_property
    def _with_bodies(self) -> frozenset[int]:
        return frozenset(at for at, one in enumerate(self._elements) if one.body is not None)
