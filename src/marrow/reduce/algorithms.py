"""The algorithms by name: a table of parts, so that a new one is a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.ddmin import Configuration, ddmin
from marrow.reduce.hdd import hddr, removable
from marrow.tree import ROOT, Place, Tree, size

DEFAULT_ALGORITHM: Final = "hddr*"


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A named algorithm. `view` is the front end it needs, if not that of the language."""

    name: str
    reducer: Reducer
    description: str
    guarantee: str
    view: str = ""

    @property
    def fixpoint(self) -> bool:
        """Whether it is repeated until it finds nothing more."""
        return self.name.endswith("*")


def flat_ddmin(tree: Tree, done: Done) -> Stream | None:
    """Run ddmin on the children of the root alone."""
    places, least = removable(ROOT, tree.root)

    def follow(result: Configuration[Place]) -> Stream | None:
        return done(result.tree)

    if len(places) <= least:
        return done(tree)
    return ddmin(Configuration(tree, places, Tree.delete, least, "deleting lines"), follow)


def fixpoint(reducer: Reducer, parse: Callable[[bytes], Tree]) -> Reducer:
    """Repeat a reducer until a whole pass finds nothing; each pass sees the text parsed anew."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return reducer(tree, partial(again, tree, done))

    def again(before: Tree, done: Done, after: Tree) -> Stream | None:
        if size(after) == size(before):
            return done(after)
        return run(parse(after.text), done)

    return run


def in_turn(first: Reducer, second: Reducer) -> Reducer:
    """Run one reducer after the other."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return first(tree, lambda between: second(between, done))

    return run


ALGORITHMS: Final = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "hddr*",
            hddr,
            "hierarchical delta debugging, siblings at a time, repeated to a fixpoint",
            "1-tree-minimal: no single list element or optional part can be deleted",
        ),
        Algorithm(
            "hddr",
            hddr,
            "the same, one pass from the root to the leaves",
            "none: one pass; use hddr* for a 1-tree-minimal result",
        ),
        Algorithm(
            "ddmin*",
            flat_ddmin,
            "delta debugging on lines, whatever the language, repeated to a fixpoint",
            "1-minimal: no single line can be deleted",
            view="lines",
        ),
        Algorithm(
            "ddmin",
            flat_ddmin,
            "delta debugging on lines, once",
            "1-minimal: no single line can be deleted",
            view="lines",
        ),
    )
}
