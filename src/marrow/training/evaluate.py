"""How well a model predicts removals that it has not seen: log-loss and area under the curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from marrow.learn.model import PRIOR_MODEL, Model
from marrow.training.fit import LEAN, fit
from marrow.training.training_task import Removal

#: How a model is asked about observations.
Predict: TypeAlias = Callable[[Model, Sequence[Removal]], list[tuple[float, bool]]]

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
    loss = 0.0
    for chance, happened in predictions:
        sure = min(max(chance, _SUREST), 1.0 - _SUREST)
        loss -= math.log(sure if happened else 1.0 - sure)
    return Score(len(predictions), loss / len(predictions), _auc(predictions))


def predictions(model: Model, observations: Sequence[Removal]) -> list[tuple[float, bool]]:
    """Return what a model says of each observation, and what happened."""
    return [(model.probability(one.type_name, one.ratio), one.removed) for one in observations]


def held_out(
    files: Sequence[Sequence[Removal]], lean: float = LEAN, predict: Predict = predictions
) -> Score:
    """Score models on files they were not trained on: every file in turn, by `FOLDS` models."""
    outcomes: list[tuple[float, bool]] = []
    for fold in range(min(FOLDS, len(files)) if len(files) > 1 else 0):
        known = [one for at, file in enumerate(files) if at % FOLDS != fold for one in file]
        model = fit("", known, lean=lean)
        for file in files[fold::FOLDS]:
            outcomes.extend(predict(model, file))
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


def _auc(predictions: Sequence[tuple[float, bool]]) -> float:
    """Return the area under the ROC curve by ranks; equal probabilities share their ranks."""
    ordered = sorted(predictions)
    successes = sum(happened for _, happened in ordered)
    failures = len(ordered) - successes
    if not successes or not failures:
        return 0.5
    ranks = 0.0
    start = 0
    while start < len(ordered):
        end = start
        while end < len(ordered) and ordered[end][0] == ordered[start][0]:
            end += 1
        ranks += (start + 1 + end) / 2 * sum(happened for _, happened in ordered[start:end])
        start = end
    return (ranks - successes * (successes + 1) / 2) / (successes * failures)
