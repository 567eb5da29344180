"""Recursion at the ends of a rule: the one finder of lists and operators that are spelled by it.

Perses Normal Form and the parser both turn such rules into lists. Each has its own symbols, so
alternatives are tuples of symbols of any kind here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Symbol = TypeVar("Symbol", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Recursion(Generic[Symbol]):
    """The alternatives of a rule `N`, by how they are recursive at their ends.

    Each is listed by its place in the rule, without the `N` at its ends: what is between in
    `N op N` (`binary`), what follows in `N a` (`suffix`), what precedes in `a N` (`prefix`);
    `primary` has the others as they are. `idle` says that `N` alone is an alternative.
    """

    binary: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    suffix: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    prefix: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    primary: dict[int, tuple[Symbol, ...]] = field(default_factory=dict)
    idle: bool = False


def recursion(alternatives: Sequence[tuple[Symbol, ...]], this: Symbol) -> Recursion[Symbol]:
    """Sort the alternatives of the rule `this` by how they are recursive."""
    found: Recursion[Symbol] = Recursion(idle=(this,) in alternatives)
    for place, items in enumerate(alternatives):
        if items == (this,):
            continue
        left, right = items[:1] == (this,), items[-1:] == (this,)
        if left and right:
            found.binary[place] = items[1:-1]
        elif left:
            found.suffix[place] = items[1:]
        elif right:
            found.prefix[place] = items[:-1]
        else:
            found.primary[place] = items
    return found
