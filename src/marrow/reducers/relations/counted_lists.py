"""Lists in a parsed text whose length is said elsewhere: `"length": 3`, `int a[3] = {1, 2, 3}`.

A number outside a list that equals its length, or how many of its elements begin alike, goes down
with what is deleted. The relation has to earn trust: unless half of the elements, or the other
half, can go with the number, it is left alone, so one that is there by chance costs two tests. One
that works is minimised as any list is. Guarantee: none by itself. Worst case: two tests for each
of at most four relations, and that of ddmin for those that work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.reducers.algorithms.ddmin import Configuration, ddmin
from marrow.reducers.relations.schema import plain_number, written
from marrow.reducers.streams.stream import Done, Stream
from marrow.tree import (
    QUANTIFIED,
    ChangeText,
    Delete,
    Edit,
    EditError,
    Kind,
    Node,
    Place,
    Token,
    Tree,
)

# Shorter lists are left to plain deletion: small numbers equal many things by chance.
_SHORTEST: Final = 5
_MOST: Final = 4


@dataclass(frozen=True, slots=True)
class _Relation:
    """The elements of a list, and the number of them elsewhere."""

    number: Place
    elements: tuple[Place, ...]
    #: The tree may have the first element before the list of the others.
    first: int = 0


def counted_lists(tree: Tree, done: Done) -> Stream:
    """Reduce lists whose length is said elsewhere, with the number that says it."""
    return _following(tuple(_found(tree)), done, tree)


def _following(relations: tuple[_Relation, ...], done: Done, tree: Tree) -> Stream:
    """Delete either half of each list; if one can go, minimise the list."""
    for at, relation in enumerate(relations):
        elements = relation.elements
        if any(tree.at(one) is None for one in elements):
            continue
        every = Configuration(
            tree,
            elements,
            partial(_without, relation),
            1 - relation.first,
            "deleting elements with their count",
        )
        following = partial(_minimised, relations[at + 1 :], done)
        middle = len(elements) // 2
        first, last = elements[:middle], elements[middle:]
        for deleted, kept in ((last, first), (first, last)):
            smaller = every.without(deleted, kept)
            if smaller.tree is not tree:
                yield smaller.attempt(following)
    return done(tree)


def _minimised(
    rest: tuple[_Relation, ...], done: Done, some: Configuration[Place]
) -> Stream | None:
    return ddmin(some, lambda result: _following(rest, done, result.tree))


def _without(
    relation: _Relation, tree: Tree, deleted: Sequence[Place], kept: Sequence[Place]
) -> Tree:
    """Delete elements, and change the number; the same tree if that cannot be."""
    token = tree.at(relation.number)
    if not isinstance(token, Token):
        return tree
    edits: list[Edit] = [Delete(place) for place in deleted]
    edits.append(ChangeText(relation.number, written(len(kept) + relation.first, token.text)))
    try:
        return tree.edit(edits)
    except EditError:
        return tree


def _found(tree: Tree) -> list[_Relation]:
    """Return the relations of a tree, those of the longest lists first."""
    numbers: dict[int, list[Place]] = {}
    lists: list[tuple[Place, Node]] = []
    for place, node in tree.walk():
        if isinstance(node, Token):
            value = plain_number(node.text)
            if value is not None and value >= _SHORTEST:
                numbers.setdefault(value, []).append(place)
        elif node.kind in QUANTIFIED and node.kind is not Kind.OPTIONAL:
            lists.append((place, node))
    found = [one for place, node in lists for one in _relations(tree, place, node, numbers)]
    return sorted(found, key=lambda one: (one.first, -len(one.elements)))[:_MOST]


def _relations(
    tree: Tree, place: Place, node: Node, numbers: dict[int, list[Place]]
) -> Iterator[_Relation]:
    """Yield the numbers that equal the length of a list, or count the elements that begin alike."""
    if len(node.elements) < _SHORTEST:
        return
    heads = Counter(_head(one) for one in node.elements)
    head, often = heads.most_common(1)[0]
    above = set(place.upwards())
    around = None if place.parent is None else tree.at(place.parent)
    first = around is not None and any(one.symbol == head[0] for one in around.children)
    for count in sorted({often, len(node.elements), len(node.elements) + first}):
        chosen = [one for one in node.elements if count > often or _head(one) == head]
        places = tuple(place.child(one.key) for one in chosen)
        inside = set(places)
        outside = [at for at in numbers.get(count, ()) if inside.isdisjoint(at.upwards())]
        if outside:
            # The number that shares most of the way with the list, the last of these.
            nearest = max(reversed(outside), key=lambda one: len(above & {*one.upwards()}))
            yield _Relation(nearest, places, count - len(places))


def _head(node: Node) -> tuple[str, bytes]:
    """Return what elements begin with that are alike: a type, and two words."""
    return node.symbol, b" ".join(node.text[:40].split()[:1])
