"""Spans: where the nodes of a tree are in its text, and texts made by moving pieces of it.

Moving text is easier on the text than on the tree; the parser then shows what became of it. Pieces
that move to another line are indented as their new neighbours are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from marrow.tree import ROOT, SEPARATOR, Branch, Kind, Node, Place, Tree
from marrow.tree.edit import Splice
from marrow.tree.tree import apply_splices
from marrow.tree.tree_cache import kept

_LISTS: Final = frozenset({Kind.STAR, Kind.PLUS})


class NodeSpan(NamedTuple):
    """A node with tokens, its place in the tree, and where it starts and ends in the text."""

    place: Place
    node: Node
    start: int
    end: int


@kept
def spans(tree: Tree) -> list[NodeSpan]:
    """Return the spans of all nodes that have tokens, in the order of the text, parents first."""
    return list(_walk(tree))


def _walk(tree: Tree) -> Iterator[NodeSpan]:
    stack = [(ROOT, tree.root, len(tree.head))]
    while stack:
        place, node, start = stack.pop()
        if not node.token_count:
            continue
        yield NodeSpan(place, node, start, start + node.length)
        if isinstance(node, Branch):
            inside = zip(node.children, node.starts, strict=True)
            stack.extend(
                (place.child(child.key), child, start + at) for child, at in reversed(list(inside))
            )


@kept
def has_errors(tree: Tree) -> bool:
    """Return whether the parser found errors in the text of a tree."""
    return any(node.symbol == "ERROR" for _, node in tree.walk())


def moved_text(text: bytes, changes: Iterable[tuple[int, int, bytes]]) -> bytes | None:
    """Return a text with changes made, from start to end each; None if two of them overlap."""
    ordered = sorted(changes, key=lambda one: one[:2])
    if any(one[1] > two[0] for one, two in pairwise(ordered)):
        return None
    return apply_splices(text, [Splice(*one) for one in ordered])


def indentation(text: bytes, position: int) -> bytes:
    """Return the white space that the line of a position begins with."""
    line = text[text.rfind(b"\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip())]


def at_line(text: bytes, old: bytes, indent: bytes) -> bytes:
    """Return a text whose lines were indented in one way, indented in another."""
    first, *lines = text.split(b"\n")
    return b"\n".join([first, *(indent + line.removeprefix(old) for line in lines)])


def statement_of(tree: Tree, span: NodeSpan) -> NodeSpan:
    """Return the innermost statement around a node, or the node: an element of such a list."""
    for one in reversed(statements_around(tree, span)):
        return one
    return span


def statements_around(tree: Tree, span: NodeSpan) -> list[NodeSpan]:
    """Return the statements around a node, outermost first, itself included."""
    found = _statements(tree)
    return [found[place] for place in reversed(list(span.place.upwards())) if place in found]


@kept
def _statements(tree: Tree) -> dict[Place, NodeSpan]:
    """Return the elements of lists whose separators are at most line breaks and semicolons.

    Blocks, members, a whole file. The tree may have no list for a single element: what is alone in
    braces or in a block counts as well, or first on its line in the slot of a statement.
    """
    found: dict[Place, NodeSpan] = {}
    lists: set[Place | None] = set()
    alone: set[Place] = set()
    for span in spans(tree):
        node, place = span.node, span.place
        if node.kind in _LISTS and _without_commas(node):
            lists.add(place)
        full = [child for child in node.children if child.token_count]
        if len(full) == 3 and full[0].text == b"{" and full[2].text == b"}":
            alone.add(place.child(full[1].key))
        elif len(full) == 1 and (place == ROOT or node.symbol.endswith(("block", "body"))):
            alone.add(place.child(full[0].key))
        element = place.parent in lists and node.slot != SEPARATOR
        first = not tree.text[: span.start].rpartition(b"\n")[2].strip()
        single = place in alone or ("statement" in node.slot and first and node.children)
        if element or (single and node.kind not in _LISTS):
            found[place] = span
    return found


def _without_commas(node: Node) -> bool:
    return all(
        child.slot != SEPARATOR or child.text.strip() in (b"", b";") for child in node.children
    )


def bodies(tree: Tree) -> list[NodeSpan]:
    """Return the lists of several statements inside of others, in the order of the text."""
    parents = {one.place.parent for one in statements(tree)}
    found = [one for one in spans(tree) if one.place in parents and one.node.kind in _LISTS]
    return [one for one in found if len(one.node.elements) > 1]


def statements(tree: Tree) -> list[NodeSpan]:
    """Return the statements of a tree, in the order of the text, outer ones first."""
    return list(_statements(tree).values())
