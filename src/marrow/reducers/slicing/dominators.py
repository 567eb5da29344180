"""Graph algorithms: which nodes the roots reach, and which nodes every path to another one crosses.

The dominator tree is that of Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from marrow.base.deadline import look

#: For each node, its successors.
Edges: TypeAlias = Sequence[Sequence[int]]


def reversed_edges(edges: Edges) -> list[list[int]]:
    """Return the predecessors of each node."""
    found: list[list[int]] = [[] for _ in edges]
    for node, others in enumerate(edges):
        for one in others:
            found[one].append(node)
    return found


class Reachability:
    """The nodes that some roots reach without passing through deleted nodes.

    Reached nodes form a breadth-first tree, in which the parent of a node is the one it was first
    reached from. Deleting nodes can only cut off what is below them in this tree, and of that
    everything with a path from elsewhere remains. So `lost` costs about as much as the subtrees
    below the deleted nodes, not a walk through the graph.
    """

    def __init__(
        self, edges: Edges, predecessors: Edges, roots: Iterable[int], deleted: Container[int] = ()
    ) -> None:
        self._edges: Final = edges
        self._predecessors: Final = predecessors
        #: Whether each node is reached.
        self.reached: Final = bytearray(len(edges))
        self._below: Final[dict[int, list[int]]] = {}
        level = [one for one in dict.fromkeys(roots) if one not in deleted]
        for one in level:
            self.reached[one] = True
        while level:
            level = self._next_level(level, deleted)

    def _next_level(self, level: Iterable[int], deleted: Container[int]) -> list[int]:
        """Return the nodes that a level is the first to reach: the tree is as flat as possible."""
        found: list[int] = []
        for node in level:
            start = len(found)
            for one in self._edges[node]:
                if not self.reached[one] and one not in deleted:
                    self.reached[one] = True
                    found.append(one)
            if len(found) > start:
                self._below[node] = found[start:]
        return found

    def lost(self, away: Collection[int]) -> set[int]:
        """Return the nodes that are no longer reached without some others, these excluded."""
        doubtful: set[int] = set()
        pending = [one for one in away if one in self._below]
        while pending:
            for one in self._below.get(pending.pop(), ()):
                if one not in doubtful and one not in away:
                    doubtful.add(one)
                    pending.append(one)
        reached, predecessors = self.reached, self._predecessors
        found = [
            one
            for one in doubtful
            if any(
                reached[other] and other not in doubtful and other not in away
                for other in predecessors[one]
            )
        ]
        doubtful.difference_update(found)
        while found:
            for one in self._edges[found.pop()]:
                if one in doubtful:
                    doubtful.remove(one)
                    found.append(one)
        return doubtful


def dominated(top: int, successors: Callable[[int], Sequence[int]]) -> dict[int, list[int]]:
    """Return the nodes that each node dominates immediately, of all that `top` reaches."""
    order = _postorder(top, successors)
    found: dict[int, list[int]] = defaultdict(list)
    for index, above in _dominators(top, order, successors).items():
        if index != top:
            found[above].append(index)
    return found


def _postorder(top: int, successors: Callable[[int], Sequence[int]]) -> list[int]:
    order: list[int] = []
    seen = {top}
    stack: list[tuple[int, Iterator[int]]] = [(top, iter(successors(top)))]
    while stack:
        index, others = stack[-1]
        for one in others:
            if one not in seen:
                seen.add(one)
                stack.append((one, iter(successors(one))))
                break
        else:
            order.append(index)
            stack.pop()
    return order


def _dominators(
    top: int, order: Sequence[int], successors: Callable[[int], Sequence[int]]
) -> dict[int, int]:
    number = {index: at for at, index in enumerate(order)}
    before: dict[int, list[int]] = defaultdict(list)
    for index in order:
        for one in successors(index):
            before[one].append(index)
    found = {top: top}
    changed = True
    while changed:
        look()
        changed = False
        for index in reversed(order[:-1]):
            new = -1
            for one in before[index]:
                if one in found:
                    new = one if new < 0 else _intersect(found, number, one, new)
            if found.get(index) != new:
                found[index] = new
                changed = True
    return found


def _intersect(found: dict[int, int], number: dict[int, int], one: int, other: int) -> int:
    """Return the nearest node that dominates both."""
    while one != other:
        while number[one] < number[other]:
            one = found[one]
        while number[other] < number[one]:
            other = found[other]
    return one
