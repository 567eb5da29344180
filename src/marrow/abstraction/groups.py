"""Context-sensitive parts: nodes that may be any text as long as it is the same one (Algorithm 3).

Nodes of the same nonterminal and text are varied as one. The paper's listing returns false at the
end of a successful check, an obvious slip; here a check that succeeds makes a group. Unlike in the
paper a group needs samples that failed, and tokens that have only one text form none. A node in
which something varies already is in no group.

Then each node of a group is varied apart from the others. If a valid input passes, it has to be the
same; if all fail, it is free and leaves the group; if no valid input is found, that is not known,
and the pattern says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from marrow.abstraction.abstraction import (
    PATIENCE,
    QUICK,
    Board,
    Search,
    explained,
    found,
    shown_mark,
)
from marrow.abstraction.checks import Demand
from marrow.abstraction.pattern import VARIABLE, Evidence, Hole, Mark, Marked
from marrow.tree import Node, Place, Token
from marrow.tree.node import render

#: How many invalid samples are borne, beyond the valid ones, to see whether a node may differ from
#: its group: what is declared once and used elsewhere never may.
_PATIENCE_APART: Final = 4


class Context(Search):
    """Looks for groups of nodes that vary together."""

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._tried: Final[dict[tuple[Place, ...], Evidence | None]] = {}
        self._apart: Final[dict[tuple[Place, ...], dict[Place, bytes | None]]] = {}

    def renamed(self) -> set[Place]:
        """Return the tokens that can be renamed together with all others of the same text."""
        self._checker.judge.phase("renaming equal tokens together")
        found: set[Place] = set()
        similar = self._similar(tokens=True)
        for number, (symbol, places) in enumerate(similar):
            self._checker.judge.advance(number, len(similar))
            if self._varies(symbol, places) is not None:
                found.update(places)
        return found

    def ban(self, places: tuple[Place, ...]) -> None:
        """Never again make a group of these nodes: they cannot vary when everything does."""
        self._tried[places] = None

    def group(self) -> None:
        """Mark groups among the concrete nodes, larger nodes first."""
        self._checker.judge.phase("grouping what must be the same")
        taken: set[Place] = set()
        similar = self._similar(tokens=False)
        for number, (symbol, places) in enumerate(similar):
            self._checker.judge.advance(number, len(similar))
            left = tuple(place for place in places if not _below(place, taken))
            evidence = self._varies(symbol, left) if len(left) > 1 else None
            if evidence is None:
                continue
            taken.update(left)
            members, apart = self._members(symbol, left)
            if len(members) < 2:
                continue
            if members != left and (evidence := self._varies(symbol, members)) is None:
                continue
            self._board.group(members, evidence, symbol)
            for place in members:
                marked = self._board.marks[place]
                seen = apart[place]
                self._board.marks[place] = replace(marked, apart=seen, doubtful=seen is None)

    def _members(
        self, symbol: str, places: tuple[Place, ...]
    ) -> tuple[tuple[Place, ...], dict[Place, bytes | None]]:
        """Return the nodes that stay in a group, each with an input that passed without it.

        Those that turn out to be free are marked so.
        """
        members = places
        known: dict[Place, bytes | None] = {}
        for place in places:
            rest = tuple(one for one in members if one != place)
            if not rest:
                break
            key = (place, *rest)
            if key in self._apart:
                known[place] = self._apart[key][place]
                continue
            others = [Hole(rest, symbol, Marked(Mark.ABSTRACT, symbol))]
            label = f"apart/{place}/{len(members)}"
            samples = self._sampler.samples(
                self._board.tree, (place,), label, others, key=symbol, other_names=len(members) > 2
            )
            finding = self._checker.check(samples, Demand(QUICK, _PATIENCE_APART))
            known[place] = None if finding.passing is None else finding.passing.text
            if not finding.holds:
                self._apart[key] = {place: known[place]}
                continue
            members = rest
            node = self._board.node(place)
            name = self._visibility.name(self._board.tree, place)
            self._board.mark([place], found(shown_mark(node), name, explained(finding), key=symbol))
        return members, known

    def _varies(self, symbol: str, places: tuple[Place, ...]) -> Evidence | None:
        """Return the evidence that nodes can vary together, or None if they cannot."""
        if places not in self._tried:
            label = "group/" + "/".join(map(str, places))
            samples = self._sampler.samples(self._board.tree, places, label, key=symbol)
            finding = self._checker.check(samples, Demand(QUICK, PATIENCE))
            self._tried[places] = explained(finding) if finding.holds else None
        return self._tried[places]

    def _similar(self, *, tokens: bool) -> list[tuple[str, tuple[Place, ...]]]:
        """Return places of concrete nodes of the same nonterminal and text, larger ones first."""
        found: dict[tuple[str, bytes], list[Place]] = {}
        varying = (place for hole in self._board.holes() for place in hole.places)
        mixed = {step for place in varying for step in place.upwards()}
        for place, node in concrete_nodes(self._board):
            if place in mixed or self._visibility.lexical(node):
                continue
            if tokens and not (isinstance(node, Token) or self._visibility.atomic(node)):
                continue
            text = render((node,))
            if not text.strip() or not self._sampler.material.can_draw(self._board.tree, place):
                continue
            same = found.setdefault((self._sampler.material.kin(node), text), [])
            if not _below(place, same[-1:]):
                same.append(place)
        several = [(key, places) for key, places in found.items() if len(places) > 1]
        # Stable: of nodes with the same text, those further up come first.
        several.sort(key=lambda one: -len(one[0][1]))
        return [(symbol, tuple(places)) for (symbol, _), places in several]


def concrete_nodes(board: Board) -> Iterator[tuple[Place, Node]]:
    """Walk the nodes that do not vary but might, parents first."""
    visibility = board.visibility

    def might_vary(place: Place, node: Node) -> bool:
        marked = board.marks.get(place)
        varies = marked is not None and marked.mark in VARIABLE
        return not varies and not visibility.left_alone(node)

    def into(place: Place, node: Node) -> bool:
        return might_vary(place, node) and not visibility.atomic(node)

    return (pair for pair in board.tree.walk(into=into) if might_vary(*pair))


def _below(place: Place, others: set[Place] | list[Place]) -> bool:
    """Whether a place is at or below one of some others."""
    return any(step in others for step in place.upwards())
