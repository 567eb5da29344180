"""Agendas: the order in which hierarchical delta debugging looks at the nodes of a tree.

An agenda is immutable. Asked for the next group of nodes, it returns the group and the agenda that
follows. Groups are taken from the tree as it is at that time.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

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

    def agenda(self) -> Agenda:
        """Return the agenda that begins at the root."""
        backwards = self in (Traversal.BREADTH_BACKWARD, Traversal.DEPTH_BACKWARD)
        if self in (Traversal.BREADTH, Traversal.BREADTH_BACKWARD):
            return BreadthFirst(backwards=backwards)
        return DepthFirst(backwards=backwards)


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
