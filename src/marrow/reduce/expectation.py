"""The estimated rate of reduction: tokens removed for each test, for every type of nodes.

Equations 1 to 3 of "Type Batched Program Reduction": a node of the type goes with all its tokens
with the probability of its type; if it does not, the nodes of the type below it are tried. The rate
of a type is the quotient of the expected tokens and the expected tests. The clean-up tries nodes of
all types, each with the probability of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from marrow.learn.types import removals
from marrow.reduce.beliefs import Beliefs
from marrow.tree import Tree


@dataclass(slots=True)
class Expectation:
    """The tokens that are expected to go, and the tests that are expected to be needed."""

    tokens: float = 0.0
    tests: float = 0.0

    @property
    def rate(self) -> float:
        """The tokens removed for each test."""
        return self.tokens / self.tests if self.tests else 0.0


@dataclass(frozen=True, slots=True)
class Rates:
    """What to expect of a batch of each type, and of the clean-up."""

    types: Mapping[str, Expectation]
    clean_up: Expectation


@dataclass(slots=True)
class _Sum:
    """Expectations of nested nodes: one for each node that the walk is in, and one around them."""

    open: list[Expectation] = field(default_factory=lambda: [Expectation()])

    def enter(self) -> None:
        self.open.append(Expectation())

    def leave(self, chance: float, tokens: int) -> None:
        """Close the innermost node: tokens(n, τ) and queries(n, τ) of the paper."""
        below = self.open.pop()
        around = self.open[-1]
        around.tokens += chance * tokens + (1.0 - chance) * below.tokens
        around.tests += 1.0 + (1.0 - chance) * below.tests


def estimate(tree: Tree, beliefs: Beliefs) -> Rates:
    """Return what to expect of every type of nodes in a tree, in one walk over it.

    Nodes that are in doubt after a failure count for the clean-up, which will try them, but not for
    a batch of their type, which will not.
    """
    sums: dict[str, _Sum] = defaultdict(_Sum)
    total = _Sum()
    inside: list[tuple[str, float, int, bool]] = []
    known: dict[str, float] = {}

    def leave_to(depth: int) -> None:
        while len(inside) > depth:
            name, chance, tokens, pending = inside.pop()
            total.leave(chance, tokens)
            if pending:
                sums[name].leave(chance, tokens)

    for depth, (place, node, name) in removals(tree, split=beliefs.online):
        leave_to(depth)
        if name not in known:
            known[name] = beliefs.in_type(name, tree.token_count)
        chance = beliefs.in_node(place, known[name], tree.token_count)
        pending = not beliefs.in_doubt(place, known[name], tree.token_count)
        inside.append((name, chance, node.token_count, pending))
        total.enter()
        if pending:
            sums[name].enter()
    leave_to(0)
    return Rates({name: one.open[0] for name, one in sums.items()}, total.open[0])
