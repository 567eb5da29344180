"""What a test ahead of its turn is worth: how likely its verdict is needed, and what it costs.

How likely attempts succeed is measured as they are settled: over all of them, and for each phase of
an algorithm. Success comes in waves, so what was seen long ago counts less. See
docs/notes/scaling.md for the figures behind the constants.
"""

from __future__ import annotations

from typing import Final

from marrow.reduce.attempt import Attempt

# How likely an attempt succeeds before any was seen: between the shares that were measured on the
# benchmark cases (0.09 to 0.38), near those of the long ones: most tests are theirs.
_FIRST_GUESS: Final = 0.1

# How many attempts the guess from the wider view weighs as much as, and what an attempt counts for
# after the next one of its kind. Of 1, 2, 4 and 0.9, 0.95, 0.98 none predicts clearly better.
_WEIGHT: Final = 4.0
_FADING: Final = 0.9

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

    def given(self, guess: float) -> float:
        """Return the share, where so much is guessed by those who know less."""
        return (self._good + _WEIGHT * guess) / (self._all + _WEIGHT)


class Odds:
    """How likely attempts succeed."""

    def __init__(self) -> None:
        self._overall: Final = _Share()
        self._phases: Final[dict[str, _Share]] = {}

    def saw(self, attempt: Attempt, success: bool) -> None:
        """Take note of the verdict on an attempt, in the order of the stream."""
        self._overall.saw(success)
        self._phases.setdefault(attempt.phase, _Share()).saw(success)

    def of(self, attempt: Attempt) -> float:
        """Return how likely an attempt succeeds."""
        overall = self._overall.given(_FIRST_GUESS)
        phase = self._phases.get(attempt.phase)
        return overall if phase is None else phase.given(overall)


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
