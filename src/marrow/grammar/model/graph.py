"""Graphs: strongly connected components, without recursion."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

_Node = TypeVar("_Node", bound=Hashable)


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
