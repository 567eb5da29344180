"""Which trees that were drawn are used: those that say something, under names of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from marrow.abstraction.renaming import name_of, names_in
from marrow.abstraction.samples import BARREN_DRAWS, Fill
from marrow.tree import Node
from marrow.tree.node import render

#: How often another tree is drawn for a name that is taken, or for a text that is known to make
#: inputs invalid; then it is used all the same.
REDRAWN: Final = 8


def apart(one: Node, other: Node) -> bool:
    """Whether two trees for different places are not the same, nor a name one that is in both."""
    if render((one,)) == render((other,)):
        return False
    return not (name_of(one) & names_in(other) or name_of(other) & names_in(one))


def leaving_out(fills: Iterator[Fill], unwanted: Callable[[Node], bool]) -> Iterator[Fill]:
    """Leave out trees that would show nothing; end if there seem to be no others."""
    left_out = 0
    for one in fills:
        if not unwanted(one.node):
            left_out = 0
            yield one
        elif (left_out := left_out + 1) > BARREN_DRAWS:
            return


def with_other_names(fills: Iterator[Fill], taken: frozenset[bytes]) -> Iterator[Fill]:
    """Leave out names that are taken, unless there seem to be no others."""
    left_out = 0
    for one in fills:
        if left_out < REDRAWN and taken & name_of(one.node):
            left_out += 1
        else:
            left_out = 0
            yield one
