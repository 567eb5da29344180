"""Coarse views: a large input is reduced in large pieces first, then in finer ones.

A reducer runs on a tree of a few pieces (see `coarse_front_end`). As long as a pass at least halves
the text, the next view has as many pieces, which are then smaller; after that it has more. A view
is left when successes become rare: what fails in large pieces may go in smaller ones. It ends when
the text is small enough to see every token, or when there is no finer view.

Guarantee: none; later stages see the whole tree. Worst case: that of the reducer on every view. The
number of views is logarithmic in the length of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from marrow.reducers.streams.stream import FewFailures, Reducer, followed, while_it_pays
from marrow.tree import Tree

#: Gives the tree of a text in about so many pieces; None if there is no such view.
See: TypeAlias = Callable[[bytes, int], Tree | None]

# How many times as many pieces the next view has if a pass removed little. Each view costs a pass
# over its pieces, most of which fail. With this factor all views together cost little more than the
# finest.
_FINER: Final = 8


# A view is left after so many failures in a row. Of a thousand pieces that go one by one in a tenth
# of all cases, a row of this length is met once.
_RARE: Final = 100


def coarsely(reducer: Reducer, see: See, pieces: int) -> Reducer:
    """Return the reducer that works on coarse views; its tree has this many `pieces`."""

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        little = 2 * len(after.text) > len(before.text)
        finer = pieces * _FINER if little else pieces
        tree = see(after.text, finer)
        return None if tree is None else (coarsely(reducer, see, finer), tree)

    return followed(while_it_pays(reducer, FewFailures(_RARE)), again)
