"""The hoisting paper: Table A1, Tables A2 to A5, Table 2, and Figures 9 to 11 as figures."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from bench.papers.measure import Measured, Subject, characters, measured, rows
from bench.papers.picture import scatter
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.algorithms.hdd_variants import HDD_VARIANTS
from marrow.reducers.algorithms.prepare import Preparation
from marrow.reducers.algorithms.published import prepared
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.tree import Token

#: The paper's setting, and marrow's own on the same grammar.
SETTINGS: Final[dict[str, dict[str, Any]]] = {"published": {"preset": "published"}, "marrow": {}}

#: Tables A2 to A5: four variants each, the first one without hoisting.
FAMILIES: Final = {
    f"a{number}": [one.name for one in HDD_VARIANTS[start : start + 4]]
    for number, start in zip(range(2, 6), range(0, 16, 4), strict=True)
}

#: Table 2 of the paper: mean differences of sizes and of tests to the variant without hoisting.
PRINTED: Final = {
    "a2": (("-26.96%", "-27.67%", "-28.51%"), ("+45.54%", "-5.28%", "+49.59%")),
    "a3": (("-29.36%", "-31.35%", "-32.37%"), ("+33.22%", "-12.78%", "+34.55%")),
    "a4": (("-37.62%", "+0.13%", "-37.63%"), ("+134.15%", "+0.13%", "+134.13%")),
    "a5": (("-36.77%", "+0.62%", "-36.07%"), ("+64.55%", "-0.02%", "+73.60%")),
}


def height(subject: Subject) -> tuple[int, int, int]:
    """Return the height, the rules and the tokens of the squeezed and flattened tree."""
    assert subject.grammar is not None
    front = GrammarFrontEnd(Language.from_file(grammar_path(subject.grammar)))
    written = front.written(subject.text)
    if written is None:
        return 0, 0, 0
    tree = prepared(written, (Preparation.FLATTEN, Preparation.SQUEEZE))
    found = [(place.depth, isinstance(node, Token)) for place, node in tree.walk()]
    leaves = sum(leaf for _, leaf in found)
    return max(depth for depth, _ in found), len(found) - leaves, leaves


def table_a1(some: list[Subject]) -> str:
    """Table A1: properties of the inputs."""
    body = []
    for one in some:
        high, rules, tokens = height(one)
        size = characters(one, one.text)
        body.append([one.name, f"{size:,}", str(high), f"{rules:,}", f"{tokens:,}"])
    return rows(["case", "size", "tree height", "rules", "tokens"], body)


def _run(one: Subject, name: str, setting: str) -> Measured:
    return measured(one, name, by_grammar=True, **SETTINGS[setting])


def _change(value: float, base: float) -> float:
    return 100 * (value - base) / base if base else 0.0


def family(table: str, setting: str) -> Callable[[list[Subject]], str]:
    """Return Table A2, A3, A4 or A5 in a setting: sizes and tests, with their means."""
    names = FAMILIES[table]

    def make(some: list[Subject]) -> str:
        body = []
        changes: list[list[tuple[float, float]]] = [[] for _ in names]
        for one in some:
            found = [_run(one, name, setting) for name in names]
            cells = [f"{one.name} ({found[0].before:,})", f"{found[0].after:,}, {found[0].tests:,}"]
            for at, run in enumerate(found[1:], 1):
                pair = _change(run.after, found[0].after), _change(run.tests, found[0].tests)
                changes[at].append(pair)
                size, tests = pair
                cells.append(f"{run.after:,} ({size:+.0f}%), {run.tests:,} ({tests:+.0f}%)")
            body.append(cells)
        means = [
            ", ".join(f"{statistics.mean(part):+.1f}%" for part in zip(*pairs, strict=True))
            for pairs in changes[1:]
        ]
        body.append(["mean here", "", *means])
        printed = [f"{size}, {tests}" for size, tests in zip(*PRINTED[table], strict=True)]
        body.append(["mean in the paper", "", *printed])
        head = ["case (characters)", *(f"`{name}`" for name in names)]
        return f"Setting: {setting}. Characters, tests.\n\n{rows(head, body)}"

    return make


def figure_9(some: list[Subject]) -> str:
    """Figure 9: in which quadrant hoisting moves a case, by family (published setting)."""
    body = []
    for table, names in FAMILIES.items():
        counted: Counter[str] = Counter()
        for one in some:
            base = _run(one, names[0], "published")
            for name in names[1:]:
                run = _run(one, name, "published")
                smaller = "smaller" if run.after < base.after else "same size"
                smaller = "larger" if run.after > base.after else smaller
                counted[f"{smaller}, {'fewer' if run.tests < base.tests else 'more'} tests"] += 1
        body.append([table.upper(), "; ".join(f"{k}: {v}" for k, v in counted.most_common())])
    return rows(["table", "runs with hoisting against the one without"], body)


def figure_10(some: list[Subject]) -> str:
    """Figure 10: the effect of hoisting on `hddr*` by the height of the tree."""
    body = []
    for one in sorted(some, key=lambda one: height(one)[0]):
        base, run = (_run(one, name, "published") for name in ("hddr*", "hddhr*"))
        size, tests = _change(run.after, base.after), _change(run.tests, base.tests)
        body.append([str(height(one)[0]), one.name, f"{size:+.0f}%", f"{tests:+.0f}%"])
    return rows(["height", "case", "size with hoisting", "tests with hoisting"], body)


def best_counts(some: list[Subject]) -> dict[str, list[int]]:
    """Return how often each variant has the smallest output, and the fewest tests."""
    best: dict[str, list[int]] = {one.name: [0, 0] for one in HDD_VARIANTS}
    for one in some:
        found = {variant.name: _run(one, variant.name, "published") for variant in HDD_VARIANTS}
        for at in range(2):
            values = {name: (run.after, run.tests)[at] for name, run in found.items()}
            for name, value in values.items():
                best[name][at] += value == min(values.values())
    return best


def figure_11(some: list[Subject]) -> str:
    """Figure 11: how often each variant is best, by size and by tests."""
    best = best_counts(some)
    body = [[f"`{name}`", str(size), str(tests)] for name, (size, tests) in best.items()]
    return rows(["variant", "smallest output", "fewest tests"], body)


def picture_9(some: list[Subject]) -> str:
    """Figure 9: how hoisting changes size and tests, a point for each run, by family."""
    series: dict[str, list[tuple[float, float]]] = {}
    for names in FAMILIES.values():
        pairs = [(_run(one, names[0], "published"), one) for one in some]
        series[names[0]] = [
            (_change(run.after, base.after), _change(run.tests, base.tests))
            for base, one in pairs
            for run in (_run(one, name, "published") for name in names[1:])
        ]
    return scatter("change of size, %", "change of tests, %", series)


def picture_10(some: list[Subject]) -> str:
    """Figure 10: how interlaced hoisting changes `hddr*`, by the height of the tree."""
    series: dict[str, list[tuple[float, float]]] = {"size": [], "tests": []}
    for one in some:
        base, run = (_run(one, name, "published") for name in ("hddr*", "hddhr*"))
        series["size"].append((height(one)[0], _change(run.after, base.after)))
        series["tests"].append((height(one)[0], _change(run.tests, base.tests)))
    return scatter("height of the tree", "change with hoisting, %", series)


def picture_11(some: list[Subject]) -> str:
    """Figure 11: how often each variant is best, in the order of the table."""
    best = best_counts(some)
    return scatter(
        "variant, in the order of the table",
        "cases in which it is best",
        {
            words: [(number, counts[at]) for number, counts in enumerate(best.values(), 1)]
            for at, words in enumerate(("smallest output", "fewest tests"))
        },
    )


#: Figures that are also pictures.
PICTURES: Final = {"figure9": picture_9, "figure10": picture_10, "figure11": picture_11}

TABLES: Final[dict[str, Callable[[list[Subject]], str]]] = {
    "a1": table_a1,
    **{table: family(table, "published") for table in FAMILIES},
    **{f"{table}-marrow": family(table, "marrow") for table in FAMILIES},
    "figure9": figure_9,
    "figure10": figure_10,
    "figure11": figure_11,
}
