"""What to believe of a language without a model: the pooled curves of those that have one.

    python -m bench.training.prior

For each shape of nodes: the mean probability over all models and sizes, which `PRIOR_CURVES` holds,
and how well it would have predicted each language if that one were left out, beside even chances
for branches and one in four for tokens. The log-loss is the expected one if the curves of the
types are right, at all sizes alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from marrow.learn.model import Curve, Model, known_models, load_model
from marrow.learn.types import BRANCH, SHAPES, TOKEN, type_shape, whole_type

#: What was believed before the prior was fitted.
_GUESS: Final = {BRANCH: 0.5, TOKEN: 0.25}

_RATIOS: Final = tuple((2 * step + 1) / 20 for step in range(10))


def pooled(models: Sequence[Model], shape: str) -> float:
    """Return the mean probability of a shape over models and sizes, each model with one vote."""
    curves = [model.prior[shape] for model in models if model.prior[shape].observations]
    means = [sum(map(curve.probability, _RATIOS)) / len(_RATIOS) for curve in curves]
    return sum(means) / len(means)


def log_loss(model: Model, shape: str, chance: float) -> float:
    """Return the expected log-loss of one probability for all nodes of a shape."""
    loss, weight = 0.0, 0
    for name, curve in model.curves.items():
        if name == whole_type(name) and type_shape(name) == shape:
            loss += curve.observations * _cross_entropy(curve, chance)
            weight += curve.observations
    return loss / weight if weight else math.nan


def _cross_entropy(curve: Curve, chance: float) -> float:
    mean = sum(map(curve.probability, _RATIOS)) / len(_RATIOS)
    return -mean * math.log(chance) - (1.0 - mean) * math.log(1.0 - chance)


def main() -> None:
    models = [model for name in known_models() if (model := load_model(name)) is not None]
    for shape in SHAPES:
        chance = pooled(models, shape)
        print(f"{shape}: {chance:.2f}, logit {math.log(chance / (1 - chance)):.2f}")
        for model in models:
            others = [one for one in models if one is not model]
            fitted = log_loss(model, shape, pooled(others, shape))
            guess = log_loss(model, shape, _GUESS[shape])
            print(f"  {model.language:<12} log-loss {fitted:.3f}, of the guess {guess:.3f}")


if __name__ == "__main__":
    main()
