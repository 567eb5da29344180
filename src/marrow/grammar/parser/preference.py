"""Which of several derivations of the same symbol and tokens is preferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from marrow.grammar.parser.bnf import ABSENT, Production

#: The production of a derivation that only hands on its child.
HANDED_ON: Final = -1

#: A derivation, or the position of a token. Typed loosely: the hot loop mixes both.
Derivation = Any


class Preference:
    """Which of two derivations of the same symbol and tokens is preferred.

    The earlier alternative; then, child by child, the one that takes more tokens; then the order
    in which choices inside the alternative were written.
    """

    def __init__(self, productions: Sequence[Production]) -> None:
        self._alternatives: Final = [one.alternative for one in productions]
        self._options: Final = [one.option for one in productions]
        self._entries: Final = [
            tuple(entry.child for entry in one.entries) or tuple(range(len(one.right)))
            for one in productions
        ]

    def prefers(self, new: Derivation, old: Derivation, end: int) -> bool:
        """Whether the new derivation, which ends where the old one does, is preferred."""
        new, old = self._inside(new), self._inside(old)
        ours, theirs = new[0], old[0]
        if self._alternatives[ours] != self._alternatives[theirs]:
            return bool(self._alternatives[ours] < self._alternatives[theirs])
        mine, others = self._ends(new, end), self._ends(old, end)
        if mine != others:
            return mine > others
        return bool(self._options[ours] < self._options[theirs])

    @staticmethod
    def _inside(derivation: Derivation) -> Derivation:
        while derivation[0] == HANDED_ON:
            derivation = derivation[2]
        return derivation

    def _ends(self, derivation: Derivation, end: int) -> list[int]:
        """Return where each child of the alternative ends, those that are absent included."""
        starts = [child if child.__class__ is int else child[1] for child in derivation[2:]]
        starts.append(end)
        ends = []
        position = derivation[1]
        for child in self._entries[derivation[0]]:
            if child != ABSENT:
                position = starts[child + 1]
            ends.append(position)
        return ends

    def put(self, holder: list[Derivation], new: Derivation, end: int) -> None:
        """Let a list become the new derivation if that is preferred and holds no cycle."""
        if self.prefers(new, holder, end) and not _reaches(new, holder):
            holder[:] = new


def _reaches(derivation: Derivation, holder: list[Derivation]) -> bool:
    """Whether a derivation hands everything down, child by child, to the one it would replace."""
    child: Derivation = derivation[2] if len(derivation) == 3 else 0
    while child.__class__ is not int:
        if child is holder:
            return True
        if len(child) != 3:
            return False
        child = child[2]
    return False
