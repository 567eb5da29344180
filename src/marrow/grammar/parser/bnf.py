"""Plain productions without ε, how each becomes nodes of a tree, and which derivation is preferred.

The terminals of a scannerless grammar are classes of characters that no rule tells apart.
"""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from marrow.grammar.model.charset import literal_ranges
from marrow.grammar.model.literal_tokens import set_name
from marrow.grammar.model.rules import END_OF_INPUT, LAST_CHARACTER
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


def productive_ones(productions: Sequence[Production], terminals: int) -> list[Production]:
    """Leave out productions that derive no text because they never end."""
    users: dict[int, list[int]] = {}
    missing = []
    for number, one in enumerate(productions):
        wanted = {symbol for symbol in one.right if symbol >= terminals}
        missing.append(len(wanted))
        for symbol in wanted:
            users.setdefault(symbol, []).append(number)
    ends: set[int] = set()
    work = [one.left for one, count in zip(productions, missing, strict=True) if not count]
    while work:
        symbol = work.pop()
        if symbol not in ends:
            ends.add(symbol)
            for number in users.get(symbol, ()):
                missing[number] -= 1
                if not missing[number]:
                    work.append(productions[number].left)
    return [one for one, count in zip(productions, missing, strict=True) if not count]


class CharacterClasses(dict[str, int]):
    """The terminals of a scannerless grammar: sets of characters that no rule tells apart."""

    def __init__(self, parts: Iterable[Part]) -> None:
        super().__init__()
        sets: dict[tuple[tuple[int, int], ...], None] = {}
        for part in parts:
            if part.form is Form.SET:
                sets[part.ranges] = None
            elif part.form is Form.TEXT:
                for character in part.name:
                    sets[literal_ranges(character, part.ignore_case)] = None
        bounds = {0}
        for ranges in sets:
            for low, high in ranges:
                bounds.update((low, high + 1))
        self._bounds: Final = sorted(bounds)
        members: list[list[int]] = [[] for _ in self._bounds]
        where = {bound: index for index, bound in enumerate(self._bounds)}
        for number, ranges in enumerate(sets):
            for low, high in ranges:
                for index in range(where[low], where[high + 1]):
                    members[index].append(number)
        # Intervals that are in the same sets are one terminal; 0 is the end of the input, 1 is for
        # characters that are in none.
        numbers: dict[tuple[int, ...], int] = {(): 1}
        self._kinds: Final = [
            numbers.setdefault(tuple(inside), len(numbers) + 1) for inside in members
        ]
        self.names: Final = [END_OF_INPUT, "any other character"]
        examples: dict[int, list[tuple[int, int]]] = {}
        for index, kind in enumerate(self._kinds):
            high = self._bounds[index + 1] - 1 if index + 1 < len(self._bounds) else LAST_CHARACTER
            examples.setdefault(kind, []).append((self._bounds[index], high))
        for kind in range(2, len(numbers) + 1):
            self.names.append(set_name(tuple(examples[kind])))

    def __missing__(self, character: str) -> int:
        self[character] = kind = self._kinds[bisect_right(self._bounds, ord(character)) - 1]
        return kind

    def spell(self, part: Part) -> list[list[int]]:
        """Return, for each character of a literal or a set, the terminals it may be."""
        if part.form is Form.SET:
            return [self._of(part.ranges)]
        return [self._of(literal_ranges(one, part.ignore_case)) for one in part.name]

    def _of(self, ranges: Sequence[tuple[int, int]]) -> list[int]:
        spans = (
            self._kinds[bisect_right(self._bounds, low) - 1 : bisect_right(self._bounds, high)]
            for low, high in ranges
        )
        return list(dict.fromkeys(kind for span in spans for kind in span))


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
