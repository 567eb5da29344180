"""Agendas: the order in which hierarchical delta debugging looks at the nodes of a tree.

An agenda is immutable. Asked for the next group of nodes, it returns the group and the agenda that
follows. Groups are taken from the tree as it is at that time.

`Heap` is the agenda of Perses and Pardis: an immutable priority queue. A stream continues as if
every attempt failed, while the stream that follows a success still needs the queue as it was. It is
a pairing heap (Fredman, Sedgewick, Sleator, Tarjan 1986) of immutable nodes: push in constant time,
pop in logarithmic time on average.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Kind, Place, Tree
from marrow.tree.node_words import node_words


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes to look at together, with words for the user."""

    places: tuple[Place, ...]
    words: str


def units(tree: Tree, place: Place) -> tuple[Place, ...]:
    """Return the places of the nodes below a node that count as its children.

    Lists and optionals are looked through: their elements count as children of the node,
    as they do in the text. (A list in a list is an element like any other.)
    """
    node = tree.at(place)
    if node is None:
        return ()
    found: list[Place] = []
    for child in node.children:
        if child.slot == SEPARATOR or not child.token_count:
            continue
        inside = place.child(child.key)
        if child.kind not in QUANTIFIED or node.kind in QUANTIFIED:
            found.append(inside)
        else:
            found.extend(
                inside.child(element.key) for element in child.elements if element.token_count
            )
    return tuple(found)


#: Returns the places of the nodes below a node that count as its children.
Units: TypeAlias = Callable[[Tree, Place], tuple[Place, ...]]


class Agenda(Protocol):
    """The nodes that are left to look at."""

    def next(self, tree: Tree) -> tuple[Group, Agenda] | None:
        """Return the next group and the agenda after it, or None at the end."""


@dataclass(frozen=True, slots=True)
class ByLevel:
    """All nodes of a level together (HDD)."""

    level: tuple[Place, ...] = (ROOT,)
    depth: int = 0
    units: Units = units

    def next(self, tree: Tree) -> tuple[Group, Agenda] | None:
        """Return the level below."""
        below = tuple(child for place in self.level for child in self.units(tree, place))
        if not below:
            return None
        return Group(below, f"level {self.depth + 1}"), ByLevel(below, self.depth + 1, self.units)


@dataclass(frozen=True, slots=True)
class BreadthFirst:
    """The children of one node together (HDDr), from the root down, level by level."""

    level: tuple[Place, ...] = (ROOT,)
    index: int = 0
    backwards: bool = False
    units: Units = units

    def next(self, tree: Tree) -> tuple[Group, Agenda] | None:
        """Return the children of the next node of the level, or go to the level below."""
        level, index = self.level, self.index
        while level:
            for at in range(index, len(level)):
                below = self.units(tree, level[at])
                if below:
                    group = Group(below, words(tree, level[at]))
                    return group, BreadthFirst(level, at + 1, self.backwards, self.units)
            below_all = [
                child
                for place in level
                for child in _ordered(self.units(tree, place), self.backwards)
            ]
            level, index = tuple(below_all), 0
        return None


@dataclass(frozen=True, slots=True)
class DepthFirst:
    """The children of one node together (HDDr), each node's before those of its next sibling."""

    #: The places to visit, a chain of (first, rest).
    stack: _Chain | None = (ROOT, None)
    backwards: bool = False
    units: Units = units

    def next(self, tree: Tree) -> tuple[Group, Agenda] | None:
        """Return the children of the next node, which come next themselves."""
        stack = self.stack
        while stack is not None:
            place, stack = stack
            below = self.units(tree, place)
            if below:
                for child in _ordered(below, not self.backwards):
                    stack = (child, stack)
                group = Group(below, words(tree, place))
                return group, DepthFirst(stack, self.backwards, self.units)
        return None


_Chain = tuple[Place, "_Chain | None"]


class Traversal(enum.Enum):
    """The orders in which HDDr visits nodes."""

    BREADTH = "breadth"
    BREADTH_BACKWARD = "breadth-backward"
    DEPTH = "depth"
    DEPTH_BACKWARD = "depth-backward"

    def agenda(self, children: Units = units) -> Agenda:
        """Return the agenda that begins at the root."""
        backwards = self in (Traversal.BREADTH_BACKWARD, Traversal.DEPTH_BACKWARD)
        if self in (Traversal.BREADTH, Traversal.BREADTH_BACKWARD):
            return BreadthFirst(backwards=backwards, units=children)
        return DepthFirst(backwards=backwards, units=children)


def _ordered(places: Sequence[Place], backwards: bool) -> Iterator[Place]:
    return reversed(places) if backwards else iter(places)


def words(tree: Tree, place: Place) -> str:
    """Return a node's type in words for the user."""
    node = tree.at(place)
    return "a part" if node is None else node_words(node.symbol)


def deleting(tree: Tree, place: Place) -> str:
    """Return the phase that deletes elements of a list, or an optional part."""
    node = tree.at(place)
    optional = node is not None and node.kind is Kind.OPTIONAL
    return f"deleting {'' if optional else 'in '}{words(tree, place)}"


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Node(Generic[T]):
    key: tuple[int, ...]
    value: T
    below: tuple[_Node[T], ...] = ()


@dataclass(frozen=True, slots=True)
class Heap(Generic[T]):
    """A queue of values by key, smallest key first; values with equal keys in order of arrival."""

    _top: _Node[T] | None = None
    _arrivals: int = 0

    def __bool__(self) -> bool:
        return self._top is not None

    def push(self, items: Iterable[tuple[int, T]]) -> Heap[T]:
        """Return the heap with more values, each with its key."""
        top, arrivals = self._top, self._arrivals
        for key, value in items:
            node = _Node((key, arrivals), value)
            top = node if top is None else _linked(top, node)
            arrivals += 1
        return Heap(top, arrivals)

    def pop(self) -> tuple[T, Heap[T]]:
        """Return the value with the smallest key, and the heap without it."""
        if self._top is None:
            raise IndexError("pop from an empty heap")
        return self._top.value, Heap(_merged(self._top.below), self._arrivals)


def _linked(one: _Node[T], two: _Node[T]) -> _Node[T]:
    first, second = (one, two) if one.key <= two.key else (two, one)
    return _Node(first.key, first.value, (*first.below, second))


def _merged(nodes: tuple[_Node[T], ...]) -> _Node[T] | None:
    """Merge in pairs from the left, then the pairs from the right: what makes pops cheap."""
    pairs = [
        _linked(nodes[index], nodes[index + 1]) if index + 1 < len(nodes) else nodes[index]
        for index in range(0, len(nodes), 2)
    ]
    top: _Node[T] | None = None
    for node in reversed(pairs):
        top = node if top is None else _linked(top, node)
    return top
