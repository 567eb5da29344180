"""Schedules: which type of nodes is batched next, and when batching ends.

Algorithm 2 of "Type Batched Program Reduction" (`take_best` and `stop_early`), and the schedules
that its section 4.2 compares it with.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from marrow.reducers.batched.estimated_rates import Rates

#: Chooses the next type, given the rates of the remaining types and the number of batches so far.
#: None ends the batching.
Schedule: TypeAlias = Callable[[Rates, int], str | None]


def take_best(rates: Rates, _: int) -> str | None:
    """Choose the type with the best rate, until that is no better than the clean-up's."""
    return max(_better(rates), key=lambda name: (rates.types[name].rate, name), default=None)


def at_random(seed: int) -> Schedule:
    """Choose any type that is better than the clean-up."""

    def choose(rates: Rates, number: int) -> str | None:
        names = sorted(_better(rates))
        return random.Random(f"{seed} {number}").choice(names) if names else None

    return choose


def in_order(names: tuple[str, ...]) -> Schedule:
    """Choose the types in a given order, whatever their rates."""

    def choose(rates: Rates, _: int) -> str | None:
        return next((name for name in names if name in rates.types), None)

    return choose


def _better(rates: Rates) -> list[str]:
    least = rates.clean_up.rate
    return [name for name, one in rates.types.items() if one.rate > least]
