"""Score the models that ship on files held out, from the logs of their training.

    python -m bench.training.scores
    python -m bench.training.scores c go --leans 5 20 100

Prints log-loss and AUC of the prior, of curves without time (each type's mean), and of the curves,
for each strength of leaning on the pooled curve.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.training.recipes import RECIPES
from marrow.learn.model import PRIOR_MODEL, Model
from marrow.training.collect import Removal
from marrow.training.fit import LEAN, Score, held_out, predictions, score

#: Where the logs and records of trainings are.
LOGS: Final = Path(__file__).resolve().parents[1] / "results" / "training"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--leans", nargs="*", type=float, default=[LEAN])
    options = parser.parse_args()
    for language in options.models or [recipe.model for recipe in RECIPES]:
        log = LOGS / f"{language}.csv"
        if not log.exists():
            print(f"{language}: no log; run python -m bench.training {language}")
            continue
        files = read_log(log)
        seen = [one for file in files for one in file]
        share = sum(one.removed for one in seen) / len(seen)
        print(f"{language}: {len(seen):,} removals in {len(files)} files, {share:.0%} succeeded")
        _print("prior", score(predictions(PRIOR_MODEL, seen)))
        _print("without time", held_out(files, predict=without_time))
        for lean in options.leans:
            _print(f"curves, lean {lean:g}", held_out(files, lean))


def read_log(path: Path) -> list[list[Removal]]:
    """Read the log of a training, file by file."""
    files: dict[str, list[Removal]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            one = Removal(row["type"], float(row["ratio"]), row["removed"] == "1")
            files[row["file"]].append(one)
    return list(files.values())


def without_time(model: Model, observations: Sequence[Removal]) -> list[tuple[float, bool]]:
    """Return what a model says of each observation that knows its type only."""
    return [(model.curve(one.type_name).mean, one.removed) for one in observations]


def _print(name: str, found: Score) -> None:
    print(f"  {name:<20} log-loss {found.log_loss:.3f}  AUC {found.auc:.3f}", flush=True)


if __name__ == "__main__":
    main()
