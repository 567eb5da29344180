"""Graphs of rules: components, cycles, and recursion at the ends of rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

_Node = TypeVar("_Node", bound=Hashable)
Symbol = TypeVar("Symbol", bound=Hashable)


def strongly_connected(graph: Mapping[_Node, Iterable[_Node]]) -> list[tuple[_Node, ...]]:
    """Return the strongly connected components of a graph (Tarjan), successors first.

    The members of a component have the graph's own order.
    """
    rank = {name: position for position, name in enumerate(graph)}
    index: dict[_Node, int] = {}
    low: dict[_Node, int] = {}
    open_nodes: list[_Node] = []
    is_open: set[_Node] = set()
    found: list[tuple[_Node, ...]] = []
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter(graph[root]))]
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in graph:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    open_nodes.append(successor)
                    is_open.add(successor)
                    work.append((successor, iter(graph[successor])))
                    break
                if successor in is_open:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    members = [open_nodes.pop()]
                    while members[-1] != node:
                        members.append(open_nodes.pop())
                    is_open.difference_update(members)
                    found.append(tuple(sorted(members, key=rank.__getitem__)))
    return found


def cycles(graph: Mapping[_Node, Iterable[_Node]]) -> list[tuple[_Node, ...]]:
    """Return the components of a graph whose members lead to themselves."""
    found = strongly_connected(graph)
    return [one for one in found if len(one) > 1 or one[0] in graph[one[0]]]


def closed(graph: Mapping[_Node, Iterable[_Node]], sets: dict[_Node, int]) -> dict[_Node, int]:
    """Add to the set of each node, the bits of a number, those of the nodes that it leads to."""
    for component in strongly_connected(graph):
        mask = 0
        for node in component:
            mask |= sets.get(node, 0)
            for other in graph[node]:
                mask |= sets.get(other, 0)
        sets.update(dict.fromkeys(component, mask))
    return sets


@dataclass(frozen=True, slots=True)
class Recursion(Generic[Symbol]):
    """The alternatives of a rule `N`, by how they are recursive at their ends.

    Each is listed by its place in the rule, without the `N` at its ends: what is between in
    `N op N` (`binary`), what follows in `N a` (`suffix`), what precedes in `a N` (`prefix`);
    `primary` has the others as they are. `idle` says that `N` alone is an alternative. Perses
    Normal Form and the parser, which find lists by it, each have their own symbols.
    """

    binary: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    suffix: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    prefix: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    primary: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    idle: bool = False


def recursion(alternatives: Sequence[tuple[Symbol, ...]], this: Symbol) -> Recursion[Symbol]:
    """Sort the alternatives of the rule `this` by how they are recursive."""
    found: Recursion[Symbol] = Recursion(idle=(this,) in alternatives)
    for place, items in enumerate(alternatives):
        if items == (this,):
            continue
        left, right = items[:1] == (this,), items[-1:] == (this,)
        if left and right:
            found.binary[place] = items[1:-1]
        elif left:
            found.suffix[place] = items[1:]
        elif right:
            found.prefix[place] = items[:-1]
        else:
            found.primary[place] = items
    return found
