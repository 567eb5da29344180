"""The paces of type batching: when Perses hands over to batches, and when these give up.

Neither is in "Type Batched Program Reduction". Lists of which most can go are gone in a few tests
by ddmin's halves, sooner than batches find out; a small input that has to stay costs batches tests
that the clean-up needs again. With both, batching costs little where it does not help.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from marrow.reduce.beliefs import Beliefs
from marrow.reduce.expectation import estimate
from marrow.tree import Tree

#: How many attempts Perses has for a first success: the whole of the largest list, its halves and
#: its quarters.
GRACE: Final = 7

#: How many attempts of batches may fail one after the other, as a share of the tokens left. For a
#: small input the clean-up needs a test a token or more, and these must not cost much more than a
#: tenth of that. Half of it and twice as much are compared in docs/notes/batched.md.
PATIENCE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Lead:
    """The pace of what goes first: good as long as its last success pays for the attempts since.

    They have to bring as much as the best type of nodes promises for as many tests.
    """

    beliefs: Beliefs
    gained: int | None = None
    promised: float = 0.0
    since: int = 0

    def failed(self) -> Lead:
        """Count an attempt in vain."""
        return replace(self, since=self.since + 1)

    def succeeded(self, before: Tree, after: Tree) -> Lead:
        """Begin to count anew."""
        types = estimate(after, self.beliefs).types.values()
        promised = max((one.rate for one in types), default=0.0)
        return Lead(self.beliefs, before.token_count - after.token_count, promised)

    def good(self, _: Tree) -> bool:
        """Whether batches promise no more."""
        if self.gained is None:
            return self.since < GRACE
        return self.gained >= self.since * self.promised


@dataclass(frozen=True, slots=True)
class Patience:
    """The pace of batches: good as long as not too many attempts fail one after the other."""

    failures: int = 0

    def failed(self) -> Patience:
        """Count an attempt in vain."""
        return Patience(self.failures + 1)

    def succeeded(self, _: Tree, __: Tree) -> Patience:
        """Begin to count anew."""
        return Patience()

    def good(self, tree: Tree) -> bool:
        """Whether the failures are few for the size of the tree."""
        return self.failures <= PATIENCE * tree.token_count
