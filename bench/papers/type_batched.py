"""Type batching: Table 2, schedules by lot (RQ1), lengths of schedules, the Wilcoxon test."""

from __future__ import annotations

import importlib
import statistics
from typing import Any, Final

from bench.papers.measure import Measured, Subject, measured, rows

_PAPER: Final[dict[str, Any]] = {"preset": "type-batched"}

#: The columns of Table 2, then marrow's own batching.
COLUMNS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "perses*": ("perses*", {}),
    "pardis*": ("pardis*", {}),
    "batched, the paper's": ("batched", _PAPER),
    "batched, marrow's": ("batched", {}),
}

PRINTED: Final = (
    "The paper's geometric means on 18 C programs of 31,102 tokens: Perses 243 tokens left and "
    "3,315 tests, Pardis 250 and 2,088, type batching 249 and 1,261."
)

#: So many random permutations, as in the paper.
PERMUTATIONS: Final = 20


def _runs(one: Subject) -> list[Measured]:
    return [
        measured(one, algorithm, by_grammar=False, **options)
        for algorithm, options in COLUMNS.values()
    ]


def table_2(some: list[Subject]) -> str:
    """Table 2: tokens left, tests, tokens removed a test."""
    body: list[list[str]] = []
    found = [_runs(one) for one in some]
    for one, runs in zip(some, found, strict=True):
        cells = [f"{one.name} ({runs[0].tokens_before:,})"]
        for run in runs:
            rate = (run.tokens_before - run.tokens_after) / max(1, run.tests)
            cells.append(f"{run.tokens_after:,}, {run.tests:,}, {rate:.1f}")
        body.append(cells)
    means = []
    for column in zip(*found, strict=True):
        tokens = statistics.geometric_mean([max(1, run.tokens_after) for run in column])
        tests = statistics.geometric_mean([max(1, run.tests) for run in column])
        means.append(f"{tokens:,.0f}, {tests:,.0f}")
    body.append(["geometric mean", *means])
    head = ["case (tokens)", *COLUMNS]
    return f"Tokens left, tests, tokens removed a test.\n\n{rows(head, body)}\n\n{PRINTED}"


def wilcoxon(some: list[Subject]) -> str:
    """The Wilcoxon signed-rank test of the paper: tests of batching against the others."""
    stats: Any = importlib.import_module("scipy.stats")
    found = [_runs(one) for one in some]
    body = []
    for at, name in enumerate(list(COLUMNS)[:2]):
        pairs = [(runs[at].tests, runs[2].tests) for runs in found]
        differs = any(one != two for one, two in pairs)
        p = stats.wilcoxon(*zip(*pairs, strict=True)).pvalue if differs else 1.0
        body.append([name, f"{p:.4f}"])
    return rows(["batched, the paper's, against", "p"], body)


def schedules(some: list[Subject]) -> str:
    """RQ1: permutations of the five commonest types against the model's schedules."""
    body = []
    for one in some[:3]:
        runs = [
            measured(one, "batched-random", by_grammar=False, seed=seed, **_PAPER)
            for seed in range(PERMUTATIONS)
        ]
        tests = [run.tests for run in runs]
        spread = statistics.stdev(tests)
        varying = measured(one, "batched", by_grammar=False, **_PAPER)
        constant = measured(one, "batched-invariant", by_grammar=False, **_PAPER)
        body.append(
            [one.name, f"{statistics.mean(tests):,.0f} ± {spread:,.0f}", f"{constant.tests:,}",
             f"{varying.tests:,}"]
        )  # fmt: skip
    return rows(["case", "20 random schedules", "time-invariant", "time-varying"], body)


TABLES: Final = {"table2": table_2, "wilcoxon": wilcoxon, "schedules": schedules}
