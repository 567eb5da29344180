"""Plain productions without ε, how each becomes nodes of a tree, and which derivation is preferred.

The terminals of a scannerless grammar are classes of characters that no rule tells apart.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from marrow.grammar.model.charset import Ranges, boundaries, literal_ranges
from marrow.grammar.model.literal_tokens import set_name
from marrow.grammar.model.rules import LAST_CHARACTER, Characters
from marrow.grammar.parser.shared_expressions import Form, Part
from marrow.tree.node import Branch, Kind

#: The terminal after the last token.
END_TERMINAL: Final = 0

#: The child of an entry that derives the empty text.
ABSENT: Final = -1


class Shape(enum.Enum):
    """The form that a production takes in the tree."""

    NODE = "node"  # a regular node
    SPLICE = "splice"  # no node of its own: its children belong to the node above
    TOKEN = "token"  # one token, spelled by the characters below (scannerless grammars)


@dataclass(frozen=True, slots=True)
class Entry:
    """One child, as the author wrote the rule, and where it is among the production's symbols.

    A child may be wrapped in a quantifier node. `token` is the symbol of the child if it is a
    token; `empty` says what is shown if the child is absent.
    """

    child: int
    slot: str
    token: str = ""
    wrap: Kind | None = None
    wrap_name: str = ""
    wrap_slot: str = ""
    empty: int = -1


@dataclass(frozen=True, slots=True)
class Production:
    """A production. Among those of one symbol the lower `alternative` is preferred.

    Productions of the same alternative differ in which children are absent, and in inlined
    choices; `option` numbers them.
    """

    left: int
    right: tuple[int, ...]
    alternative: int
    option: int
    shape: Shape
    name: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Bnf:
    """A grammar in plain productions.

    Symbols are numbers, terminals first. A symbol in `groups` means on right sides any of
    several others: the variants of a rule that precedence tells apart. `starts` has the symbol of
    every rule, and `empties` the nodes of what is absent. `units` says which symbols fit a
    slot by themselves.
    """

    terminals: tuple[str, ...]
    names: tuple[str, ...]
    productions: tuple[Production, ...]
    starts: Mapping[str, int]
    groups: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    empties: Mapping[int, tuple[Branch, ...]] = field(default_factory=dict)
    empty_rules: Mapping[str, Branch] = field(default_factory=dict)
    units: Mapping[str, frozenset[str]] = field(default_factory=dict)


class CharacterClasses:
    """The terminals of a scannerless grammar: sets of characters that no rule tells apart."""

    def __init__(self, parts: Iterable[Part]) -> None:
        sets: dict[Ranges, None] = {}
        for part in parts:
            if part.form is Form.SET:
                sets[part.ranges] = None
            elif part.form is Form.TEXT:
                for character in part.name:
                    sets[literal_ranges(character, part.ignore_case)] = None
        self._bounds: Final = boundaries(sets)
        members: list[list[int]] = [[] for _ in self._bounds]
        for number, ranges in enumerate(sets):
            for index in self._intervals(ranges):
                members[index].append(number)
        # Intervals that are in the same sets are one terminal; 0 is the end of the input, 1 is for
        # characters that are in none.
        numbers: dict[tuple[int, ...], int] = {(): 1}
        self._kinds: Final = [
            numbers.setdefault(tuple(inside), len(numbers) + 1) for inside in members
        ]
        found: dict[int, list[tuple[int, int]]] = {1: []}
        after = [*self._bounds[1:], LAST_CHARACTER + 1]
        for kind, low, following in zip(self._kinds, self._bounds, after, strict=True):
            found.setdefault(kind, []).append((low, following - 1))
        #: The terminals but for the end of the input, by name, as tokens of one character.
        self.tokens: Final = {
            set_name(tuple(found[kind])) if kind > 1 else "any other character": Characters(
                tuple(found[kind])
            )
            for kind in range(1, len(numbers) + 1)
        }

    def spell(self, part: Part) -> list[list[int]]:
        """Return, for each character of a literal or a set, the terminals it may be."""
        if part.form is Form.SET:
            return [self._of(part.ranges)]
        return [self._of(literal_ranges(one, part.ignore_case)) for one in part.name]

    def _of(self, ranges: Ranges) -> list[int]:
        return list(dict.fromkeys(self._kinds[index] for index in self._intervals(ranges)))

    def _intervals(self, ranges: Ranges) -> Iterator[int]:
        """Return the numbers of the intervals that a set is made of."""
        for low, high in ranges:
            yield from range(bisect_left(self._bounds, low), bisect_left(self._bounds, high + 1))


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
