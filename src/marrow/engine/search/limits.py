"""The limits of a search: when to stop."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop. Tests count in stream order, so that any number of workers stops alike."""

    tests: int | None = None
    seconds: float | None = None
