"""Type-batched reduction: one type of nodes at a time, the most rewarding first.

"Type Batched Program Reduction", Algorithm 1. As long as some type of nodes promises more tokens
for a test than the clean-up (`estimated_rates`), all nodes of the best type are reduced
(`joint_reduction`). Then the clean-up, `perses*`, reduces what is left. So expressions and
statements go before the declarations that they use, and many nodes go at once.

Departures from the paper, where the outcomes of the run count:

- types are split by whether a name that a node introduces is used after it (`tree.names`);
- Perses goes first as long as it halves the tree often enough, and batches end when they fail too
  often;
- a type may have several batches, and a batch gives way to a better type;
- before the clean-up, elements are tried together with their orphans, by the `last` reducer.

The rate of a type is its expected tokens over its expected tests (Equations 1 to 3): a node of the
type goes with all its tokens with the probability of its type; if it stays, the nodes of the type
below it are tried. The clean-up tries nodes of all types, each with its own probability.

`Lead` says when Perses hands over to batches, `FAILED_SHARE` when these give up. Lists of which
most can go shrink in a few tests by ddmin's halves, sooner than batches could learn about them. A
small input that must stay costs batches tests that the clean-up needs again. With both rules,
batching costs little where it does not help.

Guarantee: that of the clean-up. Worst case: O(n) tests for n removable nodes, and the clean-up's.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from typing import Final, NamedTuple, TypeAlias

from marrow.learn.model import Model, with_plain_types
from marrow.learn.types import removals
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.algorithms.ddmin import minimize_lists
from marrow.reducers.algorithms.joint_reduction import (
    JointReduction,
    deletable_places,
    pending_nodes,
)
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.algorithms.probdd import Probdd
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import (
    Done,
    FewFailures,
    Reducer,
    Stream,
    in_turn,
    while_it_pays,
)
from marrow.tree import ROOT, Place, Tree
from marrow.tree.node_words import node_words


class Expectation(NamedTuple):
    """The tokens that are expected to go, and the tests that are expected to be needed."""

    tokens: float = 0.0
    tests: float = 0.0

    @property
    def rate(self) -> float:
        """The tokens removed for each test."""
        return self.tokens / self.tests if self.tests else 0.0

    def with_node(self, chance: float, tokens: int, below: Expectation) -> Expectation:
        """Add a node, given what is below it: tokens(n, τ) and queries(n, τ) of the paper."""
        stays = 1.0 - chance
        removed = self.tokens + (chance * tokens + stays * below.tokens)
        return Expectation(removed, self.tests + (1.0 + stays * below.tests))


@dataclass(frozen=True, slots=True)
class Rates:
    """The expectations of a batch of each type, and of the clean-up."""

    types: Mapping[str, Expectation]
    clean_up: Expectation


def estimated_rates(tree: Tree, beliefs: Beliefs) -> Rates:
    """Return the expectations of every type of nodes in a tree, in one walk over it.

    Nodes that are in doubt after a failure count for the clean-up, which will try them, but not for
    a batch of their type, which will not.
    """
    # The expectations of all nodes, and of those of each type: one for each node that the walk is
    # in, and one around them.
    sums: dict[str, list[Expectation]] = defaultdict(lambda: [Expectation()])
    total = [Expectation()]
    inside: list[tuple[float, int, list[list[Expectation]]]] = []
    in_type = cache(lambda name: beliefs.in_type(name, tree.token_count))

    def leave_to(depth: int) -> None:
        while len(inside) > depth:
            chance, tokens, open_sums = inside.pop()
            for nested in open_sums:
                below = nested.pop()
                nested[-1] = nested[-1].with_node(chance, tokens, below)

    for depth, (place, node, name) in removals(tree, plain=beliefs.plain):
        leave_to(depth)
        chance = of_type = in_type(name)
        if beliefs.initial is None:
            chance = beliefs.in_node(place, of_type, tree.token_count)
        # Few beliefs are less than that of their type.
        pending = chance >= of_type or not beliefs.in_doubt(place, of_type, tree.token_count)
        open_sums = [total, sums[name]] if pending else [total]
        for nested in open_sums:
            nested.append(Expectation())
        inside.append((chance, node.token_count, open_sums))
    leave_to(0)
    return Rates({name: whole for name, (whole,) in sums.items()}, total[0])


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

    An attempt costs the share of the tokens that it would leave: trying to remove nearly everything
    is cheap. A success earns by how much it shrinks the tree.
    """

    left: float = GRACE

    def failed(self, tree: Tree, candidate: Tree) -> Lead:
        """Count a failure."""
        return Lead(self.left - _cost(tree, candidate))

    def succeeded(self, tree: Tree, candidate: Tree) -> Lead:
        """Count an attempt and what it earned."""
        left = self.left - _cost(tree, candidate)
        halvings = math.log2(max(1, tree.token_count) / max(1, candidate.token_count))
        return Lead(max(left, min(SAVINGS, left + HALVING * halvings)))

    def good(self, _: Tree) -> bool:
        """Whether Perses continues."""
        return self.left > 0


def _cost(tree: Tree, candidate: Tree) -> float:
    return max(LEAST_COST, candidate.token_count / max(1, tree.token_count))


#: Reduces the nodes of a batch (`typed_traversal_reduction`).
BatchReduction: TypeAlias = Callable[[JointReduction, Tree, Beliefs], Stream | None]

#: Chooses the next type, given the rates of the remaining types and the number of batches so far.
#: None ends the batching. `take_best` is Algorithm 2 with `stop_early`; section 4.2 has another.
Schedule: TypeAlias = Callable[[Rates, int], str | None]

#: How many of the types that the technique chose random schedules permute (section 4.2).
PERMUTED: Final = 5


def take_best(rates: Rates, _: int) -> str | None:
    """Choose the type with the best rate, as long as it beats the clean-up's."""
    least = rates.clean_up.rate
    better = (name for name, one in rates.types.items() if one.rate > least)
    return max(better, key=lambda name: (rates.types[name].rate, name), default=None)


def permuted(seed: int, chosen: Sequence[str]) -> Schedule:
    """Choose the first types that the technique chose, up to five, in an order drawn by lot.

    Section 4.2 permutes the types of the technique's own schedule, and leaves that schedule out.
    Seeds that follow each other have different orders, as far as there are any.
    """
    orders = [*permutations(chosen[:PERMUTED])]
    orders = orders[1:] or orders
    random.Random(0).shuffle(orders)
    order = orders[seed % len(orders)]
    return lambda rates, _: next((name for name in order if name in rates.types), None)


def chosen_types(tree: Tree, beliefs: Beliefs) -> list[str]:
    """Return the types in the order in which the technique would choose them.

    As far as can be told before the run: each batch takes along all its nodes.
    """
    chosen: list[str] = []
    while len(chosen) < PERMUTED:
        rates = estimated_rates(tree, beliefs)
        left = {name: one for name, one in rates.types.items() if name not in chosen}
        best = take_best(Rates(left, rates.clean_up), len(chosen))
        if best is None:
            break
        chosen.append(best)
        doomed = pending_nodes(tree, ROOT, best.__eq__, beliefs)
        tree = tree.delete(deletable_places(tree, doomed))
    return chosen


def by_pardis(batch: JointReduction, tree: Tree, beliefs: Beliefs) -> Stream | None:
    """Reduce nodes one by one, the largest first, as Pardis does."""
    return replace(batch, most=1).start(tree, beliefs)


def by_probdd(batch: JointReduction, tree: Tree, beliefs: Beliefs) -> Stream | None:
    """Reduce the highest wanted nodes list by list, with probabilistic delta debugging."""
    lists: dict[Place, list[Place]] = defaultdict(list)
    for one in pending_nodes(tree, ROOT, batch.wanted, beliefs):
        if one.place.parent is not None:
            lists[one.place.parent].append(one.place)

    def follow(after: Tree) -> Stream | None:
        tried = [place for places in lists.values() for place in places]
        return batch.done(after, beliefs.doubting(tried, after.token_count))

    some = [(place, tuple(places)) for place, places in lists.items()]
    return minimize_lists(Probdd(), some, tree, follow, batch.phase)


@dataclass(frozen=True, slots=True)
class Batching:
    """A variant of type-batched reduction."""

    #: Gives another schedule than the technique's, from a seed and the types that it chooses.
    schedule: Callable[[int, Sequence[str]], Schedule] | None = None
    #: Nodes go together, by Algorithm 3, or in another way.
    traversal: BatchReduction = JointReduction.start
    #: Whether success becomes more or less likely as the input shrinks.
    varying: bool = True
    #: Whether types matter; if not, all nodes are one batch.
    typed: bool = True


#: The variants that sections 4.2 and 4.3 compare.
BATCHED_VARIANTS: Final[Mapping[str, Batching]] = {
    "batched": Batching(),
    "batched-pardis": Batching(traversal=by_pardis),
    "batched-probdd": Batching(traversal=by_probdd),
    "batched-random": Batching(schedule=permuted),
    "batched-invariant": Batching(varying=False),
    "joint": Batching(typed=False),
}


def type_batched_reduction(
    parts: Batching,
    model: Model,
    slots: Slots | None = None,
    *,
    online: bool = True,
    seed: int = 0,
    first: Reducer | None = None,
    last: Reducer | None = None,
    initial: float | None = None,
    plain: bool = False,
) -> Reducer:
    """Return the reducer that batches types of nodes, without the clean-up.

    A `first` reducer runs as long as it pays. Then come the batches, until too many attempts fail
    in a row, and then the `last` reducer, for what batches of one type never try. `initial`
    is the paper's b_n, see `Beliefs`. `plain` types are rules alone.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        known = with_plain_types(model) if plain else model
        beliefs = Beliefs(known, tree.token_count, online, parts.varying, initial, plain)

        def batches(tree: Tree, done: Done) -> Stream | None:
            flat = flatten(tree, slots)
            if not parts.typed:
                phase = "deleting nodes together"
                batch = JointReduction(lambda _: True, phase, lambda after, _: done(after))
                return parts.traversal(batch, flat, beliefs)
            schedule: Schedule = take_best
            if parts.schedule is not None:
                schedule = parts.schedule(seed, chosen_types(flat, beliefs))
            return _Batches(parts, schedule, done).next(0, frozenset(), flat, beliefs)

        if first is None:
            return batches(tree, done)
        then = [
            while_it_pays(one, FewFailures(share=FAILED_SHARE))
            for one in (batches, last)
            if one is not None
        ]
        return while_it_pays(first, Lead(), in_turn(*then))(tree, done)

    return run


@dataclass(frozen=True, slots=True)
class _Batches:
    """The batches under way (Algorithm 1)."""

    parts: Batching
    schedule: Schedule
    done: Done

    def next(
        self, number: int, over: frozenset[str], tree: Tree, beliefs: Beliefs
    ) -> Stream | None:
        """Reduce the nodes of the best type that is left, or end.

        In the paper's setting a type has one batch. Where the outcomes of the run count, it may
        have another one once the beliefs in its nodes have recovered.
        """
        rates = estimated_rates(tree, beliefs)
        left = {name: one for name, one in rates.types.items() if name not in over}
        best = self.schedule(Rates(left, rates.clean_up), number)
        if best is None:
            return self.done(tree)
        over = over if beliefs.online else over | {best}
        phase = f"deleting {node_words(best)} together"
        rival = _rival(left, best, rates.clean_up) if beliefs.online else 0.0

        def follow(after: Tree, now: Beliefs) -> Stream | None:
            return self.next(number + 1, over, after, now)

        batch = JointReduction(best.__eq__, phase, follow, rival=rival)
        return self.parts.traversal(batch, tree, beliefs)


def _rival(types: Mapping[str, Expectation], chosen: str, clean_up: Expectation) -> float:
    """Return the best rate of the alternatives to a type, but no more than its own."""
    others = [one.rate for name, one in types.items() if name != chosen]
    return min(types[chosen].rate, max([*others, clean_up.rate]))
