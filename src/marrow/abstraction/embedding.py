"""Instances of a pattern inside of larger inputs: anywhere in the tree, lists with gaps.

The core of a pattern (`contexts`) is compared with every node of its kind. Tokens have to be the
same, parts that vary have to be of their kinds, in order, with their groups and conditions; a list
that is open may have further elements in between. Ordered tree inclusion with bindings is a search:
it is given up after `_MOST` steps for a text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from marrow.abstraction.conditions import holding
from marrow.abstraction.fragments import text_before
from marrow.abstraction.group_reading import PatternMatch
from marrow.abstraction.hole_rules import spelled, unfit
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import VARIABLE, Hole, Pattern
from marrow.grammar.model.parse_error import line_and_column
from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Node, Place, Token, Tree
from marrow.tree.node import render

#: How many pairs of nodes are compared for a text: a second or so.
_MOST: Final = 200_000

#: What the holes of a pattern hold, by their places in it.
_Bound: TypeAlias = Mapping[Place, Node]


class _TooLongError(Exception):
    """The search for an instance takes too many steps."""


class Embedding:
    """Looks for instances of one pattern's core."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern: Final = pattern
        self._holes: Final = {place: hole for hole in pattern.holes() for place in hole.places}
        self._steps = 0

    def find(self, text: bytes) -> PatternMatch | None:
        """Return the first instance in a text, which is read by the pattern's language."""
        pattern, core = self._pattern, self._pattern.core
        tree = pattern.language.parse(text)
        self._steps = _MOST
        try:
            if core is None:
                starts = [(ROOT, tree.root)]
            else:
                starts = list(tree.walk())
            wanted = pattern.tree.root if core is None else pattern.tree.at(core)
            assert wanted is not None
            for place, node in starts:
                for bound in self._match(core or ROOT, wanted, node, {}):
                    if (found := self._answer(bound, tree, place)) is not None:
                        return found
        except _TooLongError:
            return None
        return None

    def _answer(self, bound: _Bound, tree: Tree, start: Place) -> PatternMatch | None:
        """Return the answer for what holes hold, if it is as it has to be together."""
        parts: dict[int, tuple[Hole, str]] = {}
        for place, node in bound.items():
            hole = self._holes[place]
            parts.setdefault(id(hole), (hole, render((node,)).decode("utf-8", "surrogateescape")))
            name = render((node,)).strip()
            if hole.new_name and sum(one.text == name for one in tree.tokens()) > len(hole.places):
                return None
        found = tuple(parts.values())
        if unfit(self._pattern, found):
            return None
        decoded = tree.text.decode("utf-8", "surrogateescape")
        line, column = line_and_column(decoded, len(text_before(tree, start)))
        return PatternMatch(found, inside=f"line {line}, column {column}")

    def _match(self, place: Place, wanted: Node, node: Node, bound: _Bound) -> Iterator[_Bound]:
        """Yield what holes hold if a node is an instance of a place of the pattern."""
        self._steps -= 1
        if self._steps < 0:
            raise _TooLongError
        if self._pattern.mark_at(place) in VARIABLE:
            yield from self._hole(place, wanted, node, bound)
        elif isinstance(wanted, Token):
            if isinstance(node, Token) and node.text == wanted.text:
                yield bound
        elif node.symbol == wanted.symbol and node.kind == wanted.kind:
            marked = self._pattern.marks.get(place)
            loose = node.kind in QUANTIFIED and marked is not None and marked.open > 0
            inner = [
                (place.child(one.key), one)
                for one in wanted.children
                if not (loose and one.slot == SEPARATOR)
            ]
            others = node.elements if loose else node.children
            yield from self._sequence(inner, others, bound, loose=loose)

    def _sequence(
        self,
        wanted: Sequence[tuple[Place, Node]],
        nodes: Sequence[Node],
        bound: _Bound,
        *,
        loose: bool,
    ) -> Iterator[_Bound]:
        if not wanted:
            if loose or not nodes:
                yield bound
            return
        if len(nodes) < len(wanted) or (not loose and len(nodes) != len(wanted)):
            return
        place, first = wanted[0]
        last = len(nodes) - len(wanted) if loose else 0
        for at in range(last + 1):
            for found in self._match(place, first, nodes[at], bound):
                yield from self._sequence(wanted[1:], nodes[at + 1 :], found, loose=loose)

    def _hole(self, place: Place, wanted: Node, node: Node, bound: _Bound) -> Iterator[_Bound]:
        hole = self._holes[place]
        if not self._of_kind(hole, wanted, node):
            return
        known = next((bound[one] for one in hole.places if one in bound), None)
        if known is not None and spelled(known) != spelled(node):
            return
        if holding(hole.marked.conditions, node):
            yield {**bound, place: node}

    def _of_kind(self, hole: Hole, wanted: Node, node: Node) -> bool:
        """Whether a node is of the kind of a hole."""
        if node.symbol == wanted.symbol and node.kind == wanted.kind:
            return True
        language = self._pattern.language
        if not isinstance(language, ParserLanguage) or hole.marked.key:
            return False
        return node.slot == wanted.slot or language.front.accepts(wanted.slot, node)
