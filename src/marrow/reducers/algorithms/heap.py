"""An immutable priority queue: every step makes a new one that shares parts with the old one.

A stream continues as if every attempt failed, while the stream that follows a success still needs
the queue as it was. Copying it for each would cost more than the algorithm. This is a pairing heap
(Fredman, Sedgewick, Sleator, Tarjan 1986) of immutable nodes: push in constant time, pop in
logarithmic time on average.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Node(Generic[T]):
    key: tuple[int, ...]
    value: T
    below: tuple[_Node[T], ...] = ()


@dataclass(frozen=True, slots=True)
class Heap(Generic[T]):
    """A queue of values by key, smallest key first; values with equal keys in order of arrival."""

    _top: _Node[T] | None = None
    _arrivals: int = 0

    def __bool__(self) -> bool:
        return self._top is not None

    def push(self, items: Iterable[tuple[int, T]]) -> Heap[T]:
        """Return the heap with more values, each with its key."""
        top, arrivals = self._top, self._arrivals
        for key, value in items:
            node = _Node((key, arrivals), value)
            top = node if top is None else _linked(top, node)
            arrivals += 1
        return Heap(top, arrivals)

    def pop(self) -> tuple[T, Heap[T]]:
        """Return the value with the smallest key, and the heap without it."""
        if self._top is None:
            raise IndexError("pop from an empty heap")
        return self._top.value, Heap(_merged(self._top.below), self._arrivals)


def _linked(one: _Node[T], two: _Node[T]) -> _Node[T]:
    first, second = (one, two) if one.key <= two.key else (two, one)
    return _Node(first.key, first.value, (*first.below, second))


def _merged(nodes: tuple[_Node[T], ...]) -> _Node[T] | None:
    """Merge in pairs from the left, then the pairs from the right: what makes pops cheap."""
    pairs = [
        _linked(nodes[index], nodes[index + 1]) if index + 1 < len(nodes) else nodes[index]
        for index in range(0, len(nodes), 2)
    ]
    top: _Node[T] | None = None
    for node in reversed(pairs):
        top = node if top is None else _linked(top, node)
    return top
