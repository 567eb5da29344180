"""The estimated rate of reduction of every type of nodes: tokens removed for each test.

Equations 1 to 3 of "Type Batched Program Reduction": a node of the type goes with all its tokens
with the probability of its type; if it does not, the nodes of the type below it are tried. The rate
of a type is the quotient of the expected tokens and the expected tests. The clean-up tries nodes of
all types, each with the probability of its own type.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from marrow.learn.types import removals
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.tree import Tree


@dataclass(frozen=True, slots=True)
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
    """The expectations of a batch of each type, and of the clean-up."""

    types: Mapping[str, Expectation]
    clean_up: Expectation


class _Sum:
    """Expectations of nested nodes: one for each node that the walk is in, and one around them."""

    __slots__ = ("_tests", "_tokens")

    def __init__(self) -> None:
        self._tokens: Final = [0.0]
        self._tests: Final = [0.0]

    @property
    def whole(self) -> Expectation:
        """The expectation of all nodes, once the walk has left them."""
        return Expectation(self._tokens[0], self._tests[0])

    def enter(self) -> None:
        self._tokens.append(0.0)
        self._tests.append(0.0)

    def leave(self, chance: float, tokens: int) -> None:
        """Close the innermost node: tokens(n, τ) and queries(n, τ) of the paper."""
        stays = 1.0 - chance
        below = self._tokens.pop()
        self._tokens[-1] += chance * tokens + stays * below
        below = self._tests.pop()
        self._tests[-1] += 1.0 + stays * below


def estimated_rates(tree: Tree, beliefs: Beliefs) -> Rates:
    """Return the expectations of every type of nodes in a tree, in one walk over it.

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
        of_type = known.get(name)
        if of_type is None:
            of_type = known[name] = beliefs.in_type(name, tree.token_count)
        chance = of_type
        if beliefs.initial is None:
            chance = beliefs.in_node(place, of_type, tree.token_count)
        # Few beliefs are less than that of their type.
        pending = chance >= of_type or not beliefs.in_doubt(place, of_type, tree.token_count)
        inside.append((name, chance, node.token_count, pending))
        total.enter()
        if pending:
            sums[name].enter()
    leave_to(0)
    return Rates({name: one.whole for name, one in sums.items()}, total.whole)
