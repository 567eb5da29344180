"""Fitting: from logged removals to a model, a logistic regression for each node type.

Types with few observations, or with one outcome only, lean on the pooled curve of their shape, and
that one on the prior: each fit also sees some imagined observations that agree with the curve it
leans on. So a model that was trained on nothing is the prior, and no coefficient runs away. A model
is scored on files it has not seen, by log-loss and by the area under the ROC curve.
Needs scikit-learn (the extra `marrow[train]`).
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from marrow.learn.model import PRIOR_CURVES, PRIOR_MODEL, Curve, Model
from marrow.learn.types import SHAPES, type_shape, whole_type
from marrow.training.collect import Removal

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


#: Into how many parts files are dealt; each part is predicted from the others.
FOLDS: Final = 5

# Shares of successes may be 0 or 1; nothing that was seen so seldom is that sure.
_SUREST: Final = 0.001


@dataclass(frozen=True, slots=True)
class Score:
    """How well probabilities fit outcomes.

    `log_loss` is the mean of -ln(probability of what happened): ln 2 is a coin, 0 an oracle. `auc`
    is the chance that a success was given a higher probability than a failure: 0.5 is a coin.
    """

    observations: int
    log_loss: float
    auc: float


def score(predictions: Sequence[tuple[float, bool]]) -> Score:
    """Score pairs of a probability of success and what happened."""
    if not predictions:
        return Score(0, 0.0, 0.5)
    metrics: Any = importlib.import_module("sklearn.metrics")
    outcomes = [happened for _, happened in predictions]
    sure = [min(max(chance, _SUREST), 1.0 - _SUREST) for chance, _ in predictions]
    loss = metrics.log_loss(outcomes, sure, labels=[False, True])
    both = len(set(outcomes)) == 2
    auc = metrics.roc_auc_score(outcomes, [chance for chance, _ in predictions]) if both else 0.5
    return Score(len(predictions), float(loss), float(auc))


def predictions(model: Model, observations: Sequence[Removal]) -> list[tuple[float, bool]]:
    """Return what a model says of each observation, and what happened."""
    return [(model.probability(one.type_name, one.ratio), one.removed) for one in observations]


def held_out(files: Sequence[Sequence[Removal]], lean: float = LEAN) -> Score:
    """Score models on files they were not trained on: every file in turn, by `FOLDS` models."""
    outcomes: list[tuple[float, bool]] = []
    for fold in range(min(FOLDS, len(files)) if len(files) > 1 else 0):
        known = [one for at, file in enumerate(files) if at % FOLDS != fold for one in file]
        model = fit("", known, lean=lean)
        for file in files[fold::FOLDS]:
            outcomes.extend(predictions(model, file))
    return score(outcomes)


def compared(files: Sequence[Sequence[Removal]]) -> dict[str, dict[str, float]]:
    """Return the scores on files held out beside those of the prior, for the record of a model."""
    learned = held_out(files)
    if not learned.observations:
        return {}
    prior = score(predictions(PRIOR_MODEL, [one for file in files for one in file]))
    return {
        "held_out": {
            "log_loss": round(learned.log_loss, 4),
            "log_loss_of_prior": round(prior.log_loss, 4),
            "auc": round(learned.auc, 4),
            "auc_of_prior": round(prior.auc, 4),
        }
    }
