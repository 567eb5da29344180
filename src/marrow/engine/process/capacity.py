"""How many tests are worth running at once on this machine.

A test that computes needs a core. With more of them than cores each gets slower, also the one that
is needed next. A test that waits (for a device, a server, a clock) leaves its core to others. The
share of a core that a test takes is measured: its seconds of the processor by those of the clock,
over tests that ran when there were no more of them than cores.
"""

from __future__ import annotations

import os
from typing import Final

# The factor by which a test counts less after the next one: about 20 tests make the estimate. Tests
# get shorter as the input does.
_FADING: Final = 0.95

# The least share of a core that is believed: a clock tick says nothing about shorter tests.
_LEAST_SHARE: Final = 0.001

# About so many values make a recent mean.
_SEVERAL: Final = 20


class Capacity:
    """The cost of tests, and how many of them the cores can serve."""

    def __init__(self, most: int, cores: int | None = None) -> None:
        self._most: Final = most
        self._cores: Final = cores or usable_cores()
        self._clock = 0.0
        self._processor = 0.0

    def ran(self, clock: float, processor: float, crowd: int) -> None:
        """Record the cost of a test that ran with others, `crowd` of them with itself."""
        if crowd <= self._cores:
            self._clock = _FADING * self._clock + clock
            self._processor = _FADING * self._processor + processor

    @property
    def worth(self) -> int:
        """How many tests are worth running at once."""
        if not self._clock:
            return min(self._most, self._cores)
        share = max(_LEAST_SHARE, self._processor / self._clock)
        return min(self._most, max(1, round(self._cores / share)))


class RecentMean:
    """The mean of the last few values, roughly; 0 before there is any."""

    def __init__(self) -> None:
        self.value = 0.0
        self._count = 0

    def saw(self, value: float) -> None:
        """Take another value."""
        self._count = min(self._count + 1, _SEVERAL)
        self.value += (value - self.value) / self._count


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
