"""Watching a reducer: what it has gained for its attempts, and whether it is to go on.

A watched reducer yields the same attempts as without; once its pace is no longer good enough,
something else goes on from the tree that it has got to. Attempts count in the order of the stream,
so that the end comes at the same place for any number of workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Protocol

from marrow.reducers.stream import Attempt, Done, Reducer, Stream
from marrow.tree import Tree


class Pace(Protocol):
    """What is known of a reducer by its attempts so far."""

    def failed(self, tree: Tree, candidate: Tree) -> Pace:
        """Return what is known after another attempt failed."""

    def succeeded(self, tree: Tree, candidate: Tree) -> Pace:
        """Return what is known after another attempt succeeded."""

    def good(self, tree: Tree) -> bool:
        """Whether the reducer is to go on with the tree."""


def watched(reducer: Reducer, pace: Pace, stopped: Done) -> Reducer:
    """Return the reducer that goes on as long as its pace is good; if not, `stopped` follows."""

    def run(tree: Tree, done: Done) -> Stream | None:
        end: list[Tree] = []
        return _Watch(end, stopped, done).follow(reducer(tree, end.append), tree, pace)

    return run


@dataclass(frozen=True, slots=True)
class _Watch:
    """A watch under way. A stream that ends with nothing to follow has noted its result."""

    end: list[Tree]
    stopped: Done
    done: Done

    def follow(self, stream: Stream | None, tree: Tree, pace: Pace) -> Stream | None:
        return self.done(self.end[-1]) if stream is None else self._watch(stream, tree, pace)

    def _watch(self, stream: Stream, tree: Tree, pace: Pace) -> Stream:
        current: Stream | None = stream
        while current is not None:
            if not pace.good(tree):
                return self.stopped(tree)
            try:
                attempt = next(current)
            except StopIteration as finished:
                current = finished.value
                continue
            yield Attempt(attempt.tree, partial(self._then, attempt, tree, pace), attempt.phase)
            pace = pace.failed(tree, attempt.tree)
        return self.done(self.end[-1])

    def _then(self, attempt: Attempt, tree: Tree, pace: Pace) -> Stream | None:
        return self.follow(attempt.then(), attempt.tree, pace.succeeded(tree, attempt.tree))
