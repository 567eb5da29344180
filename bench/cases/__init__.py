"""The benchmark cases: real failing inputs and the tests that see the failures."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bench.cases.by_hand import BY_HAND_CASES
from bench.cases.c import C_CASES
from bench.cases.case import CannotMakeError, Case, Prepared, prepare
from bench.cases.data import DATA_CASES
from bench.cases.go import GO_CASES
from bench.cases.java import JAVA_CASES
from bench.cases.javascript import JAVASCRIPT_CASES
from bench.cases.large import GROUP, LARGE_CASES
from bench.cases.python import PYTHON_CASES
from bench.cases.rust import RUST_CASES

__all__ = ["BY_HAND", "CASES", "LARGE", "CannotMakeError", "Case", "Prepared", "prepare", "select"]

CASES: Final[dict[str, Case]] = {
    one.name: one
    for one in (
        *C_CASES,
        *JAVASCRIPT_CASES,
        *PYTHON_CASES,
        *JAVA_CASES,
        *RUST_CASES,
        *GO_CASES,
        *DATA_CASES,
    )
}

#: Large cases, which take minutes to hours: chosen by their names or by `large`, not by `all`.
LARGE: Final[dict[str, Case]] = {one.name: one for one in LARGE_CASES}

#: Cases with a best result by hand: chosen by their names or by `by-hand`, not by `all`.
BY_HAND: Final[dict[str, Case]] = {one.name: one for one in BY_HAND_CASES}


def select(names: Iterable[str]) -> list[Case]:
    """Return cases by name; a language's name stands for all of its cases. LookupError if none."""
    found: dict[str, Case] = {}
    for name in names:
        fitting = [one for one in CASES.values() if name in (one.name, one.language, "all")]
        fitting += [one for one in LARGE.values() if name in (one.name, GROUP)]
        fitting += [one for one in BY_HAND.values() if name in (one.name, "by-hand")]
        if not fitting:
            raise LookupError(f"there is no case or language called {name!r}")
        found.update((one.name, one) for one in fitting)
    return list(found.values())
