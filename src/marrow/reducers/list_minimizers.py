"""The list minimisers by name: usable wherever ddmin is. A new one is a module and a row here.

A minimiser is a frozen dataclass; its fields are its options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, TypeVar

from marrow.reducers.ddmin import Configuration, ListMinimizer, Minimal, Options, all_or_one, ddmin
from marrow.reducers.probdd import cdd, probdd
from marrow.reducers.stream import Stream

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ddmin(Options):
    """ddmin with its options chosen."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return ddmin(configuration, done, self)


@dataclass(frozen=True, slots=True)
class Wdd(Ddmin):
    """ddmin with parts of equal weight in tokens (Zhou et al., "WDD", 2025)."""

    weighted: bool = field(default=True, init=False)


@dataclass(frozen=True, slots=True)
class OneByOne:
    """All elements at once, then each alone."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return all_or_one(configuration, done)


@dataclass(frozen=True, slots=True)
class Probdd:
    """Probabilistic delta debugging."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return probdd(configuration, done)


@dataclass(frozen=True, slots=True)
class Cdd:
    """Probabilistic delta debugging by counters."""

    def __call__(self, configuration: Configuration[T], done: Minimal[T], /) -> Stream:
        """Minimise a configuration."""
        return cdd(configuration, done)


@dataclass(frozen=True, slots=True)
class MinimizerRow:
    """A row of the table: words for the help, and what makes the minimiser from its options."""

    description: str
    make: Callable[..., ListMinimizer]


LIST_MINIMIZERS: Final = {
    "ddmin": MinimizerRow("delta debugging: halves, quarters and so on, down to elements", Ddmin),
    "one-by-one": MinimizerRow("all elements at once, then each alone", OneByOne),
    "probdd": MinimizerRow("sets of elements by the belief that they can go", Probdd),
    "cdd": MinimizerRow("as probdd, with sets whose size follows from the round", Cdd),
    "wdd": MinimizerRow("as ddmin, with parts of as many tokens instead of elements", Wdd),
}


def minimizer_of(name: str, like: ListMinimizer | None = None, **options: Any) -> ListMinimizer:
    """Return the list minimiser of a name; raise LookupError if it or an option is not known.

    Options that it has in common with the minimiser `like` are as there, unless they are given: so
    a preset of ddmin holds for WDD.
    """
    row = LIST_MINIMIZERS.get(name)
    if row is None:
        raise LookupError(f"there is no list minimiser called {name!r}")
    _check(options, row.make)
    common = {} if like is None else {one: getattr(like, one) for one in _options(like)}
    known = {one: value for one, value in common.items() if one in _options(row.make)}
    return row.make(**{**known, **options})


def changed_minimizer(minimize: ListMinimizer, **options: Any) -> ListMinimizer:
    """Return a minimiser with some of its options changed; raise LookupError if it has no such."""
    _check(options, minimize)
    return replace(minimize, **options)  # type: ignore[type-var]


def _options(minimize: object) -> set[str]:
    """Return the names of the options of a minimiser, or of its class."""
    return {one.name for one in fields(minimize) if one.init}  # type: ignore[arg-type]


def _check(options: dict[str, Any], minimize: object) -> None:
    unknown = next((one for one in options if one not in _options(minimize)), None)
    if unknown is not None:
        kind = minimize if isinstance(minimize, type) else type(minimize)
        raise LookupError(f"{kind.__name__.lower()} has no option called {unknown!r}")
