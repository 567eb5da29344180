"""The worth of speculation: how likely a verdict is needed, and what it costs.

The chance of an attempt is measured as attempts are settled: over all of them, for each phase of an
algorithm, for a phase after a success or a failure, and by the share of tokens that would go.
Success comes in waves, so older attempts count less. docs/lab/scaling.md has the figures for
the constants.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from marrow.engine.executors.executor import RecentMean
from marrow.reducers.streams.stream import Attempt
from marrow.tree import Tree

# How likely an attempt is to succeed before any was seen: between the shares that were measured on
# the benchmark cases (0.09 to 0.38), near those of the long ones, which have most of the tests.
_FIRST_GUESS: Final = 0.1

# The weight of the guess from the wider view, in attempts, and by which factor an attempt counts
# less after the next one of its kind. Of 1, 2, 4 and 0.9, 0.95, 0.98 none predicts clearly better.
_WEIGHT: Final = 4.0
_FADING: Final = 0.9

# The same where the guess is that for the phase: of 0.5, 1 and 2, 1 predicts best.
_FINER_WEIGHT: Final = 1.0

# A test that is needed less than once in a hundred times is not worth a worker, nor its power, even
# if there is nothing else to do.
_LEAST_CHANCE: Final = 0.01


class _Share:
    """The share of attempts that succeeded; the latest count most."""

    def __init__(self) -> None:
        self._good = 0.0
        self._all = 0.0

    def saw(self, success: bool) -> None:
        self._good = _FADING * self._good + success
        self._all = _FADING * self._all + 1.0

    def given(self, guess: float, weight: float) -> float:
        """Return the share, blended with a guess of this weight."""
        return (self._good + weight * guess) / (self._all + weight)


class Traits(NamedTuple):
    """Facts about an attempt before it is tried.

    `share` is the part of the tokens that it would remove: n for 1/2^(n-1) of them, or less.
    """

    phase: str
    share: int

    @classmethod
    def of(cls, attempt: Attempt, base: Tree) -> Traits:
        """Return the traits of an attempt on a tree."""
        removed = max(1, base.token_count - attempt.tree.token_count)
        return cls(attempt.phase, (base.token_count // removed).bit_length())


class Before(NamedTuple):
    """The attempt before another one: its phase, and its success, seen or assumed.

    In each list, failures and successes take turns: all of it cannot go, then a part of it can.
    """

    phase: str
    success: bool


class SuccessEstimates:
    """How likely attempts are to succeed."""

    def __init__(self) -> None:
        self._overall: Final = _Share()
        self._phases: Final[dict[str, _Share]] = {}
        self._turns: Final[dict[Before, _Share]] = {}
        self._sizes: Final[dict[int, _Share]] = {}
        self._last: Final[dict[str, bool]] = {}

    def saw(self, traits: Traits, success: bool) -> None:
        """Learn from the verdict on an attempt, in stream order."""
        turn = self._turn(traits, None)
        self._overall.saw(success)
        self._phases.setdefault(traits.phase, _Share()).saw(success)
        self._turns.setdefault(turn, _Share()).saw(success)
        self._sizes.setdefault(traits.share, _Share()).saw(success)
        self._last[traits.phase] = success

    def of(self, traits: Traits, before: Before | None = None) -> float:
        """Return how likely an attempt is to succeed; `before` is assumed of the one before.

        The mean (of odds, geometric) of three guesses: for the phase, for the phase after such a
        verdict, and by the share of the tokens.
        """
        guess = self._overall.given(_FIRST_GUESS, _WEIGHT)
        phase = self._phases.get(traits.phase)
        if phase is not None:
            guess = phase.given(guess, _WEIGHT)
        odds = guess / (1.0 - guess)
        for share in self._finer(traits, before):
            finer = guess if share is None else share.given(guess, _FINER_WEIGHT)
            odds *= finer / (1.0 - finer)
        odds = math.cbrt(odds)
        return odds / (1.0 + odds)

    def _finer(self, traits: Traits, before: Before | None) -> Iterator[_Share | None]:
        yield self._turns.get(self._turn(traits, before))
        yield self._sizes.get(traits.share)

    def _turn(self, traits: Traits, before: Before | None) -> Before:
        """Return the last verdict of the phase, assumed or seen."""
        if before is not None and before.phase == traits.phase:
            return before
        return Before(traits.phase, self._last.get(traits.phase, False))


class SpeculationCost:
    """The chance from which on speculation pays.

    It saves the time of a test if its verdict is needed. Making the candidate costs time of the one
    thread that makes them all, needed or not.
    """

    def __init__(self) -> None:
        self._making: Final = RecentMean()
        self._testing: Final = RecentMean()

    def made(self, seconds: float) -> None:
        """Record what it took to make a candidate, in seconds of the processor."""
        self._making.saw(seconds)

    def tested(self, seconds: float) -> None:
        """Record how long a test took, or has taken so far."""
        self._testing.saw(seconds)

    @property
    def least_chance(self) -> float:
        """The least chance of being needed that is worth a test."""
        if not self._making.value or not self._testing.value:
            return _LEAST_CHANCE
        return max(_LEAST_CHANCE, self._making.value / self._testing.value)
