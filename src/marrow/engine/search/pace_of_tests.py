"""The pace of tests: how long they take on the best so far, and what is too slow beside it.

A step may make every later test ten times slower: a loop that no longer knows its start. The run
would creep from then on. So a success that takes many times as long as the last ones is put off: it
counts as a time-out, and is asked again when nothing else goes any more. The time limit of tests
follows the best so far too, down to a floor, and is that of the first runs again in the end.

What was put off, and the pace, are in the journal, so that a run that is resumed goes the same way.
As for any time-out, a success is only put off if it was slow once more, with nothing beside it.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from marrow.engine.executors.executor import Executor
from marrow.engine.journal.journal import Journal
from marrow.engine.verdict import Outcome, Verdict

# A success is too slow if it takes so many times as long as the slowest of the last ones: less may
# be the machine. What takes less than a moment is never too slow.
_SLOWER: Final = 8.0
_MOMENT: Final = 0.5

# How many successes the pace is taken from.
_LAST: Final = 3

# The time limit is so many times the pace, and at least some seconds, as for the first runs.
_LIMIT_FACTOR: Final = 10.0
_LEAST_LIMIT: Final = 5.0


class PaceOfTests:
    """How long tests take in a reduction."""

    def __init__(self, executor: Executor, journal: Journal, slowest: float, limit: float) -> None:
        """`slowest` is how long the first runs took, `limit` how long a test may take at most."""
        self._executor: Final = executor
        self._journal: Final = journal
        self._limit: Final = limit
        self._last: Final = deque(_recorded(journal) or [slowest], maxlen=_LAST)
        self._lifted = False

    def succeeded(self, seconds: float) -> None:
        """Take in how long the test took on a new best."""
        if seconds > 0.0:
            self._last.append(seconds)
            self._journal.note("pace", " ".join(map(repr, self._last)))
            if not self._lifted:
                longest = max(_LEAST_LIMIT, _LIMIT_FACTOR * max(self._last))
                self._executor.allow(min(self._limit, longest))

    def too_slow(self, outcome: Outcome) -> bool:
        """Whether a success is to be put off."""
        if self._lifted or outcome.verdict is not Verdict.INTERESTING or outcome.timed_out:
            return False
        return outcome.seconds > max(_MOMENT, _SLOWER * max(self._last))

    def lift(self) -> int:
        """Let slow tests count from now on; return how many were put off."""
        self._lifted = True
        self._executor.allow(self._limit)
        return self._journal.lift()


def _recorded(journal: Journal) -> list[float]:
    try:
        return [float(word) for word in (journal.fact("pace") or "").split()]
    except ValueError:
        return []
