"""Finding the nodes of a tree, and where their text starts, by their places."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.tree.node import Branch, Node, Token
from marrow.tree.place import Place

_key = attrgetter("key")


def child_index(node: Node, key: int) -> int | None:
    """Return the position of the child with this key."""
    children = node.children
    if key < len(children) and children[key].key == key:
        return key  # no earlier sibling was deleted
    index = bisect_left(children, key, key=_key)
    if index < len(children) and children[index].key == key:
        return index
    return None


def walk_from(
    place: Place, node: Node, into: Callable[[Place, Node], bool] | None = None
) -> Iterator[tuple[Place, Node]]:
    """Walk the node at a place, and the nodes below it, parents first; `into` as in `Tree.walk`."""
    stack = [(place, node)]
    seen = 0
    while stack:
        seen += 1
        if not seen & 0xFF:
            look()
        place, node = stack.pop()
        yield place, node
        if into is None or into(place, node):
            stack.extend((place.child(child.key), child) for child in reversed(node.children))


class Found(NamedTuple):
    """A branch, and its position among its siblings."""

    node: Branch
    position: int


class Finder:
    """Finds the branches of one tree.

    It remembers what it found: candidates made from the same tree mostly change children of the
    same few nodes, and so do not pay for their depth.
    """

    def __init__(self, root: Node) -> None:
        self.root: Final = root
        self._found: Final[dict[Place, Found | None]] = {}
        self._offsets: Final[dict[Place, int]] = {}

    def branch(self, place: Place) -> Found | None:
        """Return the branch at a place; None if a token or nothing is there."""
        found = self._found
        if place in found:
            return found[place]
        known, way = place.way_from(found)
        above = None if known is None else found[known]
        for step in way:
            if step.parent is None:
                node: Node | None = self.root
                index: int | None = 0
            elif above is None:
                node = index = None
            else:
                index = child_index(above.node, step.key)
                node = None if index is None else above.node.children[index]
            above = None
            if isinstance(node, Branch) and index is not None:
                above = Found(node, index)
            found[step] = above
        return above

    def known(self, place: Place) -> Found:
        """Return the branch at a place that has one."""
        found = self.branch(place)
        assert found is not None
        return found

    def at(self, place: Place) -> Node | None:
        """Return the node at a place, or None if it was deleted."""
        if place.parent is None:
            return self.root
        above = self.branch(place.parent)
        index = None if above is None else child_index(above.node, place.key)
        return None if above is None or index is None else above.node.children[index]

    def offset(self, place: Place) -> int:
        """Return where the text of a branch starts, from the start of the root's text."""
        offsets = self._offsets
        if place in offsets:
            return offsets[place]
        path = []
        step: Place = place
        while step.parent is not None and step not in offsets:
            path.append(step)
            step = step.parent
        position = offsets.setdefault(step, 0)
        for step in reversed(path):
            assert step.parent is not None
            position += self.known(step.parent).node.starts[self.known(step).position]
            offsets[step] = position
        return position

    def token_before(self, place: Place, index: int) -> tuple[Token | None, int]:
        """Return the last token before a child, if any, and where it ends."""
        step: Place | None = place
        while step is not None:
            node, at = self.known(step)
            while index > 0:
                index -= 1
                child = node.children[index]
                if child.last is not None:
                    return child.last, self.offset(step) + node.starts[index] + child.length
            index, step = at, step.parent
        return None, 0

    def token_after(self, place: Place, index: int) -> tuple[Token | None, int]:
        """Return the first token from a child on, if there is one, and where it starts."""
        step: Place | None = place
        while step is not None:
            node, at = self.known(step)
            children = node.children
            while index < len(children):
                child = children[index]
                if child.first is not None:
                    return child.first, self.offset(step) + node.starts[index]
                index += 1
            index, step = at + 1, step.parent
        return None, self.root.length
