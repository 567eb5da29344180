"""Draw the learned curves of some node types, like Figure 3 of "Type Batched Program Reduction".

    python -m bench.training.curves c -o docs/explanation/algorithms/curves-c.svg
    python -m bench.training.curves go --types source_file/function_declaration -o go.svg
    python -m bench.training.curves c --types 'used translation_unit/type_definition' -o used.svg

Lines are the model that ships; dots are shares of successes in the log of its training, if that is
in bench/results/training, the larger the more removals they stand for.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final

from bench.plot import Chart, Series
from marrow.learn.model import Model, load_model
from marrow.learn.types import whole_type

_LOGS: Final = Path(__file__).resolve().parents[1] / "results" / "training"

# Types that the paper's figure shows, and two more that are told apart by time.
_TYPES: Final = {
    "c": (
        "translation_unit/declaration",
        "translation_unit/function_definition",
        "compound_statement/expression_statement",
        "compound_statement/declaration",
        "parameter_list/parameter_declaration",
    )
}
_MOST_TYPES: Final = 5
_BINS: Final = 10
# Dots for fewer removals would show chance alone.
_LEAST: Final = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("language")
    parser.add_argument("--types", nargs="*", help="default: the best known ones")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    model = load_model(options.language)
    if model is None:
        sys.exit(f"there is no model for {options.language}")
    types = options.types or _TYPES.get(options.language) or _best_known(model)
    options.output.write_text(chart(model, types).svg(), encoding="utf-8")


def chart(model: Model, types: list[str] | tuple[str, ...]) -> Chart:
    """Return the curves of some types over the part of the input that is gone."""
    dots = _dots(_LOGS / f"{model.language}.csv")
    steps = [step / 50 for step in range(51)]
    series = [
        Series(
            f"{name} ({model.curve(name).observations:,})",
            [(gone, model.probability(name, 1 - gone)) for gone in steps],
            dots.get(name, ()),
        )
        for name in types
    ]
    title = f"{model.language}: probability that a removal succeeds"
    return Chart(title, "part of the tokens that is gone", "probability", series, 1.0, 1.0)


def _best_known(model: Model) -> list[str]:
    names = sorted(model.curves, key=lambda name: -model.curves[name].observations)
    return names[:_MOST_TYPES]


def _dots(log: Path) -> dict[str, list[tuple[float, float, float]]]:
    """Return the share of successes in each tenth of the way, for each type."""
    if not log.exists():
        return {}
    bins: dict[tuple[str, int], list[int]] = defaultdict(list)
    with log.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            at = min(_BINS - 1, int((1 - float(row["ratio"])) * _BINS))
            for name in {row["type"], whole_type(row["type"])}:
                bins[name, at].append(int(row["removed"]))
    dots: dict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for (name, at), seen in sorted(bins.items()):
        if len(seen) >= _LEAST:
            radius = 1.5 + math.log2(len(seen)) / 2
            dots[name].append(((at + 0.5) / _BINS, sum(seen) / len(seen), radius))
    return dots


if __name__ == "__main__":
    main()
