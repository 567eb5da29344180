"""Sweeps: try the candidates of one item after the other, once through the list.

A sweep is one round of tmin; the pipeline repeats a pass as long as it pays. Guarantee: none by
itself. Worst case: the candidates of all items, and those of an item again after each success.

Items may be of sorts. A sort of which many items failed in a row is given up: of a hundred nested
brackets that must stay, the last eighty fail as the first twenty did.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias, TypeVar

from marrow.reducers.streams.stream import Done, Stream, attempt
from marrow.tree import Tree

T = TypeVar("T")

#: The candidates that change one item of a tree, in the order to try them.
Candidates: TypeAlias = Callable[[Tree, T], Iterable[Tree]]


#: After this many failures in a row the rest of a sort is left alone. On rust-overflow, where 128
#: brackets stay, `less` takes 642 tests with 32 instead of 2,222 without. docs/lab/passes.md
#: lists the cases on which the results were compared.
GIVE_UP_AFTER: Final = 16

#: After this many, the rest is tried when nothing else is left to do.
UNLIKELY_AFTER: Final = 8


def _alone(_item: object) -> None:
    """No sorts: every item is tried."""


def _as_it_is(tree: Tree) -> Tree:
    return tree


def sweep(
    tree: Tree,
    items: Sequence[T],
    candidates: Candidates[T],
    done: Done,
    phase: str,
    *,
    accepted: Callable[[Tree], Tree] = _as_it_is,
    sort: Callable[[T], Hashable] = _alone,
    unparsed: bool = False,
    unlikely: bool = False,
    most: int | None = None,
) -> Stream:
    """Try the candidates of every item; after a success, those of the same item again.

    `accepted` returns the tree to continue with, if that is not the candidate itself.
    `unparsed` candidates are tested even if the parser rejects them, `unlikely` ones late. Of an
    item that has more than `most` the rest is left alone if those fail.
    """

    def run(tree: Tree, position: int, failed: Mapping[Hashable, int]) -> Stream:
        """Try the items from a position on; `failed` counts failures in a row by sorts."""
        failures = dict(failed)
        for index in range(position, len(items)):
            item = items[index]
            kind = sort(item)
            before = failures.get(kind, 0)
            if before >= GIVE_UP_AFTER:
                continue
            tried = False
            late = unlikely or before >= UNLIKELY_AFTER
            for candidate in islice(candidates(tree, item), most):
                tried = True
                one = attempt(candidate, phase, again, candidate, index, {**failures, kind: 0})
                yield replace(one, unparsed=unparsed, unlikely=late)
            if tried and kind is not None:
                failures[kind] = before + 1
        return done(tree)

    def again(candidate: Tree, index: int, failed: Mapping[Hashable, int]) -> Stream:
        return run(accepted(candidate), index, failed)

    return run(tree, 0, {})
