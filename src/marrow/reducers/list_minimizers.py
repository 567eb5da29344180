"""The list minimisers by name: usable wherever ddmin is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from marrow.reducers.ddmin import Configuration, ListMinimizer, Minimal, Options, all_or_one, ddmin
from marrow.reducers.probdd import cdd, probdd
from marrow.reducers.stream import Stream

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ddmin:
    """ddmin with its options chosen."""

    options: Options

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return ddmin(configuration, done, self.options)


def _wdd(options: Options) -> ListMinimizer:
    """Return ddmin with parts of equal weight in tokens (Zhou et al., "WDD", 2025)."""
    return Ddmin(replace(options, weighted=True))


#: Each turns ddmin's options into a minimiser; those of another kind have no use for them.
LIST_MINIMIZERS: Final[dict[str, Callable[[Options], ListMinimizer]]] = {
    "ddmin": Ddmin,
    "one-by-one": lambda _: all_or_one,
    "probdd": lambda _: probdd,
    "cdd": lambda _: cdd,
    "wdd": _wdd,
}
