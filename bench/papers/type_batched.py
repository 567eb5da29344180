"""Type batching: Table 2 with its Wilcoxon test, Figures 3 to 6, and the length of schedules.

Figures are tables and pictures: Figure 3 the curves of a model at five points, Figures 4 and 5 the
tests after which shares of the tokens are left (the paper has time on that axis), Figure 6 how many
nodes went together how often.
"""

from __future__ import annotations

import importlib
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from bench.papers.measure import Measured, Subject, measured, rows, rows_of_page
from bench.papers.picture import scatter
from bench.papers.watch import SHARES
from marrow.learn.model import Model, load_model, with_plain_types

_PAPER: Final[dict[str, Any]] = {"preset": "type-batched"}

#: The columns of Table 2.
COLUMNS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "Perses": ("perses*", {}),
    "Pardis": ("pardis*", {}),
    "type batched": ("batched", _PAPER),
}

#: A model of C from the paper's training data, programs by csmith alone: `python -m bench.training
#: c-csmith`. The one that ships has seen headers of the system too, of which most may go.
_CSMITH: Final = Path(__file__).with_name("c-csmith.json")

PRINTED_2: Final = (
    "The paper's geometric means, tokens left, tests, seconds, tokens removed a second: 18 C "
    "programs of 31,102 tokens, Perses 243, 3,315, 1,093, 27, Pardis 250, 2,088, 927, 32, type "
    "batched 249, 1,261, 471, 63; 8 Rust programs of 659, Perses 126, 671, 1,625, 0.15, Pardis "
    "126, 544, 1,520, 0.17, type batched 127, 441, 1,080, 0.23; 3 Go programs of 203, Perses 102, "
    "295, 45, 2.2, Pardis 102, 252, 38, 2.6, type batched 105, 237, 41, 2.4."
)

#: Table 2 is made in two parts, as C takes longest.
_TABLES_2: Final = ("table2-c", "table2-rust-go")

#: So many random permutations; the paper has twenty.
PERMUTATIONS: Final = 4
PROGRAMS: Final = 3

#: The types of Figure 3.
_TYPES: Final = {
    "declarations": "declaration",
    "statements": "expression_statement",
    "parameters": "parameter_declaration",
}

#: The ways that Figure 5 compares.
_WAYS: Final = {
    "type batched joint": "batched",
    "type agnostic joint": "joint",
    "type batched Pardis": "batched-pardis",
    "type batched PDD": "batched-probdd",
}


@cache
def csmith_model() -> Model:
    """Return the model of C that was trained as the paper's was."""
    return Model.from_json(_CSMITH.read_text(encoding="utf-8"))


def _run(one: Subject, algorithm: str, **options: Any) -> Measured:
    if options and one.language == "c":
        options = {"model": csmith_model(), **options}
    return measured(one, algorithm, by_grammar=False, **options)


def _columns(one: Subject) -> list[Measured]:
    return [_run(one, algorithm, **options) for algorithm, options in COLUMNS.values()]


def table_2(some: list[Subject]) -> str:
    """Table 2: tokens left, tests, seconds, tokens removed a second."""
    body: list[list[str]] = []
    for language in dict.fromkeys(one.language for one in some):
        cases = [one for one in some if one.language == language]
        found = [_columns(one) for one in cases]
        for one, runs in zip(cases, found, strict=True):
            body.append([one.name, f"{runs[0].tokens_before:,}", *map(_cells, runs)])
        for title, average in (
            ("geometric mean", statistics.geometric_mean),
            ("median", statistics.median),
        ):
            before = average([runs[0].tokens_before for runs in found])
            columns = [_average(column, average) for column in zip(*found, strict=True)]
            body.append([f"{title}, {language}", f"{before:,.0f}", *columns])
    head = ["case", "tokens", *COLUMNS]
    words = "Tokens left, tests, seconds, tokens removed a second."
    return f"{words}\n\n{rows(head, body)}\n\n{PRINTED_2}"


def _values(run: Measured) -> tuple[float, float, float, float]:
    return (run.tokens_after, run.tests, run.seconds, run.speed)


def _cells(run: Measured) -> str:
    left, tests, seconds, speed = _values(run)
    return f"{left:,.0f}, {tests:,.0f}, {seconds:,.1f}, {speed:,.3g}"


def _average(column: Sequence[Measured], average: Callable[[Sequence[float]], float]) -> str:
    # A mean of logarithms takes no zeros.
    parts = [average([max(value, 1e-3) for value in part]) for part in
             zip(*map(_values, column), strict=True)]  # fmt: skip
    return f"{parts[0]:,.0f}, {parts[1]:,.0f}, {parts[2]:,.1f}, {parts[3]:,.3g}"


def wilcoxon(_: list[Subject]) -> str:
    """The paper's signed-rank tests: one-tailed for tests, time and speed, two-tailed for size.

    Over the cases of both tables 2, as they are on the page.
    """
    stats: Any = importlib.import_module("scipy.stats")
    columns: dict[str, list[list[float]]] = {name: [] for name in COLUMNS}
    for row in (row for table in _TABLES_2 for row in rows_of_page("type-batched", table)):
        if "," not in row["case"]:
            for name, values in columns.items():
                values.append([float(cell.replace(",", "")) for cell in row[name].split(", ")])
    body = []
    for name in list(COLUMNS)[:2]:
        cells = []
        for which, tail in ((1, "less"), (2, "less"), (3, "greater"), (0, "two-sided")):
            batched = [values[which] for values in columns["type batched"]]
            other = [values[which] for values in columns[name]]
            p = 1.0 if batched == other else stats.wilcoxon(batched, other, alternative=tail).pvalue
            cells.append(f"{p:.2g}")
        body.append([name, *cells])
    head = ["type batched against", "fewer tests, p", "less time", "faster", "other size"]
    note = "The paper: p < 7.8e-5 for tests, time and speed against both; sizes do not differ."
    return f"{len(columns['Perses'])} cases.\n\n{rows(head, body)}\n\n{note}"


def figure_3(_: list[Subject]) -> str:
    """Figure 3: how likely a removal succeeds, over the part of the input that is gone."""
    shipped = load_model("c")
    assert shipped is not None
    gone = (0.0, 0.25, 0.5, 0.75, 1.0)
    body = []
    for title, model in (("as in the paper", csmith_model()), ("that ships", shipped)):
        plain = with_plain_types(model)
        for name, type_name in _TYPES.items():
            curve = plain.curve(type_name)
            chances = [f"{curve.probability(1 - part):.2f}" for part in gone]
            body.append([title, name, *chances, f"{curve.mean:.2f}", f"{curve.observations:,}"])
    columns = [*(f"{part:.0%}" for part in gone), "whatever is gone", "removals"]
    note = f"The model as in the paper: {csmith_model().provenance['removals']:,} removals."
    return f"{rows(['model of C', 'part gone', *columns], body)}\n\n{note}"


def picture_3(_: list[Subject]) -> str:
    """Figure 3: how likely a removal succeeds, by the model as in the paper."""
    plain = with_plain_types(csmith_model())
    series = {
        name: [(part, plain.probability(one, 1 - part / 100)) for part in range(0, 101, 5)]
        for name, one in _TYPES.items()
    }
    return scatter("part of the input that is gone, %", "probability", series, joined=True)


def _curve(run: Measured) -> list[tuple[float, float]]:
    """Return the tests after which shares of the tokens, in percent, were left."""
    reached = [(tests, float(share)) for share, tests in run.milestones.items()]
    return [(0, 100), *sorted(reached), (run.tests, 100 * run.tokens_after / run.tokens_before)]


def _in_time(series: dict[str, Measured]) -> str:
    curves = {name: _curve(run) for name, run in series.items()}
    return scatter("tests", "tokens left, %", curves, joined=True)


def picture_4(some: list[Subject]) -> str:
    """Figure 4: tokens left over the tests, by schedule, for the first case."""
    runs = {f"random {seed + 1}": _run(some[0], "batched-random", seed=seed, **_PAPER)
            for seed in range(PERMUTATIONS)}  # fmt: skip
    runs["time-invariant"] = _run(some[0], "batched-invariant", **_PAPER)
    return _in_time({**runs, "time-varying": _run(some[0], "batched", **_PAPER)})


def picture_5(some: list[Subject]) -> str:
    """Figure 5: tokens left over the tests, by way, for the first case."""
    return _in_time({name: _run(some[0], one, **_PAPER) for name, one in _WAYS.items()})


def picture_6(some: list[Subject]) -> str:
    """Figure 6: how many nodes went together how often, with and without types."""
    series = {
        name: [(size, 100 * counts[size] / counts.total()) for size in sorted(counts)]
        for name, counts in _chunks(some).items()
    }
    return scatter("nodes that went together", "share of the successes, %", series, joined=True)


def _progress(run: Measured) -> list[str]:
    """Return the tests until each share of the tokens was left, and in all."""
    reached = [f"{run.milestones[str(share)]:,}" if str(share) in run.milestones else "-"
               for share in SHARES]  # fmt: skip
    return [*reached, f"{run.tests:,}"]


_PROGRESS: Final = [*(f"to {share}%" for share in SHARES), "in all"]


def figure_4(some: list[Subject]) -> str:
    """RQ1, Figure 4: random, time-invariant and time-varying schedules."""
    body = []
    for one in some[:PROGRAMS]:
        runs = [_run(one, "batched-random", seed=seed, **_PAPER) for seed in range(PERMUTATIONS)]
        body.append([one.name, f"{PERMUTATIONS} random", *_spread(runs)])
        constant = _run(one, "batched-invariant", **_PAPER)
        body.append(["", "time-invariant", *_progress(constant)])
        body.append(["", "time-varying", *_progress(_run(one, "batched", **_PAPER))])
    return "Tests until a share of the tokens is left.\n\n" + rows(
        ["case", "schedule", *_PROGRESS], body
    )


def _spread(runs: list[Measured]) -> list[str]:
    """Return means and standard deviations of the tests."""
    cells = []
    for share in SHARES:
        reached = [run.milestones[str(share)] for run in runs if str(share) in run.milestones]
        cells.append(_mean(reached) if len(reached) == len(runs) else f"{len(reached)} of them")
    return [*cells, _mean([run.tests for run in runs])]


def _mean(tests: list[int]) -> str:
    return f"{statistics.mean(tests):,.0f} ± {statistics.stdev(tests):,.0f}"


def figure_5(some: list[Subject]) -> str:
    """RQ2, Figure 5: with and without types, together and one by one."""
    body = [
        [one.name if at == 0 else "", name, *_progress(_run(one, algorithm, **_PAPER))]
        for one in some[:PROGRAMS]
        for at, (name, algorithm) in enumerate(_WAYS.items())
    ]
    return "Tests until a share of the tokens is left.\n\n" + rows(
        ["case", "way", *_PROGRESS], body
    )


def _chunks(some: list[Subject]) -> dict[str, Counter[int]]:
    """Return how many nodes went together how often, with and without types."""
    sizes: dict[str, Counter[int]] = {"type agnostic": Counter(), "type batched": Counter()}
    for one in some:
        for name, algorithm in (("type agnostic", "joint"), ("type batched", "batched")):
            for size, count in _run(one, algorithm, **_PAPER).chunks.items():
                sizes[name][int(size)] += count
    return sizes


def figure_6(some: list[Subject]) -> str:
    """Figure 6: how many nodes went together, with and without types."""
    body = []
    for name, counts in _chunks(some).items():
        total = max(1, counts.total())
        shares = [counts[size] / total for size in (1, 2, 3, 4)]
        large = sum(count for size, count in counts.items() if size > 10) / total
        body.append([name, *(f"{share:.0%}" for share in shares), f"{large:.0%}",
                     str(max(counts, default=0)), f"{total:,}"])  # fmt: skip
    head = ["successful chunks", "1 node", "2", "3", "4", "more than 10", "largest", "all"]
    note = (
        "The paper, type agnostic and type batched: one node 77% and 49%, two 12% and 21%, three 5%"
        " and 10%, four 2% and 6%, more than ten 1% and 4%; up to 58 nodes."
    )
    return f"{rows(head, body)}\n\n{note}"


def schedules(some: list[Subject]) -> str:
    """Section 5: how many types a schedule has."""
    body = []
    for language in dict.fromkeys(one.language for one in some):
        lengths = [_run(one, "batched", **_PAPER).batches for one in some
                   if one.language == language]  # fmt: skip
        mean = f"{statistics.mean(lengths):.1f}"
        body.append([language, str(len(lengths)), mean, f"{min(lengths)} to {max(lengths)}"])
    note = "The paper: five on average for C, two for Rust and Go."
    return f"{rows(['language', 'cases', 'types in a schedule', 'range'], body)}\n\n{note}"


#: Figures that are also pictures.
PICTURES: Final = {
    "figure3": picture_3,
    "figure4": picture_4,
    "figure5": picture_5,
    "figure6": picture_6,
}

TABLES: Final = {
    **dict.fromkeys(_TABLES_2, table_2),
    "wilcoxon": wilcoxon,
    "figure3": figure_3,
    "figure4": figure_4,
    "figure5": figure_5,
    "figure6": figure_6,
    "schedules": schedules,
}
