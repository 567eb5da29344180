"""The family of hierarchical delta debugging: HDD and HDDr, coarse or not, with hoisting or not.

Figures 2, 7 and 8 and Table 1 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical
Delta Debugging". All sixteen variants are one walk over the tree from the root down, put together
from parts:

- which nodes are looked at together: all of a level (HDD) or the children of one node (HDDr);
- what is done with them: pruned by ddmin, hoisted by tmin, or first the one, then the other;
- which of them: all, or only those that may vanish (coarse).

Departures. Two are for long chains (see `chains`). The first node is replaced by descendants far
down before its nearest ones are tried, so a chain of n nodes is peeled in O(log² n) tests. And it
is replaced by the shortest node of its kind before the nodes in it are pruned level by level. The
third: pruning all of several nodes is tried only when one of them is left, as in ddmin as printed.
Where the node that holds them must stay, it seldom works earlier.

Guarantee to a fixpoint: 1-tree-minimal (no single node can be pruned), with hoisting 1-maximal too;
for the coarse ones only where a node may vanish. Worst case of a pass: O(n²) tests.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Final, Protocol

from marrow.reducers.algorithms.ddmin import (
    Configuration,
    ListMinimizer,
    Remove,
    ddmin,
    minimize_group,
)
from marrow.reducers.algorithms.hoist import Compatibility, first_links, hoisted, jumps
from marrow.reducers.algorithms.prepare import Preparation, flatten, rebuilt, squeeze, unroll
from marrow.reducers.algorithms.tmin import tmin
from marrow.reducers.algorithms.traversal import Agenda, BreadthFirst, ByLevel, Group
from marrow.reducers.streams.minimal_replacement import (
    Replacements,
    Slots,
    exchange,
    prune,
    tokens_at,
    vanishes,
)
from marrow.reducers.streams.stream import Done, Reducer, Stream, on, unparsed
from marrow.tree import QUANTIFIED, Branch, Kind, Node, Place, Token, Tree


class WalkStep(enum.Enum):
    """A way to treat the nodes that are looked at together."""

    #: Nodes that may vanish are deleted, others replaced by Φ of their slot.
    PRUNE = "deleting"
    #: The first nodes of long chains are replaced by Φ of their own kind.
    COLLAPSE = "collapsing"
    #: Nodes that may vanish, but did not, are replaced by Φ of their slot.
    REPLACE = "replacing"
    #: Nodes are replaced by Φ of their own kind.
    SHORTEN = "shortening"
    HOIST = "hoisting"


#: Pruning, as the chain of replacements of a node, from its quantifier to its kind.
PRUNING: Final = (WalkStep.PRUNE, WalkStep.COLLAPSE, WalkStep.REPLACE, WalkStep.SHORTEN)


@dataclass(frozen=True, slots=True)
class Walk:
    """The parts of one walk over a tree."""

    steps: tuple[WalkStep, ...] = PRUNING
    agenda: Agenda = field(default_factory=BreadthFirst)
    coarse: bool = False
    minimize: ListMinimizer = ddmin
    prepare: tuple[Preparation, ...] = tuple(Preparation)
    compatibility: Compatibility = Compatibility.SLOT


def hdd(walk: Walk, slots: Slots) -> Reducer:
    """Return the reducer that walks a tree once."""

    def run(tree: Tree, done: Done) -> Stream | None:
        phi = Replacements(tree, slots)
        prepared = squeeze(tree, phi) if Preparation.SQUEEZE in walk.prepare else tree
        if Preparation.FLATTEN in walk.prepare:
            prepared = unroll(flatten(prepared, slots))
        chains = first_links(prepared) if WalkStep.COLLAPSE in walk.steps else frozenset()
        return HddPass(walk, _ByReplacements(walk, slots, phi, chains), done).next(
            walk.agenda, prepared
        )

    return run


class Treatment(Protocol):
    """What the steps of a walk do to nodes."""

    #: Whether hoisting begins with the first node again after a success.
    restart: ClassVar[bool]

    def counts(self, step: WalkStep, tree: Tree, place: Place) -> bool:
        """Whether a step can change a node."""

    def remove(self, step: WalkStep) -> Remove[Place]:
        """Return how a step removes nodes."""

    def hoisted(self, tree: Tree, place: Place) -> Iterator[Tree]:
        """Yield χ of a node: the trees in which a compatible descendant replaces it."""


@dataclass(frozen=True, slots=True)
class HddPass:
    """One walk under way. Its methods hand the tree on from stream to stream."""

    walk: Walk
    treatment: Treatment
    done: Done

    def next(self, agenda: Agenda, tree: Tree) -> Stream | None:
        """Go on with the next group of the agenda that a step can change."""
        while (found := agenda.next(tree)) is not None:
            group, agenda = found
            stream = self.steps(self.walk.steps, group, agenda, tree)
            if stream is not None:
                return stream
        return self.done(tree)

    def steps(
        self, steps: Sequence[WalkStep], group: Group, agenda: Agenda, tree: Tree
    ) -> Stream | None:
        """Return the stream of the first step that has something to do, and of all that follow."""
        places: tuple[Place, ...] = ()
        while steps and not places:
            step, *steps = steps
            places = tuple(filter(partial(self.treatment.counts, step, tree), group.places))
        if not places:
            return None

        def follow(after: Tree) -> Stream | None:
            return self.steps(steps, group, agenda, after) or self.next(agenda, after)

        phase = f"{step.value} in {group.words}"
        if step is WalkStep.HOIST:
            hoisted, restart = self.treatment.hoisted, self.treatment.restart
            return tmin(tree, places, hoisted, follow, phase, restart=restart)
        remove = self.treatment.remove(step)
        whole = Configuration(tree, places, remove, 0, phase, tokens_at)
        return minimize_group(self.walk.minimize, whole, follow)


@dataclass(frozen=True, slots=True)
class _ByReplacements:
    """Nodes vanish, or the least node of their slot or kind takes their place."""

    walk: Walk
    slots: Slots
    phi: Replacements
    chains: frozenset[Place]
    restart: ClassVar[bool] = False

    def counts(self, step: WalkStep, tree: Tree, place: Place) -> bool:
        """Whether a step can change a node; tokens that cannot change are hidden."""
        node = tree.at(place)
        if node is None or not node.token_count:
            return False
        hides = self.walk.coarse or Preparation.HIDE in self.walk.prepare
        if step is WalkStep.PRUNE and isinstance(node, Token) and not hides:
            return True
        if self.walk.coarse or step is WalkStep.PRUNE:
            if vanishes(tree, place):
                return True
            smaller = self.phi.of(node)
            return smaller is not None and not (self.walk.coarse and smaller.token_count)
        if step is WalkStep.REPLACE:
            return vanishes(tree, place) and self.phi.of(node) is not None
        if step is WalkStep.COLLAPSE and place not in self.chains:
            return False
        if step in (WalkStep.COLLAPSE, WalkStep.SHORTEN):
            return self.phi.of_kind(node) is not None
        return not isinstance(node, Token)

    def hoisted(self, tree: Tree, place: Place) -> Iterator[Tree]:
        """Yield χ of a node; before it, for the first link of a long chain, what is far down."""
        node = tree.at(place)
        if node is not None and not self._continues_chain(tree, place, node):
            for below in jumps(node, self.walk.compatibility.fits(self.slots, node)):
                yield tree.replace(place, below)
        yield from hoisted(self.slots, tree, place, self.walk.compatibility)

    def _continues_chain(self, tree: Tree, place: Place, node: Node) -> bool:
        """Whether a node fits the slot of the one above it, and that one is walked too."""
        above = place.parent
        while above is not None and (found := tree.at(above)) is not None:
            if found.kind not in QUANTIFIED:
                fits = self.walk.compatibility.fits(self.slots, found)
                return fits(node) and self.counts(WalkStep.HOIST, tree, above)
            above = above.parent
        return False

    def remove(self, step: WalkStep) -> Remove[Place]:
        """Return how a step removes nodes."""
        phi = self.phi
        if step is WalkStep.PRUNE:
            return lambda tree, places, _: prune(tree, places, phi)
        replacement = phi.of if step is WalkStep.REPLACE else phi.of_kind
        return lambda tree, places, _: exchange(tree, places, replacement)


def blind_hdd(minimize: ListMinimizer, slots: Slots) -> Reducer:
    """Return a walk of HDD as the Perses paper compares with: any node of the tree may go.

    It puts nothing in the place of a node, and a test sees whatever is left (sections 1 and 2
    there, Tables 1 and 3). Every node is a list of its children here.
    """
    walk = Walk((WalkStep.PRUNE,), ByLevel(), coarse=True, minimize=minimize, prepare=())
    return unparsed(on(_loose, hdd(walk, slots)))


def _loose(tree: Tree) -> Tree:
    """Return the tree with each inner node as one list of its children; lists dissolve."""

    def listed(node: Node, children: Sequence[Node]) -> Branch:
        flat = [
            below
            for child in children
            for below in (child.children if child.kind in QUANTIFIED else (child,))
            if below.token_count
        ]
        placed = [child.placed(key=key, slot="any") for key, child in enumerate(flat)]
        kind = node.kind if node.kind in QUANTIFIED and node is not tree.root else Kind.REGULAR
        if kind is not Kind.REGULAR:
            return Branch(kind, node.symbol, placed, slot=node.slot, key=node.key)
        inside = Branch(Kind.STAR, "any", placed, slot="any")
        return Branch(Kind.REGULAR, node.symbol, [inside], slot="any", key=node.key)

    return rebuilt(tree, lambda node, children, _: listed(node, children))
