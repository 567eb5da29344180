"""Headers of the system where they are included, as the preprocessor of the language puts them.

An `#include <stddef.h>` cannot go while something uses it, and `NULL` not while it is a name. So a
result is expanded at the end, and reduced again from there: one long detour, as a second start is,
whose steps are not committed until they are smaller than the best so far.

Guarantee: the result is never larger. Worst case: the tests of a reduction of the expanded text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from marrow.reducers.pipeline.restart import on_the_way
from marrow.reducers.streams.stream import Done, End, Reducer, Stream, attempt
from marrow.tree import Tree
from marrow.tree.order import Order

# Larger texts take thousands of tests, to end where they began.
_LARGEST: Final = 20_000


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
            start = None if text in {None, best.text} else parse(text or b"")
            if start is None or start.token_count > _LARGEST:
                return done(best)
            return expand(start, best, done)

        return first(tree, ended)

    def expand(start: Tree, best: Tree, done: Done) -> Stream:
        def follow(_: Tree) -> Stream:
            return on_the_way(second(start, End), start, best, smaller, done)

        yield replace(attempt(start, "expanding headers", follow, start), detour=True)
        return done(best)

    return run
