"""Once more from the start: with `--effort max`, when nothing else is left to do.

A reduction takes the first step that works, and each step rules others out. So the tree that it
began with is reduced a second time, with the passes in another order and lists from their other
ends. That is one long detour: its steps are not committed until they are smaller than the best so
far. Verdicts that are known are not asked for again.

Guarantee: the result is never larger. Worst case: the tests of a whole reduction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from marrow.reducers.streams.stream import Attempt, Attempts, Done, End, Reducer, Stream, lifted
from marrow.tree import Tree
from marrow.tree.order import Order

# Larger trees would take too long a second time.
_LARGEST: Final = 20_000


def with_restart(first: Reducer, second: Reducer, smaller: Order) -> Reducer:
    """Run a reducer; then another one on the same tree, as long as that may end smaller."""

    def run(tree: Tree, done: Done) -> Stream | None:
        def ended(best: Tree) -> Stream | None:
            if best.text == tree.text or tree.token_count > _LARGEST:
                return done(best)
            return on_the_way(second(tree, End), tree, best, smaller, done)

        return first(tree, ended)

    return run


def on_the_way(stream: Stream | None, tree: Tree, best: Tree, smaller: Order, done: Done) -> Stream:
    """Yield the attempts of a reduction whose tree is larger than the best so far."""
    for one in Attempts(stream):
        # Nobody else looks whether a step on a detour makes its tree smaller.
        if one.detour or one.tree.text == best.text or not smaller(one.tree, tree):
            continue
        yield _step(one, best, smaller, done)
    return done(best)


def _step(one: Attempt, best: Tree, smaller: Order, done: Done) -> Attempt:
    phase, tree = f"starting over: {one.phase}", one.tree
    follow: Callable[[Stream | None], Stream]
    if smaller(tree, best):
        tree = tree.framed(tree.root, tree.head, tree.tail)  # made from `best`, for the engine

        def follow(rest: Stream | None) -> Stream:
            return lifted(rest, lambda same: same, done)
    else:

        def follow(rest: Stream | None) -> Stream:
            return on_the_way(rest, tree, best, smaller, done)

    def skipped(_: Stream | None) -> Stream | None:
        return done(best)

    there = replace(one, tree=tree, phase=phase, detour=tree is one.tree, left_out=())
    return there.mapped(follow, skipped)
