"""What the figures of the papers show of a run, noted while it goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from marrow.engine.events import Answer, Event, Tried
from marrow.engine.verdict import Verdict
from marrow.tree import SEPARATOR, Node, Tree

#: The shares of the tokens, in percent, of which it is noted when they were reached.
SHARES: Final = (50, 20, 10, 5)

#: How the phases of joint reduction end.
_TOGETHER: Final = " together"


class Watcher:
    """Counts tests and, for joint reduction, batches and the nodes that went together.

    The first success of a run has nothing to compare with, and counts for no chunk.
    """

    def __init__(self) -> None:
        self.tests = 0
        self.batches = 0
        self.chunks: Final[Counter[int]] = Counter()
        self._sizes: Final[list[tuple[int, int]]] = []
        self._phase = ""
        self._best: Tree | None = None

    def __call__(self, event: Event) -> None:
        """Take an event of the run."""
        if not isinstance(event, Tried):
            return
        # Not the runs of the input itself before the reduction.
        self.tests += event.answer is Answer.TEST
        attempt = event.attempt
        if attempt.phase != self._phase:
            self._phase = attempt.phase
            self.batches += attempt.phase.endswith(_TOGETHER)
        if event.verdict is not Verdict.INTERESTING:
            return
        if self._best is not None and attempt.phase.endswith(_TOGETHER):
            self.chunks[removed_nodes(self._best.root, attempt.tree.root)] += 1
        self._best = attempt.tree
        self._sizes.append((self.tests, attempt.tree.token_count))

    def milestones(self, tokens: int) -> Mapping[str, int]:
        """Return the tests after which shares of the tokens were left."""
        return {
            str(share): next(tests for tests, size in self._sizes if size * 100 <= tokens * share)
            for share in SHARES
            if any(size * 100 <= tokens * share for _, size in self._sizes)
        }


def removed_nodes(before: Node, after: Node) -> int:
    """Return how many nodes were deleted, not counting what is inside of them."""
    count = 0
    pending = [(before, after)]
    while pending:
        old, new = pending.pop()
        if old is new:
            continue
        left = {child.key: child for child in new.children}
        for child in old.children:
            if child.key in left:
                pending.append((child, left[child.key]))
            elif child.slot != SEPARATOR and child.token_count:
                count += 1
    return count
