"""The reduction of an outline: parts of definitions, runs and cuts of declarations, in turn.

It comes after the slices, and works on the outline of a large text (`marrow.tree.outline`), in few
tests on much. A round is repeated as long as it removes a good part; what failed in one round is
less likely to be tried in the next. Guarantee: none; later stages see every token. Worst case: that
of its steps, for each tenth of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, TypeAlias

from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.slicing.cut_probabilities import KnownCuts
from marrow.reducers.slicing.declaration_graph import Unit
from marrow.reducers.slicing.definitions import DefinitionReducer, unsuspected
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import body_form
from marrow.reducers.slicing.dominator_cuts import DominatorCuts
from marrow.reducers.slicing.slices import if_large, on_outlines, with_declarations
from marrow.reducers.streams.stream import Done, Reducer, Stream
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline, SeeOutline, SeeParts

# A round that removed less than this share of the tokens is the last one.
_PAYS: Final = 0.1

# The shares of the tokens at which runs of units are no longer halved: when the rest has become
# small, the same runs are a larger share of it. What is unlikely to be needed is tried coarsely
# first, as cuts then delete several times as much in a test.
_COARSEST: Final = 0.05
_FINE: Final = 0.01

# After this many failures in a row unlikely units are left to the next round: where a
# program has to run, most of them are needed. 23 failed in a row in a round that brought little,
# and 9 before much was deleted.
_PATIENCE: Final = 10

# The share of the tokens that a run of parts of definitions has to promise: cuts delete as much in
# a test.
_PROMISE: Final = 0.01


@dataclass(frozen=True, slots=True)
class _Memory:
    """What earlier rounds have shown: how likely parts of each type can go, and cuts."""

    parts: Beliefs | None = None
    cuts: KnownCuts = field(default_factory=KnownCuts)


#: The units to delete in runs, those least likely to be needed first.
_Regions: TypeAlias = Callable[[DeleteRuns], Sequence[Sequence[Unit]]]

#: What follows a step, with what is known by then.
_Then: TypeAlias = Callable[[Tree, _Memory], Stream | None]

_Step: TypeAlias = Callable[[DeclarationOutline, _Memory, _Then], Stream | None]


def reduce_outline(see: SeeOutline, language: str, parts: SeeParts = lambda _: ()) -> Reducer:
    """Return the reducer that works on outlines, as long as that pays."""
    form = body_form(language)

    def declaring(
        outline: DeclarationOutline, memory: _Memory, then: _Then, *, scope: bool
    ) -> Stream | None:
        found = unsuspected(outline, parts(outline.tree.text))
        chosen = [one for one in found if one.scope is scope]

        def done(tree: Tree, beliefs: Beliefs) -> Stream | None:
            return then(tree, replace(memory, parts=beliefs))

        return DefinitionReducer(outline.tree, chosen, done, _PROMISE).run(memory.parts)

    def in_runs(
        outline: DeclarationOutline,
        memory: _Memory,
        then: _Then,
        *,
        regions: _Regions,
        least: float,
        patience: int | None = None,
    ) -> Stream | None:
        known = memory.cuts

        def done(tree: Tree, linked: bool) -> Stream | None:
            return then(tree, replace(memory, cuts=replace(known, linked=linked)))

        runs = DeleteRuns(outline, form, done, least, patience, linked=known.linked)
        return runs.run(outline.tree, regions(runs))

    def cuts(outline: DeclarationOutline, memory: _Memory, then: _Then) -> Stream | None:
        def done(tree: Tree, known: KnownCuts) -> Stream | None:
            now = replace(memory, cuts=known)
            again = with_declarations(see, tree) if known.linked != memory.cuts.linked else None
            return then(tree, now) if again is None else cuts(again, now, then)

        runs = DeleteRuns(outline, form, linked=memory.cuts.linked)
        return DominatorCuts(outline, runs, done).run(memory.cuts)

    unlikely = partial(
        in_runs, regions=lambda runs: runs.elements()[:-1], least=_COARSEST, patience=_PATIENCE
    )
    elements = partial(in_runs, regions=DeleteRuns.elements, least=_FINE)
    heads, scopes = partial(declaring, scope=False), partial(declaring, scope=True)
    coarse = _while_it_pays(see, _in_turn(see, heads, unlikely, cuts))
    whole = _while_it_pays(see, _joined(coarse, _in_turn(see, scopes, elements)))

    def run(tree: Tree, done: Done) -> Stream | None:
        return whole(tree, _Memory(), lambda after, _: done(after))

    return if_large(run)


def page_cuts(see: SeeOutline, language: str) -> Reducer:
    """Return the reducer that cuts declarations and statements of the last page.

    Whatever is deleted there takes along what it alone needs, of all that comes before.
    """
    form = body_form(language)

    def cut(outline: DeclarationOutline, done: Done, *, linked: bool = False) -> Stream | None:
        def ended(tree: Tree, known: KnownCuts) -> Stream | None:
            again = with_declarations(see, tree) if known.linked and not linked else None
            return done(tree) if again is None else cut(again, done, linked=True)

        runs = DeleteRuns(outline, form, linked=linked)
        return DominatorCuts(outline, runs, ended, outline.on_page).run(KnownCuts(linked=linked))

    return if_large(on_outlines(see, cut))


_Round: TypeAlias = Callable[[Tree, _Memory, _Then], Stream | None]


def _in_turn(see: SeeOutline, *steps: _Step) -> _Round:
    """Return the round that takes some steps, each on the outline of what the one before left."""

    def run(tree: Tree, memory: _Memory, then: _Then) -> Stream | None:
        if not steps:
            return then(tree, memory)
        outline = with_declarations(see, tree)
        others = _in_turn(see, *steps[1:])

        def rest(after: Tree, known: _Memory) -> Stream | None:
            return others(after, known, then)

        return rest(tree, memory) if outline is None else steps[0](outline, memory, rest)

    return run


def _joined(first: _Round, second: _Round) -> _Round:
    def run(tree: Tree, memory: _Memory, then: _Then) -> Stream | None:
        return first(tree, memory, lambda after, known: second(after, known, then))

    return run


def _while_it_pays(see: SeeOutline, one: _Round) -> _Round:
    """Return the round that is repeated as long as it removes a good part."""

    def run(tree: Tree, memory: _Memory, then: _Then) -> Stream | None:
        def ended(after: Tree, known: _Memory) -> Stream | None:
            removed = tree.token_count - after.token_count
            outline = see(after.text) if removed >= _PAYS * tree.token_count else None
            return then(after, known) if outline is None else run(outline.tree, known, then)

        return one(tree, memory, ended)

    return run
