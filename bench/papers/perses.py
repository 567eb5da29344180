"""The Perses paper: Tables 1 to 3 (size, tests, time, tokens removed a second), Table 4 on Java."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any, Final

from bench.papers.measure import MULTIDELTA, Measured, Subject, measured, rows

#: The columns: one pass and to a fixpoint, on the tree of the normal form as in the paper.
COLUMNS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ddmin*": ("ddmin*", {}),
    "multidelta": (MULTIDELTA, {}),
    "hdd": ("hdd", {"once": True}),
    "hdd*": ("hdd*", {}),
    "perses": ("perses", {"once": True, "normal_form": "full"}),
    "perses*": ("perses*", {"normal_form": "full"}),
    "perses*, marrow's": ("perses*", {}),
}

#: What the tables print: means over twenty C programs of 94,486 tokens on average.
PRINTED: Final = (
    "The paper's means on 20 C programs of 94,486 tokens, tokens left and tests: Delta 10,704 and "
    "19,465; MultiDelta 5,252 and 11,556; Delta to a fixpoint 4,573 and 78,305; C-Reduce 90 and "
    "27,359; HDD 2,008 and 9,603; HDD to a fixpoint 575 and 16,886; Perses 1,730 and 2,795; Perses "
    "to a fixpoint 257 and 5,095."
)

_FIGURES: Final[dict[str, Callable[[Measured], float]]] = {
    "tokens": lambda run: run.tokens_after,
    "tests": lambda run: run.tests,
    "seconds": lambda run: run.seconds,
    "tokens removed a second": lambda run: run.speed,
}


def _table(figures: tuple[str, ...]) -> Callable[[list[Subject]], str]:
    def make(some: list[Subject]) -> str:
        body: list[list[str]] = []
        sums: dict[str, list[list[float]]] = {name: [] for name in COLUMNS}
        for one in some:
            cells = [one.name]
            for name, (algorithm, options) in COLUMNS.items():
                run = measured(one, algorithm, by_grammar=True, **options)
                values = [_FIGURES[figure](run) for figure in figures]
                sums[name].append(values)
                cells.append(", ".join(f"{value:,.0f}" for value in values))
            body.append(cells)
        means = [
            ", ".join(f"{statistics.mean(part):,.0f}" for part in zip(*values, strict=True))
            for values in sums.values()
        ]
        body.append(["mean", *means])
        words = ", ".join(figures)
        return f"{words[:1].upper()}{words[1:]}.\n\n{rows(['case', *COLUMNS], body)}\n\n{PRINTED}"

    return make


TABLES: Final = {
    "table1": _table(("tokens", "tests")),
    "table2": _table(("seconds", "tokens removed a second")),
    "table3": _table(("tokens", "tests", "seconds", "tokens removed a second")),
    "table4": _table(("tokens", "tests", "seconds")),
}
