"""tmin, transformation-based minimisation: replace elements by smaller ones while that works.

Section 3.2 and Figure 5 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta
Debugging". Guarantee: 1-maximal, no single element has a candidate left that is interesting. Worst
case: (number of elements × candidates of each) tests for every replacement made.

Departure from the figure, unless `restart` is set: after a success the round continues with the
same element instead of the first one; a whole round without success ends it, so the guarantee is
the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeAlias, TypeVar

from marrow.reducers.streams.stream import Done, Stream, attempt
from marrow.tree import Tree

T = TypeVar("T")

#: τ: the trees in which one element is replaced by a candidate, in the order to try them.
Transformations: TypeAlias = Callable[[Tree, T], Iterable[Tree]]


def tmin(
    tree: Tree,
    elements: Sequence[T],
    transformations: Transformations[T],
    done: Done,
    phase: str = "",
    position: int = 0,
    *,
    restart: bool = False,
) -> Stream:
    """Transform elements, from `position` on and around, until none can be transformed.

    `restart`: after a success begin with the first one again.
    """
    count = len(elements)
    for offset in range(count):
        index = (position + offset) % count
        for candidate in transformations(tree, elements[index]):
            follow = partial(tmin, restart=restart)
            at = 0 if restart else index
            yield attempt(
                candidate, phase, follow, candidate, elements, transformations, done, phase, at
            )
    return done(tree)
