"""The family of hierarchical delta debugging: HDD and HDDr, coarse or not, with hoisting or not.

Figures 2, 7 and 8 and Table 1 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical
Delta Debugging". All sixteen variants are one walk over the tree from the root down, put together
from parts:

- which nodes are looked at together: all of a level (HDD) or the children of one node (HDDr);
- what is done with them: pruned by ddmin, hoisted by tmin, or first the one, then the other;
- which of them: all, or only those that may vanish (coarse).

Guarantee to a fixpoint: 1-tree-minimal (no single node can be pruned), with hoisting 1-maximal too;
for the coarse ones only where a node may vanish. Worst case of a pass: O(n²) tests.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from marrow.reduce.agenda import Agenda, BreadthFirst, Group
from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.ddmin import Configuration, ListMinimizer, ddmin
from marrow.reduce.hoist import hoisted
from marrow.reduce.phi import Replacements, prune, tokens_at, vanishes
from marrow.reduce.prepare import flatten
from marrow.reduce.slots import Slots
from marrow.reduce.tmin import tmin
from marrow.tree import Place, Token, Tree


class Step(enum.Enum):
    """What is done with the nodes that are looked at together."""

    PRUNE = "deleting"
    HOIST = "hoisting"


@dataclass(frozen=True, slots=True)
class Walk:
    """The parts of one walk over a tree."""

    steps: tuple[Step, ...] = (Step.PRUNE,)
    agenda: Agenda = field(default_factory=BreadthFirst)
    coarse: bool = False
    minimize: ListMinimizer = ddmin
    flat: bool = True


def hdd(walk: Walk, slots: Slots) -> Reducer:
    """Return the reducer that walks a tree once."""

    def run(tree: Tree, done: Done) -> Stream | None:
        prepared = flatten(tree) if walk.flat else tree
        phi = Replacements(prepared, slots)
        return _Pass(walk, slots, phi, done).next(walk.agenda, prepared)

    return run


@dataclass(frozen=True, slots=True)
class _Pass:
    """One walk under way. Its methods hand the tree on from stream to stream."""

    walk: Walk
    slots: Slots
    phi: Replacements
    done: Done

    def next(self, agenda: Agenda, tree: Tree) -> Stream | None:
        """Go on with the next group of the agenda that there is something to do for."""
        while (found := agenda.next(tree)) is not None:
            group, agenda = found
            stream = self._steps(0, group, agenda, tree)
            if stream is not None:
                return stream
        return self.done(tree)

    def _steps(self, index: int, group: Group, agenda: Agenda, tree: Tree) -> Stream | None:
        """Return the stream of the first step that has something to do, or None."""
        for at in range(index, len(self.walk.steps)):
            follow = partial(self._after, at + 1, group, agenda)
            stream = self._step(self.walk.steps[at], group, tree, follow)
            if stream is not None:
                return stream
        return None

    def _after(self, index: int, group: Group, agenda: Agenda, tree: Tree) -> Stream | None:
        """Do the steps that are left for a group, then go on with the agenda."""
        return self._steps(index, group, agenda, tree) or self.next(agenda, tree)

    def _step(self, step: Step, group: Group, tree: Tree, follow: Done) -> Stream | None:
        places = tuple(place for place in group.places if self._counts(step, tree, place))
        if not places:
            return None
        phase = f"{step.value} in {group.words}"
        if step is Step.HOIST:
            return tmin(tree, places, partial(hoisted, self.slots), follow, phase)
        configuration = Configuration(tree, places, self._prune, phase=phase, weigh=tokens_at)
        return self.walk.minimize(configuration, lambda result: follow(result.tree))

    def _counts(self, step: Step, tree: Tree, place: Place) -> bool:
        """Whether a step can do anything about a node; tokens that may not vanish are hidden."""
        node = tree.at(place)
        if node is None or not node.token_count:
            return False
        if vanishes(tree, place):
            return True
        if self.walk.coarse or isinstance(node, Token):
            return False
        return step is Step.HOIST or self.phi.of(node) is not None

    def _prune(self, tree: Tree, places: Sequence[Place]) -> Tree:
        return prune(tree, places, self.phi)
