"""How many tests are worth running at once on this machine.

A test that computes needs a core for itself; beside more tests than cores each of them gets slower,
the one that is needed next too. A test that waits (for a device, a server, a clock) leaves its core
to others. What share of a core a test takes is measured: its seconds of the processor by those of
the clock, of tests that had no more others beside them than there are cores.
"""

from __future__ import annotations

import os
from typing import Final

# How much of what was measured counts less with every test: about 20 tests make the estimate.
# Tests get shorter as the input does.
_FADING: Final = 0.95

# The least share of a core that is believed: a clock tick says nothing of a test that is shorter.
_LEAST_SHARE: Final = 0.001


class Load:
    """What tests have cost, and how many of them the cores can serve."""

    def __init__(self, most: int, cores: int | None = None) -> None:
        self._most: Final = most
        self._cores: Final = cores or usable_cores()
        self._clock = 0.0
        self._processor = 0.0

    def ran(self, clock: float, processor: float, crowd: int) -> None:
        """Take note of what a test cost that ran beside others, `crowd` with itself."""
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


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
