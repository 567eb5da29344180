"""Reach: what the roots of a graph lead to, and what they no longer lead to without some nodes.

Every node that is reached hangs in a tree below the one that it was first reached from. Without
some nodes only what hangs below them can be lost; of that, all is still reached that something else
leads to. So the question costs about as much as what hangs there, not a walk through the graph.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Sequence
from typing import Final, TypeAlias

#: For each node, other nodes.
Edges: TypeAlias = Sequence[Sequence[int]]


def reversed_edges(following: Edges) -> list[list[int]]:
    """Return, for each node, those that lead to it."""
    found: list[list[int]] = [[] for _ in following]
    for node, others in enumerate(following):
        for one in others:
            found[one].append(node)
    return found


class Reach:
    """What some roots reach without what is gone."""

    def __init__(
        self, following: Edges, preceding: Edges, roots: Iterable[int], gone: Container[int] = ()
    ) -> None:
        """`preceding` are the edges the other way round."""
        self._following: Final = following
        self._preceding: Final = preceding
        #: Whether each node is reached.
        self.reached: Final = bytearray(len(following))
        self._below: Final[dict[int, list[int]]] = {}
        level = [one for one in dict.fromkeys(roots) if one not in gone]
        for one in level:
            self.reached[one] = True
        while level:
            level = self._next_level(level, gone)

    def _next_level(self, level: Iterable[int], gone: Container[int]) -> list[int]:
        """Return what some nodes are the first to lead to.

        Level by level, so that the tree is flat, and little hangs below most nodes.
        """
        found: list[int] = []
        for node in level:
            start = len(found)
            for one in self._following[node]:
                if not self.reached[one] and one not in gone:
                    self.reached[one] = True
                    found.append(one)
            if len(found) > start:
                self._below[node] = found[start:]
        return found

    def lost(self, away: Collection[int]) -> set[int]:
        """Return what is no longer reached without some nodes, these apart."""
        doubtful: set[int] = set()
        pending = [one for one in away if one in self._below]
        while pending:
            for one in self._below.get(pending.pop(), ()):
                if one not in doubtful and one not in away:
                    doubtful.add(one)
                    pending.append(one)
        reached, preceding = self.reached, self._preceding
        found = [
            one
            for one in doubtful
            if any(
                reached[other] and other not in doubtful and other not in away
                for other in preceding[one]
            )
        ]
        doubtful.difference_update(found)
        while found:
            for one in self._following[found.pop()]:
                if one in doubtful:
                    doubtful.remove(one)
                    found.append(one)
        return doubtful
