"""Measures of parts: with which values, lengths, counts and depths the input fails.

A part is given other measures, and the bounds of those with which the input fails are found by
bisection. Cost: about log2 of the numbers between the last that passes and the first that fails,
and 15 tests to see that the bounds hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice, pairwise
from random import Random
from typing import Final

from marrow.abstraction.abstraction import Search
from marrow.abstraction.condition_samples import LARGEST, numbers_within, with_measure
from marrow.abstraction.conditions import Condition, Feature, Form, Range, Within
from marrow.abstraction.samples import Fill
from marrow.engine.verdict import Verdict
from marrow.tree import Node, Place

#: Samples inside and outside of a condition that are to agree with it.
INSIDE: Final = 8
OUTSIDE: Final = 6

#: Numbers drawn for these: two in three of them are next to an end, and come again.
_DRAWN: Final = 40

#: How often ranges are corrected by what random samples show, and how many ranges there may be.
_ROUNDS: Final = 3
_RANGES: Final = 2

#: The largest step of a progression that is looked for.
_MODULUS: Final = 12

#: Neighbours of a number that are tried if it seems to be needed as it is: it may be one of a few.
_NEAR: Final = (-3, -2, 2, 3, 4)

#: So many other texts or trees that are not valid inputs are enough: others are seldom better.
_FIRST: Final = 4


@dataclass(frozen=True, slots=True)
class Variable:
    """Places that vary as one, the node in them, and what is measured of it.

    `number` is its measure in the input; elements of a list are drawn of some `forms`, if any.
    """

    places: tuple[Place, ...]
    node: Node
    feature: Feature | None = None
    number: Decimal = Decimal(0)
    forms: tuple[Form, ...] = ()

    @property
    def label(self) -> str:
        """What random samples of it are called."""
        return f"{self.places[0]}/{self.feature}"


class MeasureSearch(Search):
    """Asks whether the input fails with other texts, and looks for bounds of measures."""

    def ask(self, fills: Iterable[Sequence[Fill] | None]) -> list[bool | None]:
        """Return whether the input fails with each filling; None if nothing is known."""
        samples = [None if one is None else self._board.sampled(one) for one in fills]
        verdicts = iter(self._checker.verdicts([one for one in samples if one is not None]))
        words = {Verdict.INTERESTING: True, Verdict.NOT_INTERESTING: False}
        return [None if one is None else words.get(next(verdicts)) for one in samples]

    def ask_others(self, fills: Sequence[Sequence[Fill]]) -> list[bool | None]:
        """Return the answers, without asking on where the first few say nothing."""
        first = self.ask(fills[:_FIRST])
        others = fills[_FIRST:]
        return first + (self.ask(others) if set(first) != {None} else [None] * len(others))

    def both(
        self, one: Variable, other: Variable, pairs: Iterable[tuple[Decimal, Decimal]]
    ) -> list[bool | None]:
        """Return whether the input fails with the measures of each pair."""
        made = ((self._measured(one, x), self._measured(other, y)) for x, y in pairs)
        return self.ask([None if None in two else tuple(filter(None, two)) for two in made])

    def _measured(
        self, one: Variable, number: Decimal, random: Random | None = None
    ) -> Fill | None:
        assert one.feature is not None
        node = with_measure(self._material, one.node, one.feature, number, random, one.forms)
        return None if node is None else Fill(one.places, node)

    def numbers(
        self, one: Variable, numbers: Iterable[Decimal], random: Random | None = None
    ) -> dict[Decimal, bool]:
        """Return what is known of numbers, those of which nothing is known left out."""
        asked = list(dict.fromkeys(numbers))
        fills = [self._measured(one, number, random) for number in asked]
        answers = self.ask([None if fill is None else (fill,) for fill in fills])
        return {
            number: answer
            for number, answer in zip(asked, answers, strict=True)
            if answer is not None
        }

    def within(self, one: Variable) -> tuple[Condition, ...]:
        """Return the ranges of a measure in which the input fails."""
        assert one.feature is not None
        start = one.number
        answers = self.numbers(one, _probes(one))
        if one.feature is Feature.VALUE and not any(answers.values()):
            answers |= self.numbers(one, [start + away for away in _NEAR])
        known = {start: True} | answers
        if not known[start] or not any(answers.values()) or all(known.values()):
            return ()
        step = self._step(one, known)
        fraction = self.numbers(one, [start + Decimal("0.5")])
        whole = step > 1 or False in fraction.values()
        for number in range(_ROUNDS):
            self._bisect(one, known, step)
            ranges = _ranges(known, int(start) % step, step)
            if ranges is None:
                return ()
            found = Within(one.feature, ranges, whole, step, int(start) % step if step > 1 else 0)
            checked, more = self._checked(one, found, number)
            if checked is not None or not more:
                return () if checked is None else (checked,)
            known |= more
        return ()

    def _step(self, one: Variable, known: dict[Decimal, bool]) -> int:
        """Return the step of a progression in which the numbers that fail are."""
        start = one.number
        if known.get(start + 1, True) and known.get(start - 1, True):
            return 1
        if start != start.to_integral_value():
            return 1
        for step in range(2, _MODULUS + 1):
            known |= self.numbers(one, [start + step, start - step])
            near = {known.get(start + step), known.get(start - step)} - {None}
            if near == {True}:
                inside = (fails <= (int(n - start) % step == 0) for n, fails in known.items())
                return step if all(inside) else 1
        return 1

    def _bisect(self, one: Variable, known: dict[Decimal, bool], step: int) -> None:
        """Find out where neighbouring answers change."""
        while True:
            numbers = sorted(n for n in known if int(n - one.number) % step == 0)
            gaps = [
                (low, high)
                for low, high in pairwise(numbers)
                if known[low] != known[high] and high - low > step
            ]
            middles = [low + (high - low) // 2 // step * step for low, high in gaps]
            if not 0 < len(gaps) <= 2 * _RANGES or not (found := self.numbers(one, middles)):
                return
            known |= found

    def _checked(
        self, one: Variable, within: Within, number: int
    ) -> tuple[Within | None, dict[Decimal, bool]]:
        """Return a condition with its evidence, or numbers that speak against it."""
        random = Random(f"{one.label}/{number}")
        # Deep nests are pumped, so that many of them say little.
        most = INSIDE if one.feature is Feature.DEPTH else _DRAWN
        inside = [*dict.fromkeys(islice(numbers_within(within, random), most))][:INSIDE]
        ends = [n for pair in within.ranges for n in pair if n is not None]
        beyond = [end + away for end in ends for away in (-1, 1)]
        anything = replace(within, ranges=((None, None),), modulus=1)
        far = dict.fromkeys((*beyond, *islice(numbers_within(anything, random), _DRAWN)))
        outside = [n for n in far if not within.admits(n) and n >= _least(one)][:OUTSIDE]
        answers = self.numbers(one, [*inside, *ends], random) | self.numbers(one, outside, random)
        wrong = {n: fails for n, fails in answers.items() if fails != within.admits(n)}
        failing = sum(answers.values())
        passing = len(answers) - failing
        if wrong or failing < min(2, len(inside)) or not passing:
            return None, wrong
        return replace(within, failing=failing, passing=passing), {}


def _least(one: Variable) -> Decimal:
    """Return the least number that a measure may be."""
    if one.feature is Feature.VALUE:
        return Decimal(-LARGEST[Feature.VALUE])
    return Decimal(1 if one.feature is Feature.DEPTH else 0)


def _probes(one: Variable) -> list[Decimal]:
    """Return the first numbers to try for a part: plain, near and extreme ones."""
    n = one.number
    assert one.feature is not None
    if one.feature is Feature.VALUE:
        tried = [n - 1, n + 1, *map(Decimal, (0, 1)), -n, n * 2, n * 10 + 7, Decimal(10)]
        tried += [n // 2, n * 1000, *map(Decimal, (-1, 100, 10**9))]
    elif one.feature is Feature.LENGTH:
        tried = [n, n - 1, n + 1, Decimal(0), Decimal(1), n // 2, n * 2, Decimal(40), Decimal(200)]
    else:
        tried = [n - 1, n + 1, n + 2, n * 2 + 1, Decimal(0)]
    most = LARGEST[one.feature]
    return [number for number in tried if _least(one) <= number <= most]


def _ranges(known: dict[Decimal, bool], remainder: int, step: int) -> tuple[Range, ...] | None:
    """Return the ranges in which all known numbers fail; None if there are too many."""
    numbers = sorted(n for n in known if step == 1 or int(n) % step == remainder)
    found: list[Range] = []
    start: Decimal | None = None
    opened = False
    for at, number in enumerate(numbers):
        if known[number] and not opened:
            start, opened = (None if at == 0 else number), True
        if opened and (at + 1 == len(numbers) or not known[numbers[at + 1]]):
            found.append((start, None if at + 1 == len(numbers) else number))
            opened = False
    return tuple(found) if 0 < len(found) <= _RANGES else None
