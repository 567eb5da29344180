"""Probabilistic joint reduction: nodes from all over the tree go together.

Algorithm 3 and equation 4 of "Type Batched Program Reduction". A queue holds the highest nodes of
the wanted types. What is tried next is a chunk of them: nodes are added by the tokens they are
expected to remove as long as the expected gain of the whole chunk grows, the chance that all of
them can go times their tokens. A failure lowers the beliefs in the nodes of the chunk by Bayes'
rule; a single node that has to stay makes way for the nodes of the type below it.

Guarantee: none alone; what follows cleans up. Worst case: O(n) tests for n nodes, as every failure
of more than one node lowers all of their beliefs by a factor.

Departures from the paper: a node that was in no failing chunk is believed in as its type is by
then, so that a curve that falls, or what this run has shown, counts at once and not only in the
next batch.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeAlias

from marrow.learn.types import Typed, frontier
from marrow.reduce.attempt import Attempt, Stream
from marrow.reduce.beliefs import Beliefs
from marrow.tree import ROOT, Kind, Place, Tree

#: What follows a batch: the tree, and what is believed by then.
BatchDone: TypeAlias = Callable[[Tree, Beliefs], Stream | None]

#: Whether a type of nodes belongs to a batch.
Wanted: TypeAlias = Callable[[str], bool]


class _Entry(NamedTuple):
    """A node in the queue. `belief` is its own once it was in a chunk that failed."""

    place: Place
    type: str
    tokens: int
    #: The later in the text, the smaller: what comes later more often uses what was before.
    order: int
    belief: float | None = None


@dataclass(frozen=True, slots=True)
class Joint:
    """A batch under way. `most` is the largest chunk; with 1, nodes go one by one as in Pardis."""

    wanted: Wanted
    phase: str
    done: BatchDone
    most: int | None = None

    def start(self, tree: Tree, beliefs: Beliefs) -> Stream | None:
        """Reduce the nodes of the wanted types."""
        found = frontier(tree, ROOT, self.wanted)
        if not found:
            return self.done(tree, beliefs)
        return self._run(tree, tuple(_entries(found)), beliefs)

    def _run(self, tree: Tree, entries: tuple[_Entry, ...], beliefs: Beliefs) -> Stream:
        queue = list(entries)
        while queue:
            chunk, queue = _pop_chunk(queue, _now(tree, beliefs), self.most)
            types = [one.entry.type for one in chunk]
            smaller = tree.delete(_deletable(tree, [one.entry for one in chunk]))
            if smaller is not tree:
                follow = partial(self._run, smaller, tuple(queue), beliefs.after(types, gone=True))
                yield Attempt(smaller, follow, self.phase)
            if len(chunk) > 1:
                queue.extend(_lowered(chunk))
                continue
            beliefs = beliefs.after(types, gone=False)
            queue.extend(_entries(frontier(tree, chunk[0].entry.place, self.wanted)))
        return self.done(tree, beliefs)


class _Believed(NamedTuple):
    """An entry with what is believed of it now."""

    entry: _Entry
    belief: float

    @property
    def gain(self) -> float:
        """The tokens that the removal of the node alone is expected to bring: `prio`."""
        return self.belief * self.entry.tokens


def _entries(found: Iterable[Typed]) -> list[_Entry]:
    return [
        _Entry(one.place, one.type, one.node.token_count, -index) for index, one in enumerate(found)
    ]


def _now(tree: Tree, beliefs: Beliefs) -> Callable[[_Entry], _Believed]:
    """Return what says what is believed of an entry, as long as nothing changes."""
    known: dict[str, float] = {}

    def believed(entry: _Entry) -> _Believed:
        if entry.belief is not None:
            return _Believed(entry, entry.belief)
        if entry.type not in known:
            known[entry.type] = beliefs.probability(entry.type, tree.token_count)
        return _Believed(entry, known[entry.type])

    return believed


def _pop_chunk(
    queue: Sequence[_Entry], believed: Callable[[_Entry], _Believed], most: int | None
) -> tuple[list[_Believed], list[_Entry]]:
    """Take nodes from the queue as long as the expected gain grows (equation 4); one at least."""
    order = sorted(map(believed, queue), key=lambda one: (-one.gain, one.entry.order))
    chance, tokens, best, count = 1.0, 0, -1.0, 0
    for one in order[:most]:
        chance *= one.belief
        tokens += one.entry.tokens
        if chance * tokens <= best:
            break
        best = chance * tokens
        count += 1
    return order[:count], [one.entry for one in order[count:]]


def _lowered(chunk: Sequence[_Believed]) -> list[_Entry]:
    """Return the nodes of a chunk that could not all go, each believed in less: Bayes' rule."""
    some_must_stay = 1.0 - math.prod(one.belief for one in chunk)
    return [
        one.entry._replace(belief=max(0.0, 1.0 - (1.0 - one.belief) / some_must_stay))
        for one in chunk
    ]


def _deletable(tree: Tree, chunk: Sequence[_Entry]) -> list[Place]:
    """Return the places of a chunk that can go together: of a plus, the smallest stays."""
    doomed: dict[Place, list[_Entry]] = defaultdict(list)
    for entry in chunk:
        if entry.place.parent is not None:
            doomed[entry.place.parent].append(entry)
    places: list[Place] = []
    for parent, entries in doomed.items():
        above = tree.at(parent)
        if above is None:
            continue
        if above.kind is Kind.PLUS and len(entries) >= len(above.elements):
            entries.remove(min(entries, key=lambda one: one.tokens))
        places.extend(one.place for one in entries)
    return places
