"""Forecast: about how much a reduction still has to do, from its own course so far.

Nobody knows where a reduction ends before it does. But runs of the pipeline are alike: first
the size halves again and again, then passes polish what is left, at some tests a token. So the
forecast counts in tests, from accepted steps and the turns of passes alone, and is None where it
would be a guess: before the size has halved once and a tenth is done, for algorithms by themselves,
for texts without a syntax. docs/lab/report.md says how good it is.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Final

# The constants come from the reductions of version 0.2.0 in docs/lab/report.md.

# Fewer tests than these say nothing about the pace.
_LEAST_TESTS: Final = 10
# What is left when the passes begin, in tokens, as a rule.
_USUAL_SIZE: Final = 20
# How many tests the last round of the tree and all passes take, for each token that is left.
_TREE_TESTS: Final = 1.0
_PASS_TESTS: Final = 4.0
# How many tests in a row fail before the end, for each token that is left.
_LAST_TESTS: Final = 2.0
# A forecast is not told before the run has made a tenth of its tests: one of 28 minutes began with
# 275 hours, and runs that halve slowly at first do so for ten times as long as they have run.
_FURTHEST: Final = 10.0


class Forecast:
    """Follows a reduction of `tokens` tokens by the pipeline whose later passes have `names`.

    `most_tests` is the limit of the run, if there is one.
    """

    def __init__(self, names: Collection[str], tokens: int, most_tests: int | None = None) -> None:
        self._names: Final = frozenset(names)
        self._most_tests: Final = most_tests
        self._before: Final = tokens
        # The accepted steps: tests up to each, and the tokens that it left.
        self._steps: Final[list[tuple[int, int]]] = []
        self._tokens = tokens
        self._pass_name = ""
        # The tests up to the first of the passes.
        self._passes_since: int | None = None

    def began(self, name: str, tests: int) -> None:
        """Record that a pass begins, after this number of tests."""
        self._pass_name = name
        if name in self._names and self._passes_since is None:
            self._passes_since = tests

    def accepted(self, tokens: int, tests: int) -> None:
        """Record a step."""
        self._tokens = tokens
        self._steps.append((tests, tokens))

    def tests_left(self, tests: int) -> float | None:
        """Return about how many tests are left; None if that is not known."""
        if self._passes_since is not None:
            left: float | None = self._among_passes(tests, self._passes_since)
        else:
            left = self._while_it_halves(tests) if self._names else None
        if left is not None and left > _FURTHEST * tests:
            left = None  # it would look much further than the run has come
        most = math.inf if self._most_tests is None else max(0.0, self._most_tests - tests)
        shown = most if left is None else min(left, most)
        return None if shown == math.inf else shown

    def _while_it_halves(self, tests: int) -> float | None:
        """As long as the last halving took, for every halving down to the usual size; then the
        rest at its price for each token."""
        # An algorithm by itself (`perses*`) comes to its own end.
        if tests < _LEAST_TESTS or self._pass_name.endswith("*") or 2 * self._tokens > self._before:
            return None
        begun = tests
        for at, tokens in reversed(self._steps):
            if tokens >= 2 * self._tokens:
                break
            begun = at
        halvings = math.log2(max(1.0, self._tokens / _USUAL_SIZE))
        rest = (_TREE_TESTS + _PASS_TESTS) * min(self._tokens, _USUAL_SIZE)
        return (tests - begun) * halvings + rest

    def _among_passes(self, tests: int, since: int) -> float:
        """What the passes take for this size, less what they took; at least what the end takes."""
        last = self._steps[-1][0] if self._steps else 0
        return max(
            _PASS_TESTS * self._tokens - (tests - since),
            _LAST_TESTS * self._tokens - (tests - last),
            0.0,
        )


def about(seconds: float) -> str:
    """Return a time in words, as roughly as it is known."""
    minutes = seconds / 60
    if seconds < 10:
        return "a few seconds"
    if seconds < 55:
        return f"about {round(seconds, -1):.0f} s"
    if minutes < 9.5:
        return f"about {max(1, round(minutes))} min"
    if minutes < 57.5:
        return f"about {5 * round(minutes / 5)} min"
    return f"about {max(1, round(minutes / 60)):,} h"
