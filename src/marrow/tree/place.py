"""Places: where a node is in a tree, in a way that outlives edits elsewhere in the tree.

A node object cannot name a place (it may be in several trees, and twice in one), and a path of
child positions changes when a neighbour is deleted. A place is a path of child *keys*: they are
given out in the order of the text when the input is parsed, stay with a child when its neighbours
go, and pass on to the node that replaces it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Final


class Place:
    """A node's place: the place of its parent, and its key among the parent's children."""

    __slots__ = ("_hash", "depth", "key", "parent")

    def __init__(self, parent: Place | None, key: int) -> None:
        self.parent: Final = parent
        self.key: Final = key
        self.depth: Final[int] = 0 if parent is None else parent.depth + 1
        self._hash: Final[int] = hash((key, 0 if parent is None else parent._hash))

    def child(self, key: int) -> Place:
        """Return the place of the child with this key."""
        return Place(self, key)

    def path(self) -> list[int]:
        """Return the keys on the way from the root, the root's own left out."""
        keys = []
        place: Place = self
        while place.parent is not None:
            keys.append(place.key)
            place = place.parent
        keys.reverse()
        return keys

    def upwards(self) -> Iterator[Place]:
        """Yield this place and those above it, up to the root."""
        step: Place | None = self
        while step is not None:
            yield step
            step = step.parent

    def way_from(self, known: Container[Place]) -> tuple[Place | None, list[Place]]:
        """Return the nearest place at or above this one that is known, and the way down from it.

        None, with the whole way from the root, if none of them is known.
        """
        way = []
        step: Place | None = self
        while step is not None and step not in known:
            way.append(step)
            step = step.parent
        way.reverse()
        return step, way

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Place):
            return NotImplemented
        a: Place | None = self
        b: Place | None = other
        if self._hash != other._hash or self.depth != other.depth:
            return False
        while a is not b:
            if a is None or b is None or a.key != b.key:
                return False
            a, b = a.parent, b.parent
        return True

    def __repr__(self) -> str:
        return f"Place({'/'.join(map(str, self.path()))})"


#: The place of every tree's root.
ROOT: Final = Place(None, 0)
