"""Deep chains: brackets in brackets in brackets, thousands deep, as fuzzers make them.

The nearest compatible descendant of a node that is wrapped n times has n - 1 wrappers: peeling them
one by one takes n tests. `jumps` returns descendants further down, the deepest first, then half as
deep, a quarter, and so on. A success leaves a chain that is at most half as far from what must
stay, so peeling takes O(log² n) tests.

Pruning does not hoist, but it may put the shortest node of the same kind in the place of a whole
chain: `first_links` says where one begins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Final

from marrow.reducers.algorithms.hoist import compatible_below
from marrow.tree import QUANTIFIED, Node, Place, Tree

# A chain is long from this many links on. People do not nest as deep (chains of else-if come
# nearest), and up to seven wasted tests are few beside those that so many nodes need.
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
