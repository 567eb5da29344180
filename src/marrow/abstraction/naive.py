"""The paper's procedure as it is printed (`--naive`), for comparison: Algorithms 2 and 3.

Each node is checked by `checks` samples that the grammar alone generates, and each abstract one
again while the others vary; a text that is drawn twice counts twice, and a time-out passes. The
paper does not say when it gives up on a node for which no valid input is found; here it is after
ten times as many unresolved samples as there are checks.
Worst case: 11 * `checks` samples for each node, each time it is looked at.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final, NamedTuple

from marrow.abstraction.abstraction import Board, explained, shown_mark
from marrow.abstraction.checks import Checker, CheckResult, Demand
from marrow.abstraction.fragments import Visible
from marrow.abstraction.groups import concrete_nodes
from marrow.abstraction.pattern import Evidence, Hole, Mark, Marked
from marrow.abstraction.sampling import Sampler
from marrow.tree import ROOT, Place, Token
from marrow.tree.node import render

# Samples that are drawn for each that must fail: invalid ones do not count.
_TRIES: Final = 10


class _Value(NamedTuple):
    """A path with its status, as in the listing: unchecked until it was abstract once."""

    place: Place
    unchecked: bool


class Naive:
    """The paper's procedure."""

    def __init__(
        self, board: Board, checker: Checker, sampler: Sampler, visibility: Visible, checks: int
    ) -> None:
        self._board: Final = board
        self._checker: Final = checker
        self._sampler: Final = sampler
        self._visibility: Final = visibility
        self._demand: Final = Demand(checks, _TRIES * checks, 0, strict=True)
        self._number = 0

    def run(self) -> None:
        """Mark the nodes of the tree."""
        self._checker.phase("abstraction and isolation, as printed")
        self._isolation()
        self._checker.phase("context-sensitive nodes, as printed")
        self._context_sensitive()

    def _isolation(self) -> None:
        unverified = deque([_Value(ROOT, unchecked=True)])
        original: list[Place] = []
        while unverified:
            value = unverified.popleft()
            not_parents = [one for one in original if not _is_below(value.place, [one])]
            top = [one for one in not_parents if not _is_below(one, not_parents)]
            rest = [one.place for one in unverified if not _is_below(one.place, top)]
            unverified.extend(self._abstraction(value, [*rest, *top]))
            original.append(value.place)

    def _abstraction(self, value: _Value, others: list[Place]) -> list[_Value]:
        """Mark the nodes at and below a place; return the abstract ones that need verifying."""
        found: list[_Value] = []
        stack = [value]
        while stack:
            place, unchecked = stack.pop()
            node = self._board.tree.at(place)
            assert node is not None
            if self._visibility.left_alone(node):
                continue
            if isinstance(node, Token) and self._visibility.lexical(node):
                continue
            if self._sampler.can_draw(self._board.tree, place):
                finding = self._check([(place,), *((one,) for one in others)])
                mark = shown_mark(node) if finding.holds else Mark.CONCRETE
                name = self._visibility.name(self._board.tree, place)
                self._board.mark([place], Marked(mark, name, evidence=explained(finding)))
                if finding.holds:
                    if unchecked:
                        found.append(_Value(place, unchecked=False))
                    continue
            if self._visibility.atomic(node):
                continue
            children = reversed(node.children)
            stack.extend(_Value(place.child(one.key), unchecked=True) for one in children)
        return found

    def _context_sensitive(self) -> None:
        similar: dict[tuple[str, bytes], list[Place]] = {}
        for place, node in concrete_nodes(self._board, self._visibility):
            text = render((node,))
            if (
                text
                and not self._visibility.lexical(node)
                and self._sampler.can_draw(self._board.tree, place)
            ):
                similar.setdefault((node.symbol, text), []).append(place)
        grouped: list[Place] = []
        for places in similar.values():
            if len(places) < 2:
                continue
            finding = self._check([tuple(places)])
            # What is below a group varies with it, and needs no mark of its own.
            new = [place for place in places if not _is_below(place, grouped)]
            if finding.holds and len(new) > 1:
                self._board.group(new, self._visibility, explained(finding), "")
                grouped += new

    def _check(self, groups: Sequence[tuple[Place, ...]]) -> CheckResult:
        """Let places vary together, each group as one."""
        self._number += 1
        holes = [
            Hole(places, node.symbol, Marked(Mark.ABSTRACT, "", evidence=Evidence()))
            for places in groups
            if (node := self._board.tree.at(places[0])) is not None
        ]
        samples = self._sampler.joint(
            self._board.tree, holes, f"naive/{self._number}", repeats=True
        )
        return self._checker.check(samples, self._demand)


def _is_below(place: Place, others: Sequence[Place]) -> bool:
    """Whether a place is below one of some others."""
    step = place.parent
    while step is not None:
        if step in others:
            return True
        step = step.parent
    return False
