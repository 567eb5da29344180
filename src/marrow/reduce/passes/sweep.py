"""Sweeps: try the candidates of one item after the other, once through the list.

What tmin does, but for one round only: the pipeline repeats a pass as long as it pays. Guarantee:
none by itself. Worst case: the candidates of all items, and those of an item again for each of its
successes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from marrow.reduce.attempt import Attempt, Done, Stream
from marrow.tree import Tree

T = TypeVar("T")

#: The candidates that change one item of a tree, in the order to try them.
Candidates: TypeAlias = Callable[[Tree, T], Iterable[Tree]]


def sweep(
    tree: Tree,
    items: Sequence[T],
    candidates: Candidates[T],
    done: Done,
    phase: str,
    position: int = 0,
    accepted: Callable[[Tree], Tree] | None = None,
) -> Stream:
    """Try the candidates of every item from `position` on; after a success, the same item again.

    `accepted` returns the tree to go on with, where that is not the candidate as it was made.
    """

    def follow(candidate: Tree, index: int) -> Stream:
        tree = candidate if accepted is None else accepted(candidate)
        return sweep(tree, items, candidates, done, phase, index, accepted)

    for index in range(position, len(items)):
        for candidate in candidates(tree, items[index]):
            yield Attempt(candidate, partial(follow, candidate, index), phase)
    return done(tree)
