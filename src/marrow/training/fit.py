"""Fitting: from logged removals to a model, a logistic regression for each node type.

Types with few observations, or with one outcome only, lean on the pooled curve of their shape, and
that one on the prior: each fit also sees some imagined observations that agree with the curve it
leans on. So a model that was trained on nothing is the prior, and no coefficient runs away.
Needs scikit-learn (the extra `marrow[train]`).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from marrow.learn.model import PRIOR_CURVES, Curve, Model
from marrow.learn.types import SHAPES, type_shape, whole_type
from marrow.training.training_task import Removal

#: How many observations the curve that a fit leans on is worth: the best on files held out, see
#: docs/how-to/training.md.
LEAN: Final = 5.0

#: Where the imagined observations lie: evenly, away from the ends.
_GRID: Final = tuple((2 * step + 1) / 20 for step in range(10))

#: Decimal places of a coefficient: finer differences come from the arithmetic of a machine.
_PLACES: Final = 4


def can_fit() -> bool:
    """Whether scikit-learn is there."""
    return importlib.util.find_spec("sklearn") is not None


def fit(
    language: str,
    observations: Iterable[Removal],
    provenance: Mapping[str, Any] | None = None,
    lean: float = LEAN,
) -> Model:
    """Return the model of a language that the observations make likely."""
    by_shape: dict[str, list[Removal]] = defaultdict(list)
    by_type: dict[str, list[Removal]] = defaultdict(list)
    for one in observations:
        by_shape[type_shape(one.type_name)].append(one)
        for name in {one.type_name, whole_type(one.type_name)}:
            by_type[name].append(one)
    pooled = {shape: fit_curve(by_shape[shape], PRIOR_CURVES[shape], lean) for shape in SHAPES}
    curves: dict[str, Curve] = {}
    # Whole types come before their halves, which lean on them.
    for name, seen in sorted(by_type.items(), key=lambda pair: pair[0] != whole_type(pair[0])):
        towards = curves.get(whole_type(name)) or pooled[type_shape(name)]
        curves[name] = fit_curve(seen, towards, lean)
    return Model(language, curves, pooled, dict(provenance or {}))


def fit_curve(seen: Sequence[Removal], towards: Curve, lean: float = LEAN) -> Curve:
    """Return the curve of some observations that leans towards another one."""
    if not seen:
        return towards
    weight = lean / len(_GRID)
    imagined = [(ratio, towards.probability(ratio)) for ratio in _GRID]
    intercept, slope = _regression(
        [*(one.ratio for one in seen), *_GRID, *_GRID],
        [*(int(one.removed) for one in seen), *(1 for _ in _GRID), *(0 for _ in _GRID)],
        [
            *(1.0 for _ in seen),
            *(weight * chance for _, chance in imagined),
            *(weight * (1.0 - chance) for _, chance in imagined),
        ],
    )
    successes = sum(one.removed for one in seen)
    return Curve(round(intercept, _PLACES), round(slope, _PLACES), len(seen), successes)


def _regression(
    ratios: Sequence[float], outcomes: Sequence[int], weights: Sequence[float]
) -> tuple[float, float]:
    """Return intercept and slope of the logistic regression; scikit-learn has no types."""
    module: Any = importlib.import_module("sklearn.linear_model")
    # No penalty: the imagined observations are one.
    regression = module.LogisticRegression(C=float("inf"), solver="newton-cholesky", tol=1e-8)
    regression.fit([[ratio] for ratio in ratios], outcomes, sample_weight=weights)
    return float(regression.intercept_[0]), float(regression.coef_[0][0])
