"""What a test ahead of its turn is worth: how likely its verdict is needed, and what it costs.

How likely attempts succeed is measured as they are settled: over all of them, for each phase of an
algorithm, for a phase after a success or a failure, and by the share of the tokens that would go.
Success comes in waves, so what was seen long ago counts less. See docs/notes/scaling.md for the
figures behind the constants.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, NamedTuple

from marrow.reducers.stream import Attempt
from marrow.tree import Tree

# How likely an attempt succeeds before any was seen: between the shares that were measured on the
# benchmark cases (0.09 to 0.38), near those of the long ones: most tests are theirs.
_FIRST_GUESS: Final = 0.1

# How many attempts the guess from the wider view weighs as much as, and what an attempt counts for
# after the next one of its kind. Of 1, 2, 4 and 0.9, 0.95, 0.98 none predicts clearly better.
_WEIGHT: Final = 4.0
_FADING: Final = 0.9

# The same where the guess is that for the phase: of 0.5, 1 and 2, 1 predicts best.
_FINER_WEIGHT: Final = 1.0

# A test that is needed less often than once in a hundred times is not worth a worker, nor the power
# that it takes, even if nothing else is to be done.
_LEAST_CHANCE: Final = 0.01

# About so many tests or candidates make the mean of what one costs.
_SEVERAL: Final = 20


class _Share:
    """The share of attempts that succeeded, those seen last first."""

    def __init__(self) -> None:
        self._good = 0.0
        self._all = 0.0

    def saw(self, success: bool) -> None:
        self._good = _FADING * self._good + success
        self._all = _FADING * self._all + 1.0

    def given(self, guess: float, weight: float) -> float:
        """Return the share, where so much is guessed by those who know less."""
        return (self._good + weight * guess) / (self._all + weight)


class Traits(NamedTuple):
    """What is known of an attempt before it is tried.

    `gone` is the share of the tokens that it would remove: n for 1/2^(n-1) of them, or less.
    """

    phase: str
    gone: int

    @classmethod
    def of(cls, attempt: Attempt, base: Tree) -> Traits:
        """Return the traits of an attempt on a tree."""
        removed = max(1, base.token_count - attempt.tree.token_count)
        return cls(attempt.phase, (base.token_count // removed).bit_length())


class Before(NamedTuple):
    """The attempt before another one: its phase, and whether it succeeded, or is to by assumption.

    List by list, what cannot go and what can take turns: all of it, then a part of it.
    """

    phase: str
    success: bool


class Odds:
    """How likely attempts succeed."""

    def __init__(self) -> None:
        self._overall: Final = _Share()
        self._phases: Final[dict[str, _Share]] = {}
        self._turns: Final[dict[Before, _Share]] = {}
        self._sizes: Final[dict[int, _Share]] = {}
        self._last: Final[dict[str, bool]] = {}

    def saw(self, traits: Traits, success: bool) -> None:
        """Take note of the verdict on an attempt, in the order of the stream."""
        turn = self._turn(traits, None)
        self._overall.saw(success)
        self._phases.setdefault(traits.phase, _Share()).saw(success)
        self._turns.setdefault(turn, _Share()).saw(success)
        self._sizes.setdefault(traits.gone, _Share()).saw(success)
        self._last[traits.phase] = success

    def of(self, traits: Traits, before: Before | None = None) -> float:
        """Return how likely an attempt succeeds; `before` is what is assumed of the one before.

        The mean, as a quotient of chances, of three guesses: for the phase, for the phase after
        such a verdict, and by the share of the tokens.
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
        yield self._sizes.get(traits.gone)

    def _turn(self, traits: Traits, before: Before | None) -> Before:
        """Return what the last verdict of the phase is, by assumption or as it was seen."""
        if before is not None and before.phase == traits.phase:
            return before
        return Before(traits.phase, self._last.get(traits.phase, False))


class Mean:
    """The mean of the last few values, roughly; 0 before there is any."""

    def __init__(self) -> None:
        self.value = 0.0
        self._count = 0

    def saw(self, value: float) -> None:
        """Take another value."""
        self._count = min(self._count + 1, _SEVERAL)
        self.value += (value - self.value) / self._count


class Worth:
    """From which chance on a test ahead of its turn pays.

    It saves the time of a test if its verdict is needed. To make the candidate takes the time of
    the one thread that makes them all, needed or not.
    """

    def __init__(self) -> None:
        self._making: Final = Mean()
        self._testing: Final = Mean()

    def made(self, seconds: float) -> None:
        """Take note of what a candidate took to make, in seconds of the processor."""
        self._making.saw(seconds)

    def tested(self, seconds: float) -> None:
        """Take note of how long a test took, or has taken so far."""
        self._testing.saw(seconds)

    @property
    def least_chance(self) -> float:
        """The least chance to be needed that is worth a test."""
        if not self._making.value or not self._testing.value:
            return _LEAST_CHANCE
        return max(_LEAST_CHANCE, self._making.value / self._testing.value)
