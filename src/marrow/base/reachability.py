"""What can be reached in a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

_Node = TypeVar("_Node", bound=Hashable)


def reached(
    starts: Iterable[_Node], following: Callable[[_Node], Iterable[_Node]]
) -> dict[_Node, None]:
    """Return the nodes that some lead to, themselves included."""
    found = dict.fromkeys(starts)
    waiting = list(found)
    while waiting:
        for one in following(waiting.pop()):
            if one not in found:
                found[one] = None
                waiting.append(one)
    return found
