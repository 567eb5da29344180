"""Finds lists with separators in sequences, and rules that spell lists by recursion."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marrow.grammar.model.recursion import recursion
from marrow.grammar.model.rules import END_OF_INPUT, Quantifier
from marrow.grammar.parser.shared_expressions import Form, Part, Pool


def list_body(
    pool: Pool, name: str, alternatives: Sequence[int], nullable: frozenset[int]
) -> int | None:
    """Return the list that a recursive rule spells, or None if it does not spell one.

    These are lists: `l: l x | x`, `l: l x | ε`, `l: x | l S x` for tokens S, with any number of
    recursive alternatives, and all of them with the recursion at the right end.
    """
    itself = pool.add(Part(Form.RULE, name=name))
    found = recursion([pool.items(one) for one in alternatives], itself)
    left = bool(found.suffix)
    rests = list((found.suffix if left else found.prefix).values())
    bases = [alternatives[at] for at in found.primary]
    if found.idle or found.binary or not rests or not bases or (left and found.prefix):
        return None
    if any(itself in items for items in (*rests, *found.primary.values())):
        return None
    repeated = [pool.sequence(rest) for rest in rests]
    if bases == [pool.empty]:
        return pool.repeat(pool.choice(repeated), Quantifier.STAR)
    if set(bases) == set(repeated):
        return pool.repeat(pool.choice(bases), Quantifier.PLUS)
    if len(bases) == 1 and bases[0] not in nullable:
        element = pool.items(bases[0])
        cut = [_separated(rest, element, left) for rest in rests]
        separators = [one for one in cut if one is not None]
        if len(separators) == len(cut) and all(_token(pool, one) for one in separators):
            return pool.add(Part(Form.LIST, (bases[0], pool.choice(separators))))
    return None


def _separated(rest: tuple[int, ...], element: tuple[int, ...], left: bool) -> int | None:
    """Return S if `rest` is `S E` (or `E S` for recursion at the right end)."""
    if left and rest[1:] == element:
        return rest[0]
    if not left and rest[:-1] == element:
        return rest[-1]
    return None


def _token(pool: Pool, number: int) -> bool:
    part = pool.parts[number]
    return part.form in (Form.TERMINAL, Form.TEXT, Form.SET) and part.name != END_OF_INPUT


class ListFinder:
    """Finds `E (S E)*` and `(E S)* E` in sequences."""

    def __init__(
        self, pool: Pool, rules: dict[str, tuple[int, ...]], nullable: frozenset[int]
    ) -> None:
        self._pool: Final = pool
        self._rules: Final = rules
        self._nullable: Final = nullable

    def listed(self, parts: Sequence[int]) -> tuple[int, ...]:
        """Return a sequence in which such pairs have become lists."""
        result: list[int] = []
        index = 0
        while index < len(parts):
            pair = self._pair(parts[index], parts[index + 1]) if index + 1 < len(parts) else None
            if pair is None:
                result.append(parts[index])
                index += 1
            else:
                result.append(self._pool.add(Part(Form.LIST, pair)))
                index += 2
        return tuple(result)

    def _pair(self, first: int, second: int) -> tuple[int, int] | None:
        """Return (E, S) if two neighbours are a list."""
        for element, star, at in ((first, second, -1), (second, first, 0)):
            part = self._pool.parts[star]
            if part.form is not Form.STAR or element in self._nullable:
                continue
            inside = self._pool.items(part.parts[0])
            if len(inside) == 2 and inside[at] == element and self._separates(inside[-1 - at]):
                return element, inside[-1 - at]
        return None

    def _separates(self, number: int) -> bool:
        """Whether a part always is one token."""
        part = self._pool.parts[number]
        if part.form is Form.RULE:
            return all(self._single(one) for one in self._rules[part.name])
        return self._single(number)

    def _single(self, number: int) -> bool:
        return all(_token(self._pool, one) for one in self._pool.alternatives(number))
