"""Facts about a tree are found once and kept with the tree, for the trees of late.

A pass asks again and again about the tree it works on, and look-ahead does so for several trees by
turns. Facts go with their tree; a tree is never kept alive for them. A fact must not hold its tree,
only nodes and places: else both would wait for the garbage collector.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import wraps
from typing import Final, TypeVar, cast
from weakref import ReferenceType, ref

from marrow.tree.tree import Tree

T = TypeVar("T")

#: Facts about trees with more tokens take much memory: those of the last two are kept.
LARGE: Final = 10_000

# Of 8, 16 and 32 trees, 16 are as good as 32 with 64 workers.
_SMALL_TREES: Final[deque[ReferenceType[Tree]]] = deque(maxlen=16)
_LARGE_TREES: Final[deque[ReferenceType[Tree]]] = deque(maxlen=2)


def kept(find: Callable[[Tree], T]) -> Callable[[Tree], T]:
    """Keep what a function finds out about a tree with the tree."""

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
    """Let the tree whose facts are the oldest forget them."""
    trees = _LARGE_TREES if tree.token_count > LARGE else _SMALL_TREES
    if len(trees) == trees.maxlen:
        oldest = trees[0]()
        if oldest is not None:
            oldest.facts.clear()
    trees.append(ref(tree))
