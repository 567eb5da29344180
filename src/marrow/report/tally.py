"""The tally of a pass: tests, successes, tokens removed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PassTally:
    """The figures of a pass."""

    name: str
    tests: int = 0
    successes: int = 0
    tokens: int = 0
