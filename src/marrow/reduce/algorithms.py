"""The algorithms by name: a table of parts, so that a new one is a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.ddmin import Configuration, ddmin
from marrow.reduce.hdd import hdd
from marrow.reduce.perses import perses
from marrow.reduce.slots import Slots
from marrow.reduce.variants import VARIANTS, Hoisting, Variant, variant_of
from marrow.tree import ROOT, Place, Tree, deletable

DEFAULT_ALGORITHM: Final = "perses*"

#: Turns what a front end knows about slots into the reducers to run one after the other.
Stages: TypeAlias = Callable[[Slots], list[Reducer]]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """A named algorithm. `view` is the front end it needs, if not that of the language."""

    name: str
    stages: Stages
    description: str
    guarantee: str
    fixpoint: bool = True
    view: str = ""

    def reducer(self, slots: Slots, parse: Callable[[bytes], Tree]) -> Reducer:
        """Return the whole algorithm as one reducer; each stage sees the text parsed anew."""
        whole: Reducer | None = None
        for stage in self.stages(slots):
            one = fixpoint(stage, parse) if self.fixpoint else stage
            whole = one if whole is None else in_turn(whole, parse_again(one, parse))
        assert whole is not None
        return whole


def fixpoint(reducer: Reducer, parse: Callable[[bytes], Tree]) -> Reducer:
    """Repeat a reducer until a whole pass finds nothing; each pass sees the text parsed anew."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return reducer(tree, partial(again, tree, done))

    def again(before: Tree, done: Done, after: Tree) -> Stream | None:
        if after.text == before.text:
            return done(after)
        return run(parse(after.text), done)

    return run


def in_turn(first: Reducer, second: Reducer) -> Reducer:
    """Run one reducer after the other."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return first(tree, lambda between: second(between, done))

    return run


def parse_again(reducer: Reducer, parse: Callable[[bytes], Tree]) -> Reducer:
    """Run a reducer on the text parsed anew."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return reducer(parse(tree.text), done)

    return run


def flat_ddmin(tree: Tree, done: Done) -> Stream | None:
    """Run ddmin on the children of the root alone."""
    places = tuple(ROOT.child(child.key) for child in deletable(tree.root))

    def follow(result: Configuration[Place]) -> Stream | None:
        return done(result.tree)

    return ddmin(Configuration(tree, places, Tree.delete, 0, "deleting lines"), follow)


def algorithm_of(name: str, hoisting: Hoisting | None = None, *, once: bool = False) -> Algorithm:
    """Return the algorithm of a name; raise LookupError if there is none.

    `hoisting` and `once` change what the name of a variant of HDD says.
    """
    base = name.removesuffix("*")
    repeated = not once
    variant = variant_of(name)
    if variant is not None:
        changed = Variant(
            variant.recursive,
            variant.coarse,
            variant.hoisting if hoisting is None else hoisting,
            fixpoint=variant.fixpoint and not once,
        )
        return _hdd(changed)
    if hoisting is not None:
        raise LookupError(f"hoisting is a part of the HDD family, not of {name}")
    found = next((one for one in ALGORITHMS if one.name.removesuffix("*") == base), None)
    if found is None:
        raise LookupError(f"there is no algorithm called {name!r}")
    if not name.endswith("*"):
        repeated = False
    if repeated:
        return found
    return Algorithm(
        base, found.stages, f"{found.description}, one pass", _ONE_PASS, False, found.view
    )


_ONE_PASS: Final = "none: one pass; the name with a star (*) is repeated to a fixpoint"
_TREE_MINIMAL: Final = "1-tree-minimal: no single list element or optional part can be deleted"


def _hdd(variant: Variant) -> Algorithm:
    guarantee = _ONE_PASS
    if variant.fixpoint:
        guarantee = (
            _TREE_MINIMAL if variant.coarse else "1-tree-minimal: no single node can be pruned"
        )
    order = "siblings at a time" if variant.recursive else "level by level"
    coarse = ", only what may vanish" if variant.coarse else ""
    hoist = "" if variant.hoisting is Hoisting.NONE else f", hoisting {variant.hoisting.value}"
    return Algorithm(
        variant.name,
        lambda slots: [hdd(walk, slots) for walk in variant.walks()],
        f"hierarchical delta debugging, {order}{coarse}{hoist}",
        guarantee,
        variant.fixpoint,
    )


ALGORITHMS: Final = (
    Algorithm(
        "perses*",
        lambda slots: [perses(slots)],
        "largest nodes first, lists minimised, nodes replaced by compatible descendants",
        _TREE_MINIMAL,
    ),
    *map(_hdd, VARIANTS),
    Algorithm(
        "ddmin*",
        lambda _: [flat_ddmin],
        "delta debugging on lines, whatever the language",
        "1-minimal: no single line can be deleted",
        view="lines",
    ),
)
