"""Removal models: for each node type, a logistic curve over the share of the input that is left.

Section 3.1 of "Type Batched Program Reduction": the ratio of the size now to the size at the start
is 1 at first and approaches 0. Sizes are in tokens, as everywhere in marrow; the paper counts
nodes. Models are JSON files beside this module, made by `marrow train`. Applying one needs only the
standard library. A model for trees by a grammar is called after the grammar: `grammar-c`.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from marrow.base.errors import MarrowError
from marrow.learn.types import BRANCH, TOKEN, plain_type, type_shape, whole_type

#: The form of the JSON files.
MODEL_FORMAT: Final = 1


class ModelError(MarrowError, ValueError):
    """A text is not a model; the message says why."""


@dataclass(frozen=True, slots=True)
class Curve:
    """P(removal succeeds) = 1 / (1 + e^-(intercept + slope * ratio)).

    `observations` is the number of removals that it was learned from: how far to trust it.
    `successes` is how many of them succeeded; None if the model does not say.
    """

    intercept: float
    slope: float
    observations: int = 0
    successes: int | None = None

    def probability(self, ratio: float) -> float:
        """Return the probability that a removal succeeds at a ratio of size now to size before."""
        logit = self.intercept + self.slope * ratio
        if logit >= 0:
            return 1.0 / (1.0 + math.exp(-logit))
        small = math.exp(logit)  # of a negative number only: otherwise it may overflow
        return small / (1.0 + small)

    @property
    def mean(self) -> float:
        """What a model that ignores time would say: successes over tries (equation 2).

        Where the model does not have them, what the curve says in the middle.
        """
        if self.successes is not None and self.observations:
            return self.successes / self.observations
        return self.probability(0.5)


#: The curves of types that no model knows, by the shape of their nodes: the mean of the models that
#: ship, each language with one vote (`python -m bench.training.prior`). They are flat, as languages
#: do not agree on the slope. The outcomes of a run soon outweigh them.
PRIOR_CURVES: Final[Mapping[str, Curve]] = {
    BRANCH: Curve(0.9, 0.0),
    TOKEN: Curve(0.5, 0.0),
}


@dataclass(frozen=True, slots=True, repr=False)
class Model:
    """The model of a language: the curves of its node types, and of shapes for all others.

    `provenance` records how the model was made.
    """

    language: str
    curves: Mapping[str, Curve] = field(default_factory=dict)
    prior: Mapping[str, Curve] = field(default_factory=lambda: PRIOR_CURVES)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        # Short, for the journal: runs with other curves take another way.
        digest = zlib.crc32(self.to_json().encode())
        return f"Model({self.language!r}, {len(self.curves)} curves, {digest:08x})"

    def curve(self, type_name: str) -> Curve:
        """Return the curve of a type: its own, that of its whole type, or that of its shape."""
        own = self.curves.get(type_name) or self.curves.get(whole_type(type_name))
        return own or self.prior[type_shape(type_name)]

    def probability(self, type_name: str, ratio: float) -> float:
        """Return the probability that the removal of a node of this type succeeds."""
        return self.curve(type_name).probability(ratio)

    def to_json(self) -> str:
        """Return the model as a JSON text, the same for the same model."""
        document = {
            "format": MODEL_FORMAT,
            "language": self.language,
            "provenance": dict(self.provenance),
            "prior": _curves_to_json(self.prior),
            "curves": _curves_to_json(self.curves),
        }
        return json.dumps(document, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Model:
        """Return the model of a JSON text; raise `ModelError` if it is not one."""
        try:
            document = json.loads(text)
            if document["format"] != MODEL_FORMAT:
                raise ModelError(f"format {document['format']}, not {MODEL_FORMAT}")
            provenance = dict(document["provenance"])
            json.dumps(provenance)  # as a model is written again, and by a JSON that recurs
            return cls(
                str(document["language"]),
                _curves_from_json(document["curves"]),
                {**PRIOR_CURVES, **_curves_from_json(document["prior"])},
                provenance,
            )
        except ModelError:
            raise
        except RecursionError:
            raise ModelError("not a model: nested too deep") from None
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError(f"not a model: {type(error).__name__}: {error}") from error


def with_plain_types(model: Model) -> Model:
    """Return a model that knows plain types (`TypeNaming.PLAIN`), from its curves of owned ones.

    Curves of types with the same rule count by their observations.
    """
    found: dict[str, list[Curve]] = defaultdict(list)
    for name, curve in model.curves.items():
        if name == whole_type(name) and plain_type(name) not in model.curves:
            found[plain_type(name)].append(curve)
    return replace(
        model, curves={**{name: _pooled(some) for name, some in found.items()}, **model.curves}
    )


def _pooled(curves: Sequence[Curve]) -> Curve:
    weights = [max(1, one.observations) for one in curves]
    return Curve(
        sum(one.intercept * weight for one, weight in zip(curves, weights, strict=True))
        / sum(weights),
        sum(one.slope * weight for one, weight in zip(curves, weights, strict=True)) / sum(weights),
        sum(one.observations for one in curves),
        sum(one.successes or 0 for one in curves),
    )


#: The model of languages without one.
PRIOR_MODEL: Final = Model("")


_MODELS: Final = Path(__file__).parent / "models"


@cache
def load_model(language: str) -> Model | None:
    """Return the model that ships for a language, or None."""
    found = _MODELS / f"{language}.json"
    return Model.from_json(found.read_text(encoding="utf-8")) if found.is_file() else None


def known_models() -> tuple[str, ...]:
    """Return the languages that a model ships for."""
    return tuple(sorted(path.stem for path in _MODELS.glob("*.json")))


def _curves_to_json(curves: Mapping[str, Curve]) -> dict[str, list[float]]:
    return {
        name: [curve.intercept, curve.slope, curve.observations]
        + ([] if curve.successes is None else [curve.successes])
        for name, curve in sorted(curves.items())
    }


def _curves_from_json(found: Mapping[str, list[float]]) -> dict[str, Curve]:
    curves = {}
    for name, (intercept, slope, observations, *more) in found.items():
        successes = int(more[0]) if more else None
        curve = Curve(float(intercept), float(slope), int(observations), successes)
        if successes is not None and not 0 <= successes <= curve.observations:
            raise ModelError(f"the curve of {name} has {successes} successes in fewer tries")
        if not (math.isfinite(curve.intercept) and math.isfinite(curve.slope)):
            raise ModelError(f"the curve of {name} is not finite")
        curves[name] = curve
    return curves
