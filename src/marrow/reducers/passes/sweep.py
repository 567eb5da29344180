"""Sweeps: try the candidates of one item after the other, once through the list.

What tmin does, but for one round only: the pipeline repeats a pass as long as it pays. Guarantee:
none by itself. Worst case: the candidates of all items, and those of an item again for each of its
successes.

Where items are of sorts, a sort of which many failed in a row is given up: of a hundred brackets
inside each other that have to stay, the last eighty fail as the first twenty did.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final, TypeAlias, TypeVar

from marrow.reducers.stream import Attempt, Done, Stream
from marrow.tree import Tree

T = TypeVar("T")

#: The candidates that change one item of a tree, in the order to try them.
Candidates: TypeAlias = Callable[[Tree, T], Iterable[Tree]]


#: How many items of a sort fail in a row until the rest of them are left alone. On rust-overflow,
#: where 128 brackets stay, `less` takes 642 tests instead of 2,222. Which cases were asked whether
#: their results stay the same: docs/notes/passes.md.
PATIENCE: Final = 32

_NONE: Final[Mapping[Hashable, int]] = MappingProxyType({})


def _alone(_item: object) -> None:
    """All items are of a sort of their own."""


def sweep(
    tree: Tree,
    items: Sequence[T],
    candidates: Candidates[T],
    done: Done,
    phase: str,
    position: int = 0,
    accepted: Callable[[Tree], Tree] | None = None,
    sort: Callable[[T], Hashable] = _alone,
    failed: Mapping[Hashable, int] = _NONE,
) -> Stream:
    """Try the candidates of every item from `position` on; after a success, the same item again.

    `accepted` returns the tree to go on with, where that is not the candidate as it was made.
    `failed` says how many items of each `sort` failed since the last success of one.
    """

    def follow(candidate: Tree, index: int, left: Mapping[Hashable, int]) -> Stream:
        tree = candidate if accepted is None else accepted(candidate)
        return sweep(tree, items, candidates, done, phase, index, accepted, sort, left)

    failures = dict(failed)
    for index in range(position, len(items)):
        kind = sort(items[index])
        before = failures.get(kind, 0)
        if before >= PATIENCE:
            continue
        tried = False
        for candidate in candidates(tree, items[index]):
            tried = True
            left = {**failures, kind: 0}
            yield Attempt(candidate, partial(follow, candidate, index, left), phase)
        if tried and kind is not None:
            failures[kind] = before + 1
    return done(tree)
