"""The paces of type batching: when Perses hands over to batches, and when these give up.

Neither is in "Type Batched Program Reduction". Lists of which most can go shrink in a few tests by
ddmin's halves, sooner than batches could learn about them. A small input that must stay costs
batches tests that the clean-up needs again. With both paces, batching costs little where it does
not help.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from marrow.tree import Tree

#: How many attempts Perses has for a first success: the whole of the largest list, its halves, its
#: quarters and some more.
GRACE: Final = 7.0

#: How many attempts Perses may take to halve the tree. Batches take 10 to 34 where much depends on
#: each other, and the clean-up comes on top.
HALVING: Final = 16.0

#: How many attempts Perses may save up by being faster: a lucky start must not hide that it is
#: stuck, and the candidates for one node, up to a dozen, may all fail.
SAVINGS: Final = 24.0

#: The least cost of an attempt. The replacements of a large node are tried from the smallest up;
#: some dozens may fail before one removes nearly everything. The four values were chosen on the
#: benchmark cases (docs/lab/batched.md).
LEAST_COST: Final = 0.1


#: How many attempts of batches may fail in a row, as a share of the tokens left. For a small input
#: the clean-up needs a test for each token or more; batches must not cost much more than a tenth of
#: that. docs/lab/batched.md compares it with half and twice as much.
FAILED_SHARE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Lead:
    """The pace of the first reducer: good as long as it has something left to spend.

    An attempt costs the share of the tokens that it would leave, so many attempts may try to remove
    nearly everything. A success earns by how much it shrinks the tree.
    """

    left: float = GRACE

    def failed(self, tree: Tree, candidate: Tree) -> Lead:
        """Count a failure."""
        return Lead(self.left - _cost(tree, candidate))

    def succeeded(self, tree: Tree, candidate: Tree) -> Lead:
        """Count an attempt and what it earned."""
        left = self.left - _cost(tree, candidate)
        halvings = math.log2(tree.token_count / max(1, candidate.token_count))
        return Lead(max(left, min(SAVINGS, left + HALVING * halvings)))

    def good(self, _: Tree) -> bool:
        """Whether Perses goes on."""
        return self.left > 0


def _cost(tree: Tree, candidate: Tree) -> float:
    return max(LEAST_COST, candidate.token_count / max(1, tree.token_count))


@dataclass(frozen=True, slots=True)
class Patience:
    """The pace of batches: good as long as not too many attempts fail in a row."""

    failures: int = 0

    def failed(self, _: Tree, __: Tree) -> Patience:
        """Count a failure."""
        return Patience(self.failures + 1)

    def succeeded(self, _: Tree, __: Tree) -> Patience:
        """Start counting again."""
        return Patience()

    def good(self, tree: Tree) -> bool:
        """Whether the failures are few for the size of the tree."""
        return self.failures <= FAILED_SHARE * tree.token_count
