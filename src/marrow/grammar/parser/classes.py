"""The terminals of scannerless grammars: characters that no rule tells apart."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from marrow.grammar.model.literal_tokens import set_name
from marrow.grammar.model.rules import END_OF_INPUT, LAST_CHARACTER
from marrow.grammar.parser.bodies import Form, Part
from marrow.grammar.parser.dfa import literal_ranges


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
        kind = self[character] = self._kinds[self._interval(ord(character))]
        return kind

    def _interval(self, code: int) -> int:
        return bisect_right(self._bounds, code) - 1

    def spell(self, part: Part) -> list[list[int]]:
        """Return, for each character of a literal or a set, the terminals it may be."""
        if part.form is Form.SET:
            return [self._of(part.ranges)]
        return [self._of(literal_ranges(one, part.ignore_case)) for one in part.name]

    def _of(self, ranges: Sequence[tuple[int, int]]) -> list[int]:
        kinds: dict[int, None] = {}
        for low, high in ranges:
            for index in range(self._interval(low), self._interval(high) + 1):
                kinds[self._kinds[index]] = None
        return list(kinds)
