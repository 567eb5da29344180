"""The limits of a search: when to stop."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_UNITS: Final = {"": 1, "b": 1, "kb": 1000, "k": 1000, "mb": 10**6, "m": 10**6}


@dataclass(frozen=True, slots=True)
class Goal:
    """A size that is good enough: a number of tokens or bytes, or a share of the input."""

    words: str
    tokens: int | None = None
    length: int | None = None
    share: float | None = None

    @classmethod
    def parse(cls, words: str) -> Goal:
        """Read a size: `2kB` and `2000` are bytes, `5%` is a share of the input's tokens."""
        plain = words.strip().lower()
        if found := re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", plain):
            return cls(words, share=float(found[1]) / 100)
        if found := re.fullmatch(r"(\d+)\s*tokens?", plain):
            return cls(words, tokens=int(found[1]))
        if found := re.fullmatch(r"(\d+(?:\.\d+)?)\s*([km]?b?|bytes)", plain):
            return cls(words, length=int(float(found[1]) * _UNITS[found[2].removesuffix("ytes")]))
        raise ValueError(f"{words!r} is not a size; write it like 2kB, 5% or 100 tokens")

    def reached(self, tokens: int, length: int, tokens_before: int) -> bool:
        """Whether a result is small enough."""
        if self.tokens is not None:
            return tokens <= self.tokens
        if self.share is not None:
            return tokens <= self.share * tokens_before
        return self.length is not None and length <= self.length


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop; `goal` is for reductions alone.

    Tests count in stream order, so that any number of workers stops alike. An earlier search has
    already `spent` some of them.
    """

    tests: int | None = None
    seconds: float | None = None
    goal: Goal | None = None
    spent: int = 0

    @property
    def tests_reached(self) -> str:
        """Why a search stops that may run no more tests."""
        return f"the limit of {self.tests:,} tests is reached"

    def allow(self, tests: int) -> bool:
        """Whether another test may follow this many."""
        return self.tests is None or self.spent + tests < self.tests
