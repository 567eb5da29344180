"""Run an attempt stream by hand: the simplest engine there can be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from marrow.reducers.streams.stream import Attempts, Stream
from marrow.tree import Tree, size


@dataclass
class Run:
    """What came of a stream: the last tree, and the candidates in the order they were tried."""

    tree: Tree
    tried: list[bytes] = field(default_factory=list)
    accepted: list[bytes] = field(default_factory=list)


def run(tree: Tree, stream: Stream | None, test: Callable[[Tree], bool]) -> Run:
    """Try attempts one by one, never the same text twice."""
    result = Run(tree)
    known: dict[bytes, bool] = {tree.text: True}
    attempts = Attempts(stream)
    while (attempt := next(attempts, None)) is not None:
        candidate = attempt.tree
        if not size(candidate) < size(result.tree):
            continue
        if candidate.text not in known:
            result.tried.append(candidate.text)
            known[candidate.text] = test(candidate)
        if known[candidate.text]:
            result.tree = candidate
            result.accepted.append(candidate.text)
            attempts = Attempts(attempt.then())
    return result
