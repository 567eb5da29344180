"""Facts about a tree are computed once and kept with the tree, for the trees used last.

A pass asks about its tree again and again, and look-ahead does so for several trees by turns. Facts
die with their tree. A fact must not refer to its tree, only to nodes and places: otherwise both
would have to wait for the garbage collector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar, cast
from weakref import ReferenceType, ref

from marrow.tree.tree import Tree

T = TypeVar("T")

#: Facts about trees with more tokens take much memory. Those of the last two are kept.
LARGE: Final = 10_000

# Of 8, 16 and 32 trees, 16 are as good as 32 with 64 workers.
_SMALL_TREES: Final[deque[ReferenceType[Tree]]] = deque(maxlen=16)
_LARGE_TREES: Final[deque[ReferenceType[Tree]]] = deque(maxlen=2)


def kept(find: Callable[[Tree], T]) -> Callable[[Tree], T]:
    """Keep the result of a function of a tree with the tree."""

    @wraps(find)
    def known(tree: Tree) -> T:
        facts = tree.facts
        if find not in facts:
            if not facts:
                _make_room(tree)
            facts[find] = find(tree)
        return cast(T, facts[find])

    return known


def _make_room(tree: Tree) -> None:
    """Drop the facts of the tree that has had them longest."""
    trees = _LARGE_TREES if tree.token_count > LARGE else _SMALL_TREES
    if len(trees) == trees.maxlen:
        oldest = trees[0]()
        if oldest is not None:
            oldest.facts.clear()
    trees.append(ref(tree))
