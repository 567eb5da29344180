"""The compact form of a pattern: `((<expr>))`, `<$Id1> <op> <$Id1>`.

Nodes that vary are shown by their names, invisible and lexical ones by the text they have in the
input. The layout is the input's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from marrow.abstraction.pattern import Mark, Marked, Pattern
from marrow.tree import ROOT, Node, Place, Token
from marrow.tree.layout import joint
from marrow.tree.node import render


class Segment(NamedTuple):
    """A piece of the compact form, and what it stands for."""

    text: str
    mark: Mark
    place: Place | None = None


def segments(pattern: Pattern, start: Place = ROOT) -> Iterator[Segment]:
    """Yield the compact form of what stands in a place piece by piece; gaps are concrete."""
    tree = pattern.tree
    top = tree.at(start)
    assert top is not None
    if start == ROOT:
        yield Segment(_decoded(tree.head), Mark.CONCRETE)
    last: Token | None = None
    stack: list[tuple[Place, Node]] = [(start, top)]
    while stack:
        place, node = stack.pop()
        mark = pattern.mark_at(place)
        shown = mark in (Mark.ABSTRACT, Mark.CONTEXT_SENSITIVE)
        whole = shown or mark is Mark.INVISIBLE or isinstance(node, Token)
        if not whole:
            stack.extend((place.child(child.key), child) for child in reversed(node.children))
            continue
        first = node.first
        if first is not None and last is not None:
            yield Segment(_decoded(joint(last, first)), Mark.CONCRETE)
        if shown:
            yield Segment(hole_text(pattern.marks[place]), mark, place)
        else:
            yield Segment(_decoded(render((node,))), mark)
        last = node.last or last
    if start == ROOT:
        yield Segment(_decoded(tree.tail), Mark.CONCRETE)


def compact(pattern: Pattern, start: Place = ROOT) -> str:
    """Return the compact form, or that of what stands in a place."""
    return "".join(segment.text for segment in segments(pattern, start))


def hole_text(marked: Marked) -> str:
    """Return what stands for a part that varies."""
    return f"<${marked.name}{marked.group}>" if marked.group else f"<{marked.name}>"


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")
