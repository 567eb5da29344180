"""Delete comments and blank lines; no token changes.

Every gap between tokens that could be shorter is an element for ddmin. Shortened, it is a line
break and the indentation of the line, or a space. Guarantee: no single remaining gap can be
shortened in this way. Worst case: ddmin's over the gaps; nearly always one test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marrow.reducers.algorithms.ddmin import Configuration, ddmin
from marrow.reducers.streams.stream import Done, Stream
from marrow.tree import Glue, Place, Replace, Token, Tree
from marrow.tree.layout import short_gap


@dataclass(frozen=True, slots=True)
class _Gap:
    """A gap that can be shorter: before a token, or without a place, at an end of the text."""

    place: Place | None
    at_start: bool = False


def drop_layout(tree: Tree, done: Done) -> Stream | None:
    """Shorten the gaps between tokens."""
    gaps = _gaps(tree)
    if not gaps:
        return done(tree)
    configuration = Configuration(
        tree, tuple(gaps), _shorten, phase="removing comments and blank lines"
    )
    return ddmin(configuration, lambda result: done(result.tree))


def without_comments(tree: Tree) -> Tree:
    """Return the tree with all comments away, and the white space of other gaps as it is."""
    return _shorten(tree, _gaps(tree, comments=True), ())


def _gaps(tree: Tree, *, comments: bool = False) -> list[_Gap]:
    """Return the gaps that can be shorter: all of them, or those with comments."""
    gaps: list[_Gap] = []
    if tree.head and not tree.head.isspace():
        gaps.append(_Gap(None, at_start=True))
    for place, node in tree.walk():
        if isinstance(node, Token) and not node.glue & Glue.BEFORE and node.serial > 0:
            short = short_gap(node.before, node.indent)
            if len(short) < len(node.before) and not (comments and node.before.isspace()):
                gaps.append(_Gap(place))
    if len(short_gap(tree.tail, b"")) < len(tree.tail) and not (comments and tree.tail.isspace()):
        gaps.append(_Gap(None))
    return gaps


def _shorten(tree: Tree, gaps: Sequence[_Gap], _: Sequence[_Gap]) -> Tree:
    edits = []
    head, tail = tree.head, tree.tail
    for gap in gaps:
        if gap.place is None:
            if gap.at_start:
                head = b""
            else:
                tail = short_gap(tail, b"")
            continue
        token = tree.at(gap.place)
        assert isinstance(token, Token)
        short = short_gap(token.before, token.indent)
        edits.append(Replace(gap.place, token.changed(before=short)))
    edited = tree.edit(edits)
    if (head, tail) == (tree.head, tree.tail):
        return edited
    return tree.framed(edited.root, head, tail)
