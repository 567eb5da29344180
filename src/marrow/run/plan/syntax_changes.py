"""Changes between two texts of a language, along the nodes of their syntax trees.

The trees are compared from the root down. What lies under nodes that match is compared in turn, as
deep as a limit allows: so changes are whole declarations first, then whole statements, then
expressions, as in hierarchical delta debugging. Every byte belongs to a change or is the same in
both: the space before a node is part of the list that contains the node.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import tree_sitter

from marrow.languages.recognition import is_binary, language_of
from marrow.syntax.parsers import load_language, parse_text

# Longer lists are not compared element by element: difflib is quadratic.
_MOST_ELEMENTS: Final = 4_000


_HEAD: Final = re.compile(rb"[^({\[;=]{1,60}")


class NodeChange(NamedTuple):
    """Bytes of the old text, from `at` on, that others take the place of."""

    at: int
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True)
class _Element:
    """A child of a node, with the space before it; the space at the end has no node."""

    node: tree_sitter.Node | None
    start: int
    end: int
    text: bytes

    @property
    def head(self) -> bytes:
        """The beginning up to a bracket: a declaration with its name, a call with its function."""
        found = _HEAD.match(self.text[self.inside - self.start :])
        return found[0] if found is not None else b""

    @property
    def label(self) -> str:
        return "" if self.node is None else self.node.type

    @property
    def inside(self) -> int:
        """Where the node itself begins."""
        return self.end if self.node is None else self.node.start_byte


class _Pair(NamedTuple):
    """Two nodes that match."""

    old: tree_sitter.Node
    new: tree_sitter.Node
    depth: int


def parsed(name: str, text: bytes, language: str | None = None) -> tree_sitter.Tree | None:
    """Return the tree of a text, if there is a parser for it."""
    known = language or (None if is_binary(text) else language_of(name, text))
    if known is None:
        return None
    try:
        return parse_text(tree_sitter.Parser(load_language(known)), text)
    except LookupError:
        return None


@lru_cache(maxsize=64)
def has_error(name: str, text: bytes, language: str | None) -> bool:
    """Whether there is a parser for a text, and it finds an error; known for the last texts."""
    tree = parsed(name, text, language)
    return tree is not None and tree.root_node.has_error


def node_changes(
    old: bytes, new: bytes, trees: tuple[tree_sitter.Tree, tree_sitter.Tree], depth: int
) -> tuple[list[NodeChange], bool]:
    """Return the changes down to a depth in the order of the text; whether there are finer ones."""
    found: list[NodeChange] = []
    finer = False
    work: list[_Pair | NodeChange] = [_Pair(trees[0].root_node, trees[1].root_node, 0)]
    # A root begins after the space at the start of the text, and ends before that at its end.
    top = work[0]
    assert isinstance(top, _Pair)
    before = NodeChange(0, old[: top.old.start_byte], new[: top.new.start_byte])
    after = NodeChange(top.old.end_byte, old[top.old.end_byte :], new[top.new.end_byte :])
    work = [after, top, before]
    while work:
        one = work.pop()
        if isinstance(one, NodeChange):
            if one.old != one.new:
                found.append(one)
            continue
        ours, theirs = (
            old[one.old.start_byte : one.old.end_byte],
            new[one.new.start_byte : one.new.end_byte],
        )
        if ours == theirs:
            continue
        whole = NodeChange(one.old.start_byte, ours, theirs)
        if not (one.old.child_count and one.new.child_count):
            work.append(whole)
        elif one.depth >= depth:
            finer = True
            work.append(whole)
        else:
            work += reversed(list(_inside(one, old, new)))
    return found, finer


def _inside(pair: _Pair, old: bytes, new: bytes) -> Iterator[_Pair | NodeChange]:
    """Yield the changes in the children of two nodes: pairs to look into, and the rest."""
    at = pair.old.start_byte
    for gone, come in _aligned(_elements(pair.old, old), _elements(pair.new, new)):
        if len(gone) == len(come) == 1 and gone[0].label == come[0].label:
            [one], [other] = gone, come
            yield NodeChange(
                one.start, old[one.start : one.inside], new[other.start : other.inside]
            )
            if one.node is not None and other.node is not None:
                yield _Pair(one.node, other.node, pair.depth + 1)
        elif gone and come:
            yield NodeChange(
                gone[0].start,
                old[gone[0].start : gone[-1].end],
                new[come[0].start : come[-1].end],
            )
        else:
            # Each element that came or went is a change of its own.
            for one in gone:
                yield NodeChange(one.start, old[one.start : one.end], b"")
            for one in come:
                yield NodeChange(at, b"", new[one.start : one.end])
        at = gone[-1].end if gone else at


def _aligned(
    ours: list[_Element], theirs: list[_Element]
) -> Iterator[tuple[list[_Element], list[_Element]]]:
    """Yield both lists in order, in pairs that belong together and runs without a partner.

    The same text belongs together; else what begins alike, as a function with its name; else
    what is of the same kind.
    """
    work = [(ours, theirs, 0)]
    while work:
        some, others, way = work.pop()
        if way == len(_WAYS) or not (some and others):
            yield some, others
            continue
        key = _WAYS[way]
        parts: list[tuple[list[_Element], list[_Element], int]] = []
        done, taken = 0, 0
        end = (len(some), len(some), len(others), len(others))
        keys = [key(one) for one in some], [key(one) for one in others]
        for first, last, start, stop in [*_differences(*keys), end]:
            pairs = zip(some[done:first], others[taken:start], strict=True)
            parts += (([one], [other], len(_WAYS)) for one, other in pairs)
            if last > first or stop > start:
                parts.append((some[first:last], others[start:stop], way + 1))
            done, taken = last, stop
        work += reversed(parts)


#: How elements are matched, the surest way first.
_WAYS: Final[tuple[Callable[[_Element], Hashable], ...]] = (
    lambda one: one.text,
    lambda one: (one.label, one.head),
    lambda one: one.label,
)


def _elements(node: tree_sitter.Node, text: bytes) -> list[_Element]:
    found = []
    at = node.start_byte
    for child in node.children:
        if child.end_byte > at:  # an element that a parser has made up has no text
            found.append(_Element(child, at, child.end_byte, text[at : child.end_byte]))
            at = child.end_byte
    if at < node.end_byte:
        found.append(_Element(None, at, node.end_byte, text[at : node.end_byte]))
    return found


def _differences(
    ours: Sequence[Hashable], theirs: Sequence[Hashable]
) -> list[tuple[int, int, int, int]]:
    """Return the runs that differ, as places in both lists."""
    start = 0
    while start < min(len(ours), len(theirs)) and ours[start] == theirs[start]:
        start += 1
    same = 0
    while (
        same < min(len(ours), len(theirs)) - start
        and ours[len(ours) - 1 - same] == theirs[len(theirs) - 1 - same]
    ):
        same += 1
    one, other = ours[start : len(ours) - same], theirs[start : len(theirs) - same]
    if not one and not other:
        return []
    if len(one) + len(other) > _MOST_ELEMENTS:
        return [(start, start + len(one), start, start + len(other))]
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return [
        (start + first, start + last, start + from_, start + to)
        for kind, first, last, from_, to in matcher.get_opcodes()
        if kind != "equal"
    ]
