"""Attempts and streams: how an algorithm says what it wants tried, without running anything.

A *stream* yields attempts in the order in which the algorithm would make them as long as every one
of them fails. Each attempt says what follows if it succeeds: another stream. A stream that ends
returns the stream that follows if all of it failed, or None when the algorithm is finished. So the
algorithms are written as the papers write them, as functions that call each other at their end,
and the engine can look ahead through as many of them as it has workers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias

from marrow.tree import Tree

Stream: TypeAlias = Generator["Attempt", None, "Stream | None"]

#: What follows once an algorithm is finished with a tree.
Done: TypeAlias = Callable[[Tree], Stream | None]

#: An algorithm: a tree to reduce, and what to do with the result.
Reducer: TypeAlias = Callable[[Tree, Done], Stream | None]


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A candidate to try, the stream that follows if it is interesting, and words for the user.

    `unparsed`: it is worth a test even if the parser rejects it.
    In a pipeline, `pass_name` says whose attempt it is, and `skip` gives the stream that follows if
    the rest of that pass is left out.
    """

    tree: Tree
    then: Callable[[], Stream | None]
    phase: str = ""
    unparsed: bool = False
    pass_name: str = ""
    skip: Callable[[], Stream | None] | None = None


def finish(_: Tree) -> None:
    """Nothing follows: the end of a pipeline."""
    return
