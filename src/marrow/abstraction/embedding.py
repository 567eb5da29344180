"""Instances of a pattern in the tree of a text: the whole, or anywhere in it, lists with gaps.

Tokens have to be the same, parts that vary have to be of their kinds, in order, with their groups
and conditions; a list that is open may have further elements in between. Inside of larger inputs
the core of a pattern (`contexts`) is compared with every node of its kind. Ordered tree inclusion
with bindings is a search: it is given up after `_MOST` steps for a text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from marrow.abstraction.conditions import OneOf, holding
from marrow.abstraction.fragments import text_before
from marrow.abstraction.hole_rules import doubtful_places, spelled, unfit
from marrow.abstraction.parser_language import ParserLanguage
from marrow.abstraction.pattern import VARIABLE, Hole, Pattern, hole_text
from marrow.grammar.model.parse_error import line_and_column
from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Node, Place, Token, Tree
from marrow.tree.node import render

#: How many pairs of nodes are compared for a text: a second or so.
_MOST: Final = 200_000

#: Why a text with the form of a pattern does not match, and what is not known of one that does.
DIFFER: Final = "it has the form, but parts that must be the same differ"
DOUBT: Final = "parts that were the same in all valid inputs so far differ here"

#: What the holes of a pattern hold, by their places in it.
_Bound: TypeAlias = Mapping[Place, Node]


@dataclass(frozen=True, slots=True)
class PatternMatch:
    """The answer: `parts` has the text of each hole if it is yes, `reason` why not.

    A `PatternMatch` is true if the text belongs to the pattern. `doubt` says what is not known of
    one that does: whether parts that were always the same have to be.
    `inside` says where the text has an instance of the pattern, if it has more as well.
    """

    parts: tuple[tuple[Hole, str], ...] = ()
    reason: str = ""
    doubt: str = ""
    inside: str = ""

    def __bool__(self) -> bool:
        return not self.reason


class _Goal(NamedTuple):
    """Parts of the pattern that have to be found, in order, among nodes from `start` on.

    With `loose` there may be others after them, before them if it `skips`, and in between with
    `gaps`; `rest` is what has to be found afterwards.
    """

    wanted: tuple[tuple[Place, Node], ...]
    nodes: tuple[Node, ...]
    rest: _Goal | None = None
    loose: bool = False
    skips: bool = False
    gaps: bool = False


class Embedding:
    """Looks for instances of one pattern."""

    def __init__(self, pattern: Pattern) -> None:
        self._pattern: Final = pattern
        self._holes: Final = {place: hole for hole in pattern.holes() for place in hole.places}
        self._doubtful: Final = doubtful_places(pattern)
        self._steps = 0
        self._furthest: Place = ROOT
        #: The holes that need not have the text of their group, and whether lists have no gaps and
        #: conditions are left to the caller.
        self._apart: Collection[Place] = ()
        self._exact = False

    def whole(self, text: bytes) -> PatternMatch:
        """Say whether the tree of a text is that of the pattern, conditions aside."""
        tree = self._pattern.language.parse(text)
        root, self._furthest, self._exact = self._pattern.tree.root, ROOT, True
        for apart, doubt in ((frozenset[Place](), ""), (self._doubtful, DOUBT)):
            if (bound := self._first(ROOT, root, tree.root, apart)) is not None:
                return PatternMatch(self._parts(bound), doubt=doubt)
        if self._first(ROOT, root, tree.root, self._holes) is not None:
            return PatternMatch(reason=DIFFER)
        node = self._pattern.tree.at(self._furthest)
        if (hole := self._holes.get(self._furthest)) is not None:
            return PatternMatch(reason=f"no further than to {hole_text(hole.marked)}")
        assert node is not None
        shown = render((node,)).decode("utf-8", "backslashreplace").strip()
        return PatternMatch(reason=f"no further than to {shown!r}")

    def find(self, text: bytes) -> PatternMatch | None:
        """Return the first instance in a text, which is read by the pattern's language."""
        pattern, core = self._pattern, self._pattern.core
        tree = pattern.language.parse(text)
        starts = [(ROOT, tree.root)] if core is None else list(tree.walk())
        wanted = pattern.tree.root if core is None else pattern.tree.at(core)
        assert wanted is not None
        self._steps, self._apart, self._exact = _MOST, (), False
        for place, node in starts:
            for bound in self._instances(core or ROOT, wanted, node):
                if (found := self._answer(bound, tree, place)) is not None:
                    return found
        return None

    def _first(
        self, place: Place, wanted: Node, node: Node, apart: Collection[Place]
    ) -> _Bound | None:
        """Return what holes hold in the first instance, if there is one."""
        self._steps, self._apart = _MOST, apart
        return next(self._instances(place, wanted, node), None)

    def _parts(self, bound: _Bound) -> tuple[tuple[Hole, str], ...]:
        """Return the holes with their texts."""
        found: dict[int, tuple[Hole, str]] = {}
        for place, node in bound.items():
            hole = self._holes[place]
            found.setdefault(id(hole), (hole, render((node,)).decode("utf-8", "surrogateescape")))
        return tuple(found.values())

    def _answer(self, bound: _Bound, tree: Tree, start: Place) -> PatternMatch | None:
        """Return the answer for what holes hold, if it is as it has to be together."""
        for place, node in bound.items():
            hole, name = self._holes[place], render((node,)).strip()
            if hole.new_name and sum(one.text == name for one in tree.tokens()) > len(hole.places):
                return None
        found = self._parts(bound)
        if unfit(self._pattern, found):
            return None
        decoded = tree.text.decode("utf-8", "surrogateescape")
        line, column = line_and_column(decoded, len(text_before(tree, start)))
        return PatternMatch(found, inside=f"line {line}, column {column}")

    def _instances(self, place: Place, wanted: Node, node: Node) -> Iterator[_Bound]:
        """Yield what holes hold if a node is an instance of a place of the pattern."""
        first = _Goal(((place, wanted),), (node,))
        waiting: list[tuple[_Goal | None, _Bound]] = [(first, {})]
        while waiting and self._steps > 0:
            self._steps -= 1
            goal, bound = waiting.pop()
            if goal is None:
                yield bound
                continue
            if not goal.wanted:
                if goal.loose or not goal.nodes:
                    waiting.append((goal.rest, bound))
                continue
            spare = len(goal.nodes) - len(goal.wanted)
            if spare < 0 or (spare and not goal.loose):
                continue
            for at in range(spare if goal.skips else 0, -1, -1):
                left = goal.nodes[at + 1 :]
                rest = goal._replace(wanted=goal.wanted[1:], nodes=left, skips=goal.gaps)
                waiting += self._one(*goal.wanted[0], goal.nodes[at], rest, bound)

    def _one(
        self, place: Place, wanted: Node, node: Node, rest: _Goal, bound: _Bound
    ) -> Iterator[tuple[_Goal, _Bound]]:
        """Yield what has to be found after one node was compared; nothing if it does not fit."""
        self._furthest = max(self._furthest, place, key=Place.path)
        if self._pattern.mark_at(place) in VARIABLE:
            if self._fills(place, wanted, node, bound):
                yield rest, {**bound, place: node}
        elif isinstance(wanted, Token):
            if isinstance(node, Token) and node.text == wanted.text:
                yield rest, bound
        elif node.symbol == wanted.symbol and node.kind == wanted.kind:
            marked = self._pattern.marks.get(place)
            is_open = marked is not None and marked.open > 0 and not self._exact
            loose = is_open and node.kind in QUANTIFIED
            gaps = loose and marked is not None and marked.gaps
            inner = tuple(
                (place.child(one.key), one)
                for one in wanted.children
                if not (loose and one.slot == SEPARATOR)
            )
            nodes = tuple(node.elements if loose else node.children)
            yield _Goal(inner, nodes, rest, loose, loose, gaps), bound

    def _fills(self, place: Place, wanted: Node, node: Node, bound: _Bound) -> bool:
        """Whether a node may be in a hole: its kind, its conditions, and its group's text."""
        hole = self._holes[place]
        if not self._of_kind(hole, wanted, node):
            return False
        if not self._exact and not holding(hole.marked.conditions, node):
            return False
        same = () if place in self._apart else [one for one in hole.places if one in bound]
        return all(spelled(bound[one]) == spelled(node) for one in same if one not in self._apart)

    def _of_kind(self, hole: Hole, wanted: Node, node: Node) -> bool:
        """Whether a node is of the kind of a hole."""
        if node.symbol == wanted.symbol and node.kind == wanted.kind:
            return True
        few = [one for one in hole.marked.conditions if isinstance(one, OneOf) and not one.negated]
        if few:
            return holding(few, node)  # each sign is a kind of its own
        language = self._pattern.language
        if not isinstance(language, ParserLanguage) or hole.symbol != language.key(wanted):
            return False
        return node.slot == wanted.slot or language.front.accepts(wanted.slot, node)
