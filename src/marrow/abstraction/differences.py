"""Parts that must differ: where an input passes once a part has the text of another one.

Two equal patterns are one for grep, two equal keys are one key: what fails with two different texts
passes with the same one twice. Such a part varies all the same, as long as it is not what stands in
the other place of the same input.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from marrow.abstraction.pattern import Hole
from marrow.tree import ROOT, Node, Place, Tree
from marrow.tree.node import render

#: How many other parts one part may have to differ from: what needs more is needed as it is.
MOST_TWINS: Final = 2


def spelled(node: Node) -> bytes:
    """Return the text of a node without white space."""
    return b"".join(render((node,)).split())


def twin_of(
    before: Tree, after: Tree, places: Sequence[Place], holes: Collection[Place]
) -> Place | None:
    """Return another place with the text that filled some places, in the tree after that.

    It is the outermost one, not below any of `holes`, whose text was another one before.
    """
    filled, old = after.at(places[0]), before.at(places[0])
    assert filled is not None
    assert old is not None
    text = spelled(filled)
    above = {step for place in places for step in place.upwards()}
    stack: list[tuple[Place, Node]] = [(ROOT, after.root)] if text else []
    while stack:
        place, node = stack.pop()
        if place in places or node.token_count < filled.token_count:
            continue
        same = node.token_count == filled.token_count and spelled(node) == text
        if same and place not in above:
            other = before.at(place)
            if other is not None and spelled(other) != spelled(old):
                return place
        elif place not in holes:
            stack.extend((place.child(child.key), child) for child in reversed(node.children))
    return None


def unlike(holes: Iterable[Hole]) -> list[tuple[Place, Place]]:
    """Return the pairs of places that must differ."""
    return [(hole.places[0], other) for hole in holes for other in hole.marked.differs]


def differ(tree: Tree, pairs: Iterable[tuple[Place, Place]]) -> bool:
    """Whether all places that must differ do."""
    for one, other in pairs:
        first, second = tree.at(one), tree.at(other)
        if first is not None and second is not None and spelled(first) == spelled(second):
            return False
    return True
