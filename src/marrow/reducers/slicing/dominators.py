"""Dominators: in a graph with one node at its top, what only paths through a node lead to.

Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from marrow.base.deadline import look


def dominated(top: int, following: Callable[[int], Sequence[int]]) -> dict[int, list[int]]:
    """Return the nodes that each node dominates immediately; all are reached from the top."""
    order = _postorder(top, following)
    found: dict[int, list[int]] = defaultdict(list)
    for index, above in _dominators(top, order, following).items():
        if index != top:
            found[above].append(index)
    return found


def _postorder(top: int, following: Callable[[int], Sequence[int]]) -> list[int]:
    """Return the nodes from the top, each after all that it first leads to."""
    order: list[int] = []
    seen = {top}
    stack: list[tuple[int, Iterator[int]]] = [(top, iter(following(top)))]
    while stack:
        index, others = stack[-1]
        for one in others:
            if one not in seen:
                seen.add(one)
                stack.append((one, iter(following(one))))
                break
        else:
            order.append(index)
            stack.pop()
    return order


def _dominators(
    top: int, order: Sequence[int], following: Callable[[int], Sequence[int]]
) -> dict[int, int]:
    """Return the immediate dominator of each node."""
    number = {index: at for at, index in enumerate(order)}
    before: dict[int, list[int]] = defaultdict(list)
    for index in order:
        for one in following(index):
            before[one].append(index)
    found = {top: top}
    changed = True
    while changed:
        look()
        changed = False
        for index in reversed(order[:-1]):
            new = -1
            for one in before[index]:
                if one in found:
                    new = one if new < 0 else _meeting(found, number, one, new)
            if found.get(index) != new:
                found[index] = new
                changed = True
    return found


def _meeting(found: dict[int, int], number: dict[int, int], one: int, other: int) -> int:
    """Return the nearest node that dominates both."""
    while one != other:
        while number[one] < number[other]:
            one = found[one]
        while number[other] < number[one]:
            other = found[other]
    return one
