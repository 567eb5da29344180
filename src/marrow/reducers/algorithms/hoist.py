"""Hoisting: put a compatible descendant in the place of a node.

χ of Figure 6 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta Debugging":
the nearest compatible nodes below a node, one on every path. Those further away are tried first.

Deep nesting, brackets in brackets thousands deep as fuzzers make them, would take a test for each
level. `jumps` returns descendants further down, the deepest first, then half as deep, a quarter,
and so on. A success leaves a chain that is at most half as far from what must stay, so peeling
takes O(log² n) tests. Pruning does not hoist, but it may put the shortest node of the same kind in
the place of a whole chain: `first_links` says where one begins.
"""

from __future__ import annotations

import enum
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Final

from marrow.base.deadline import look
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.tree import QUANTIFIED, SEPARATOR, Node, Place, Tree
from marrow.tree.order import node_size


class Hoisting(enum.Enum):
    """When a variant hoists."""

    NONE = "none"
    BEFORE = "before"
    INTERLACED = "interlaced"
    BOTH = "both"

    @property
    def before(self) -> bool:
        """Whether there is a walk of hoisting alone first."""
        return self in (Hoisting.BEFORE, Hoisting.BOTH)

    @property
    def interlaced(self) -> bool:
        """Whether nodes are hoisted right after they were pruned."""
        return self in (Hoisting.INTERLACED, Hoisting.BOTH)


def compatible_below(
    node: Node,
    compatible: Callable[[Node], bool],
    bound: int | None = None,
    *,
    every: bool = False,
) -> list[tuple[int, Node]]:
    """Return the first compatible node on each path down from a node, with its distance.

    Breadth first, at most `bound` steps down (BoundedBFS of Perses); a step into or out of a list
    or an optional counts only if `every` node does.
    """

    def step(node: Node) -> int:
        return 0 if node.kind in QUANTIFIED and not every else 1

    look()
    found = []
    queue = deque((step(child), child) for child in node.children)
    while queue:
        distance, child = queue.popleft()
        if child.slot == SEPARATOR or not child.token_count:
            continue
        if compatible(child):
            found.append((distance, child))
        elif bound is None or distance < bound:
            queue.extend((distance + step(below), below) for below in child.children)
    return found


class Compatibility(enum.Enum):
    """Which nodes below a node may replace it."""

    #: Those that its slot accepts.
    SLOT = "slot"
    #: Those of the same rule, as in the paper's experiments.
    LABEL = "label"

    def fits(self, slots: Slots, node: Node) -> Callable[[Node], bool]:
        """Return the predicate that says whether another node may replace `node`."""
        if self is Compatibility.SLOT:
            return lambda below: slots.accepts(node.slot, below)
        return lambda below: below.symbol == node.symbol and below.kind is node.kind


def hoisted(
    slots: Slots, tree: Tree, place: Place, compatibility: Compatibility = Compatibility.SLOT
) -> Iterator[Tree]:
    """Yield the trees in which a compatible descendant replaces a node: τ = χ."""
    node = tree.at(place)
    if node is None or node.slot == SEPARATOR:
        return
    found = compatible_below(node, compatibility.fits(slots, node))
    for _, below in sorted(found, key=lambda pair: -pair[0]):
        if node_size(below) < node_size(node):
            yield tree.replace(place, below)


# A chain is long from this many links on. People do not nest as deep (chains of else-if come
# nearest), and up to seven wasted tests are few compared to what the nodes need.
LONG: Final = 64


def jumps(node: Node, fits: Callable[[Node], bool], bound: int | None = None) -> list[Node]:
    """Return descendants far down the chain that a node is the first link of, if it is long."""
    links: list[Node] = []
    link: Node | None = node
    while link is not None:
        below = [one for _, one in compatible_below(link, fits, bound)]
        link = max(below, key=lambda one: one.token_count, default=None)
        if link is not None:
            links.append(link)
    if len(links) < LONG:
        return []
    found: list[Node] = []
    depth = len(links)
    # The first link is one of the candidates of every node.
    while depth > 1:
        found.append(links[depth - 1])
        depth //= 2
    return found


def first_links(tree: Tree) -> frozenset[Place]:
    """Return the places of the outermost nodes with a long chain of nodes of their kind below."""
    found: set[Place] = set()
    # The symbols on the way from the root to a node, and for each of them the places of its nodes.
    way: list[str] = []
    links: dict[str, list[Place]] = defaultdict(list)
    for place, node in tree.walk():
        while len(way) > place.depth:
            links[way.pop()].pop()
        way.append(node.symbol)
        links[node.symbol].append(place)
        if len(links[node.symbol]) == LONG and node.kind not in QUANTIFIED:
            found.add(links[node.symbol][0])
    return frozenset(found)
