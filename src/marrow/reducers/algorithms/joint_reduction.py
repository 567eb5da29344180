"""Probabilistic joint reduction: nodes from all over the tree go together.

Algorithm 3 and equation 4 of "Type Batched Program Reduction". A queue holds the highest nodes of
the wanted types. A chunk of them is tried next: nodes are added, by the tokens they are expected to
remove, as long as the expected gain of the whole chunk grows. The gain is the chance that all of
them can go, times their tokens. A failure lowers the beliefs in the nodes of the chunk by Bayes'
rule. A single node that must stay makes way for the nodes of the type below it.

Guarantee: none by itself; a clean-up follows. Worst case: O(n) tests for n nodes, as every failure
of several nodes lowers all of their beliefs by a factor.

Departures from the paper: a node that was in no failing chunk has the belief that its type has by
then, so a falling curve counts at once, not only in the next batch. Where the outcomes of the run
count, nodes in doubt after an earlier failure are passed over for those below them (`beliefs`), and
a batch gives way to a type that has become better.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from marrow.learn.types import Typed, type_frontier
from marrow.reducers.algorithms.beliefs import Beliefs
from marrow.reducers.streams.stream import Stream, attempt
from marrow.tree import ROOT, Kind, Place, Tree

#: Gives what follows a batch, given the tree and the beliefs by then.
BatchDone: TypeAlias = Callable[[Tree, Beliefs], Stream | None]

#: Whether a type of nodes belongs to a batch.
WantedType: TypeAlias = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class JointReduction:
    """A batch under way. `most` is the largest chunk; with 1, nodes go one by one as in Pardis.

    It gives way once the best chunk promises fewer tokens than the `rival`: what another type or
    the clean-up promises for a test. It makes at least one attempt.
    """

    wanted: WantedType
    phase: str
    done: BatchDone
    most: int | None = None
    rival: float = 0.0

    def start(self, tree: Tree, beliefs: Beliefs) -> Stream | None:
        """Reduce the nodes of the wanted types."""
        beliefs = beliefs.for_batch()
        found = pending_nodes(tree, ROOT, self.wanted, beliefs)
        if not found:
            return self.done(tree, beliefs)
        return self._run(tree, tuple(found), beliefs)

    def _run(self, tree: Tree, nodes: tuple[Typed, ...], beliefs: Beliefs) -> Stream:
        queue = list(nodes)
        tried = False
        while queue:
            chunk, queue = _pop_chunk(queue, tree, beliefs, self.most)
            if tried and _gain(chunk) < self.rival:
                break
            tried = True
            smaller = tree.delete(deletable_places(tree, chunk))
            if smaller is not tree:
                after = beliefs.after_success([one.type for one in chunk])
                yield attempt(smaller, self.phase, self._run, smaller, tuple(queue), after)
            beliefs = beliefs.after_failure(chunk, tree.token_count)
            if len(chunk) > 1:
                queue.extend(chunk)
            else:
                queue.extend(pending_nodes(tree, next(iter(chunk)).place, self.wanted, beliefs))
        return self.done(tree, beliefs)


def pending_nodes(tree: Tree, place: Place, wanted: WantedType, beliefs: Beliefs) -> list[Typed]:
    """Return the highest nodes below a place that are wanted and not in doubt."""
    tokens = tree.token_count
    of_type = cache(lambda name: beliefs.in_type(name, tokens))

    def is_pending(one: Typed) -> bool:
        return wanted(one.type) and not beliefs.in_doubt(one.place, of_type(one.type), tokens)

    return type_frontier(tree, place, is_pending, plain=beliefs.plain)


def _pop_chunk(
    queue: Sequence[Typed], tree: Tree, beliefs: Beliefs, most: int | None
) -> tuple[dict[Typed, float], list[Typed]]:
    """Take nodes from the queue as long as the expected gain grows (equation 4); one at least.

    Return them with their beliefs, and the rest of the queue.
    """
    of_type = cache(lambda name: beliefs.in_type(name, tree.token_count))
    believed = [beliefs.in_node(one.place, of_type(one.type), tree.token_count) for one in queue]
    # Of equals the later one goes first: later text uses earlier text more often than the reverse.
    order = sorted(
        range(len(queue)), key=lambda at: (-believed[at] * queue[at].node.token_count, -at)
    )
    chance, tokens, best, count = 1.0, 0, -1.0, 0
    for at in order[:most]:
        chance *= believed[at]
        tokens += queue[at].node.token_count
        if chance * tokens <= best:
            break
        best = chance * tokens
        count += 1
    chunk = {queue[at]: believed[at] for at in order[:count]}
    return chunk, [queue[at] for at in sorted(order[count:])]


def _gain(chunk: Mapping[Typed, float]) -> float:
    """Return the tokens that a chunk is expected to remove (equation 4)."""
    return math.prod(chunk.values()) * sum(one.node.token_count for one in chunk)


def deletable_places(tree: Tree, chunk: Iterable[Typed]) -> list[Place]:
    """Return the places of a chunk that can go together: of a plus, the smallest stays."""
    doomed: dict[Place, list[Typed]] = defaultdict(list)
    for one in chunk:
        if one.place.parent is not None:
            doomed[one.place.parent].append(one)
    places: list[Place] = []
    for parent, nodes in doomed.items():
        above = tree.at(parent)
        if above is None:
            continue
        if above.kind is Kind.PLUS and len(nodes) >= len(above.elements):
            nodes.remove(min(nodes, key=lambda one: one.node.token_count))
        places.extend(one.place for one in nodes)
    return places
