"""The Perses paper: Tables 1 (size, tests), 2 (time, speed), 3 (ratios) and 4 (Java).

`table1-c` is Table 1 on a real program, without the ways by lines and with seconds.
`normal-form` compares the trees that `perses*` can be given: lists found while lowering (the
default), and the paper's normal form.
"""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Callable, Mapping
from typing import Any, Final

from bench.papers.measure import MULTIDELTA, Measured, Subject, measured, rows

#: The columns of Tables 1 and 2, but for C-Reduce (`python -m bench.compare` has C-Vise): one pass
#: and to a fixpoint, HDD and Perses as in the paper; then marrow's own.
COLUMNS: Final[Mapping[str, tuple[str, dict[str, Any]]]] = {
    "Delta": ("ddmin", {}),
    **({"MultiDelta": (MULTIDELTA, {})} if shutil.which("topformflat") else {}),
    "Delta*": ("ddmin*", {}),
    "HDD": ("blind-hdd", {}),
    "HDD*": ("blind-hdd*", {}),
    "Perses": ("perses", {"preset": "perses"}),
    "Perses*": ("perses*", {"preset": "perses"}),
    "marrow's hdd*": ("hdd*", {}),
    "marrow's perses*": ("perses*", {}),
}

#: Those that Table 3 compares, and with which.
_COMPARED: Final = ("Perses", "Perses*")
_OTHERS: Final = tuple(
    one for one in ("Delta", "MultiDelta", "Delta*", "HDD", "HDD*") if one in COLUMNS
)

#: What the tables print: means over twenty C programs of 94,486 tokens on average.
PRINTED_1: Final = (
    "The paper's means on 20 C programs of 94,486 tokens, tokens left and tests: Delta 10,704 and "
    "19,465; MultiDelta 5,252 and 11,556; Delta to a fixpoint 4,573 and 78,305; C-Reduce 90 and "
    "27,359; HDD 2,008 and 9,603; HDD to a fixpoint 575 and 16,886; Perses 1,730 and 2,795; Perses "
    "to a fixpoint 257 and 5,095."
)
PRINTED_2: Final = (
    "The paper's means, seconds and tokens removed a second: Delta 5,477 and 24; MultiDelta 2,102 "
    "and 56; Delta to a fixpoint 9,710 and 20; C-Reduce 3,675 and 33; HDD 3,347 and 46; HDD to a "
    "fixpoint 4,658 and 37; Perses 1,381 and 86; Perses to a fixpoint 2,198 and 63."
)
PRINTED_3: Final = (
    "The paper, Perses against Delta, MultiDelta, Delta*, HDD, HDD*: size 16, 33, 38, 86, 300%, "
    "tests 14, 24, 4, 29, 17%, time 25, 66, 14, 41, 30%, speed 3.6, 1.5, 4.3, 1.9, 2.3x; to a "
    "fixpoint size 2, 5, 6, 13, 45%, tests 26, 44, 7, 53, 30%, time 40, 105, 23, 66, 47%, speed "
    "2.6, 1.1, 3.2, 1.4, 1.7x."
)
PRINTED_4: Final = (
    "The paper's totals on five Java programs of 2,837 tokens: HDD to a fixpoint 500 tokens, 6,188 "
    "tests, 690 s; Perses to a fixpoint 441, 1,550, 333 s."
)

_FIGURES: Final[Mapping[str, Callable[[Measured], float]]] = {
    "tokens": lambda run: run.tokens_after,
    "tests": lambda run: run.tests,
    "seconds": lambda run: run.seconds,
    "tokens removed a second": lambda run: run.speed,
}

#: The rows of Table 3, and whether they are shares or factors.
_RATIOS: Final = {"size": "tokens", "tests": "tests", "time": "seconds"}


def _run(one: Subject, name: str) -> Measured:
    algorithm, options = COLUMNS[name]
    return measured(one, algorithm, by_grammar=True, **options)


def _table(
    figures: tuple[str, ...], printed: str, columns: tuple[str, ...] = tuple(COLUMNS)
) -> Callable[[list[Subject]], str]:
    def make(some: list[Subject]) -> str:
        values = {
            name: [[_FIGURES[figure](run) for figure in figures] for run in runs]
            for name, runs in ((name, [_run(one, name) for one in some]) for name in columns)
        }
        body = []
        for at, one in enumerate(some):
            before = f"{_run(one, columns[0]).tokens_before:,}"
            body.append([one.name, before, *(_cell(values[name][at]) for name in columns)])
        for title, average in (("mean", statistics.mean), ("median", statistics.median)):
            cells = [
                _cell([average(part) for part in zip(*values[name], strict=True)])
                for name in columns
            ]
            body.append([title, "", *cells])
        words = ", ".join(figures)
        head = rows(["case", "tokens", *columns], body)
        return f"{words[:1].upper()}{words[1:]}.\n\n{head}\n\n{printed}"

    return make


def _cell(values: list[float]) -> str:
    return ", ".join(f"{value:,.0f}" if value >= 10 else f"{value:,.3g}" for value in values)


def table_3(some: list[Subject]) -> str:
    """Table 3: the means of Perses over those of the others."""

    def mean(name: str, figure: str) -> float:
        return statistics.mean(_FIGURES[figure](_run(one, name)) for one in some)

    body = []
    for title, figure in _RATIOS.items():
        for name in _COMPARED:
            shares = [mean(name, figure) / max(mean(other, figure), 1e-9) for other in _OTHERS]
            body.append([title, name, *(f"{share:.0%}" for share in shares)])
    speed = "tokens removed a second"
    for name in _COMPARED:
        factors = [mean(name, speed) / max(mean(other, speed), 1e-9) for other in _OTHERS]
        body.append(["speed", name, *(f"{factor:.1f}x" for factor in factors)])
    return f"{rows(['', '', *_OTHERS], body)}\n\n{PRINTED_3}"


def normal_forms(some: list[Subject]) -> str:
    """What `perses*` makes of each tree."""
    forms: dict[str, dict[str, Any]] = {
        "found": {},
        "full": {"normal_form": "full"},
    }
    body, runs = [], []
    for one in some:
        found = [measured(one, "perses*", by_grammar=True, **options) for options in forms.values()]
        runs.append(found)
        cells = [f"{run.tokens_after:,}, {run.tests:,}" for run in found]
        body.append([f"{one.name}, {one.language}", f"{found[0].tokens_before:,}", *cells])
    sums = [
        f"{sum(run.tokens_after for run in column):,}, {sum(run.tests for run in column):,}"
        for column in zip(*runs, strict=True)
    ]
    body.append(["all", "", *sums])
    return f"Tokens, tests.\n\n{rows(['case', 'tokens', *forms], body)}"


_REAL: Final = ("tokens", "tests", "seconds")

TABLES: Final = {
    "table1": _table(("tokens", "tests"), PRINTED_1),
    #: A real program; a test takes a tenth of a second.
    "table1-c": _table(_REAL, PRINTED_1, ("HDD", "HDD*", "Perses", "Perses*")),
    "table2": _table(("seconds", "tokens removed a second"), PRINTED_2),
    "table3": table_3,
    "table4": _table(_REAL, PRINTED_4, ("HDD*", "Perses*")),
    "normal-form": normal_forms,
}
