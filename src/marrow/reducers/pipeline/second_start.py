"""Second starts, when nothing else is left to do: from the input once more, or from its headers.

A reduction takes the first step that works, and each step rules others out. So with `--effort max`
the tree that it began with is reduced a second time, with the passes in another order and lists
from their other ends. And an `#include <stddef.h>` cannot go while something uses it, nor `NULL`
while it is a name: so a result is expanded by the preprocessor of its language, and reduced from
there.

Either is one long detour: its steps are not committed until they are smaller than the best so far.
Verdicts that are known are not asked for again. Guarantee: the result is never larger. Worst case:
the tests of a whole reduction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from marrow.reducers.streams.stream import (
    Attempt,
    Attempts,
    Done,
    End,
    Reducer,
    Stream,
    attempt,
    lifted,
)
from marrow.tree import Tree
from marrow.tree.order import Order

# Larger trees take thousands of tests a second time, mostly to end where they began.
_LARGEST: Final = 20_000


def with_restart(first: Reducer, second: Reducer, smaller: Order) -> Reducer:
    """Run a reducer; then another one on the same tree, as long as that may end smaller."""

    def run(tree: Tree, done: Done) -> Stream | None:
        def ended(best: Tree) -> Stream | None:
            if best.text == tree.text or tree.token_count > _LARGEST:
                return done(best)
            return _on_the_way(second(tree, End), tree, best, smaller, done)

        return first(tree, ended)

    return run


def with_expansion(
    first: Reducer,
    second: Reducer,
    smaller: Order,
    expanded: Callable[[bytes], bytes | None],
    parse: Callable[[bytes], Tree],
) -> Reducer:
    """Run a reducer; then another one on the expanded result, as long as that may end smaller."""

    def run(tree: Tree, done: Done) -> Stream | None:
        def ended(best: Tree) -> Stream | None:
            text = expanded(best.text)
            start = best if text is None else parse(text)
            if start.text == best.text or start.token_count > _LARGEST:
                return done(best)
            return expand(start, best)

        def expand(start: Tree, best: Tree) -> Stream:
            def follow(_: Tree) -> Stream:
                return _on_the_way(second(start, End), start, best, smaller, done)

            yield replace(attempt(start, "expanding headers", follow, start), detour=True)
            return done(best)

        return first(tree, ended)

    return run


def _on_the_way(
    stream: Stream | None, tree: Tree, best: Tree, smaller: Order, done: Done
) -> Stream:
    """Yield the attempts of a reduction whose tree is larger than the best so far."""

    def follow(rest: Stream | None, one: Attempt) -> Stream:
        if smaller(one.tree, best):
            return lifted(rest, lambda same: same, done)
        return _on_the_way(rest, one.tree, best, smaller, done)

    for one in Attempts(stream):
        # Nobody else looks whether a step on a detour makes its tree smaller.
        if one.detour or one.tree.text == best.text or not smaller(one.tree, tree):
            continue
        made = one.tree
        if ends := smaller(made, best):
            made = made.framed(made.root, made.head, made.tail)  # made from `best`, for the engine
        phase = f"starting over: {one.phase}"
        there = replace(one, tree=made, phase=phase, detour=not ends, left_out=())
        yield there.mapped(partial(follow, one=one), lambda _: done(best))
    return done(best)
