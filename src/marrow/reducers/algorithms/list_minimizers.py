"""The list minimisers by name: usable wherever ddmin is. A new one is a module and a row here.

A minimiser is a frozen dataclass; its fields are its options.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

from marrow.reducers.algorithms.ddmin import Ddmin, ListMinimizer, OneByOne, Wdd


class MinimizerRow(NamedTuple):
    """A row of the table: words for the help, and what makes the minimiser from its options."""

    description: str
    make: Callable[..., ListMinimizer]


def _probdd() -> ListMinimizer:
    from marrow.reducers.algorithms.probdd import Probdd

    return Probdd()


def _cdd() -> ListMinimizer:
    from marrow.reducers.algorithms.probdd import Cdd

    return Cdd()


LIST_MINIMIZERS: Final = {
    "ddmin": MinimizerRow("delta debugging: halves, quarters and so on, down to elements", Ddmin),
    "one-by-one": MinimizerRow("all elements at once, then each alone", OneByOne),
    "probdd": MinimizerRow("sets of elements by the belief that they can go", _probdd),
    "cdd": MinimizerRow("as probdd, with sets whose size follows from the round", _cdd),
    "wdd": MinimizerRow("as ddmin, with parts of as many tokens instead of elements", Wdd),
}


def minimizer_of(name: str, like: ListMinimizer | None = None, **options: Any) -> ListMinimizer:
    """Return the list minimiser of a name; raise LookupError if it or an option is not known.

    Options that were changed of the minimiser `like` are as there if it has them, unless they are
    given: so a preset of ddmin holds for WDD.
    """
    row = LIST_MINIMIZERS.get(name)
    if row is None:
        raise LookupError(f"there is no list minimiser called {name!r}")
    made = row.make()
    usual = None if like is None else type(like)()
    common = {
        one: getattr(like, one)
        for one in (() if like is None else _options(like))
        if getattr(like, one) != getattr(usual, one)
    }
    known = {one: value for one, value in common.items() if one in _options(made)}
    return changed_minimizer(made, **{**known, **options})


def changed_minimizer(minimize: ListMinimizer, **options: Any) -> ListMinimizer:
    """Return a minimiser with some of its options changed; raise LookupError if it has no such."""
    unknown = next((one for one in options if one not in _options(minimize)), None)
    if unknown is not None:
        name = type(minimize).__name__.lower()
        raise LookupError(f"{name} has no option called {unknown!r}")
    return replace(minimize, **options)  # type: ignore[type-var]


def _options(minimize: object) -> set[str]:
    return {one.name for one in fields(minimize) if one.init}  # type: ignore[arg-type]
