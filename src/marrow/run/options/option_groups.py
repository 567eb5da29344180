"""The groups of options in `--help`."""

from __future__ import annotations

from typing import Final

FIRST: Final = "Options"
INPUTS: Final = "The input"
TESTS: Final = "The test"
FAILURE: Final = "The failure of a command (-- COMMAND)"
PLACES: Final = "Where tests run"
RESULTS: Final = "Results"
LIMITS: Final = "Limits"
STRATEGY: Final = "The strategy"
ALGORITHMS: Final = "Settings of single algorithms (see `marrow help algorithms`)"
PATTERNS: Final = "The pattern"

#: All of them, in the order of `--help`.
GROUPS: Final = (
    FIRST,
    INPUTS,
    TESTS,
    FAILURE,
    PLACES,
    RESULTS,
    LIMITS,
    PATTERNS,
    STRATEGY,
    ALGORITHMS,
)
