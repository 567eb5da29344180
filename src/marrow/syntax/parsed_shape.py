"""The shape of a parsed text: its visible nodes as a list that can be compared.

Two texts with the same tokens and the same shape differ in white space and comments alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import tree_sitter

from marrow.base.deadline import look
from marrow.syntax.tokens import is_comment


class ShapeNode(NamedTuple):
    """A visible node: its depth and its type."""

    depth: int
    symbol: str


def shape_of(
    parsed: tree_sitter.Tree, source: bytes, gone: Sequence[tuple[int, int]] = ()
) -> list[ShapeNode]:
    """List the visible nodes from left to right, parents first, without comments and blanks.

    `gone` are ranges of the source, in order, that count as blank; nodes with nothing else are left
    out. So the shape after a deletion can be compared with the expected one.
    """
    starts = [start for start, _ in gone]
    ends = [end for _, end in gone]

    def rest(start: int, end: int) -> bytes:
        """Return the rest of a leaf."""
        at = bisect_right(starts, start) - 1
        if at >= 0 and end <= ends[at]:
            return b""
        return source[start:end].strip()

    seen: list[ShapeNode] = []
    filled: list[int] = []  # how many leaves preceded each open node
    leaves = 0
    cursor = parsed.walk()
    down = True
    while True:
        look()
        node = cursor.node
        assert node is not None
        if down and not is_comment(node.type, extra=node.is_extra):
            if cursor.goto_first_child():
                filled.append(leaves)
                seen.append(ShapeNode(len(filled), node.type))
                continue
            if rest(node.start_byte, node.end_byte):
                leaves += 1
                seen.append(ShapeNode(len(filled) + 1, node.type))
        if cursor.goto_next_sibling():
            down = True
            continue
        if not cursor.goto_parent():
            return seen
        down = False
        if filled.pop() == leaves:
            while seen and seen[-1].depth > len(filled) + 1:
                seen.pop()
            seen.pop()
