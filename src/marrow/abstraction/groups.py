"""Context-sensitive parts: nodes that may be any text as long as it is the same one (Algorithm 3).

Nodes of the same nonterminal and text are varied as one. The paper's listing returns false at the
end of a successful check, an obvious slip; here a check that succeeds makes a group. Unlike in the
paper a group needs samples that failed, and tokens that have only one text form none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.abstraction.abstraction import PATIENCE, QUICK, Board, explained
from marrow.abstraction.checks import Checker, Demand
from marrow.abstraction.pattern import VARIABLE, Evidence
from marrow.abstraction.sampling import Sampler
from marrow.abstraction.visibility import Visibility
from marrow.tree import ROOT, Node, Place, Token
from marrow.tree.node import render


class Context:
    """Looks for groups of nodes that vary together."""

    def __init__(
        self, board: Board, checker: Checker, sampler: Sampler, visibility: Visibility
    ) -> None:
        self._board: Final = board
        self._checker: Final = checker
        self._sampler: Final = sampler
        self._visibility: Final = visibility
        self._tried: Final[dict[tuple[Place, ...], Evidence | None]] = {}

    def renamed(self) -> set[Place]:
        """Return the tokens that can be renamed together with all others of the same text."""
        found: set[Place] = set()
        for symbol, places in self._similar(tokens=True):
            if self._varies(symbol, places) is not None:
                found.update(places)
        return found

    def ban(self, places: tuple[Place, ...]) -> None:
        """Never again make a group of these nodes: they cannot vary when everything does."""
        self._tried[places] = None

    def group(self) -> None:
        """Mark groups among the concrete nodes, larger nodes first."""
        taken: set[Place] = set()
        for symbol, places in self._similar(tokens=False):
            left = tuple(place for place in places if not _below(place, taken))
            if len(left) < 2:
                continue
            evidence = self._varies(symbol, left)
            if evidence is None:
                continue
            self._board.group(left, self._visibility, evidence)
            taken.update(left)

    def _varies(self, symbol: str, places: tuple[Place, ...]) -> Evidence | None:
        """Return the evidence that nodes can vary together, or None if they cannot."""
        if places not in self._tried:
            label = "group/" + "/".join(map(str, places))
            samples = self._sampler.samples(self._board.tree, places, symbol, label)
            finding = self._checker.check(samples, Demand(QUICK, PATIENCE))
            self._tried[places] = explained(finding) if finding.holds else None
        return self._tried[places]

    def _similar(self, *, tokens: bool) -> list[tuple[str, tuple[Place, ...]]]:
        """Return places of concrete nodes of the same nonterminal and text, larger ones first."""
        found: dict[tuple[str, bytes], list[Place]] = {}
        for place, node in concrete_nodes(self._board):
            if self._visibility.lexical(node) or (tokens and not isinstance(node, Token)):
                continue
            text = render((node,))
            if not text.strip() or not self._sampler.can_draw(self._board.tree, place):
                continue
            same = found.setdefault((node.symbol, text), [])
            if not _below(place, same[-1:]):
                same.append(place)
        several = [(key, places) for key, places in found.items() if len(places) > 1]
        # Stable: of nodes with the same text, those further up come first.
        several.sort(key=lambda one: -len(one[0][1]))
        return [(symbol, tuple(places)) for (symbol, _), places in several]


def concrete_nodes(board: Board) -> Iterator[tuple[Place, Node]]:
    """Walk the nodes that do not vary, parents first."""
    stack: list[tuple[Place, Node]] = [(ROOT, board.tree.root)]
    while stack:
        place, node = stack.pop()
        marked = board.marks.get(place)
        if marked is not None and marked.mark in VARIABLE:
            continue
        yield place, node
        stack.extend((place.child(child.key), child) for child in reversed(node.children))


def _below(place: Place, others: set[Place] | list[Place]) -> bool:
    """Whether a place is at or below one of some others."""
    step: Place | None = place
    while step is not None:
        if step in others:
            return True
        step = step.parent
    return False
