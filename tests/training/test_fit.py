"""Fitting: curves are found again, few observations lean on the rest, nothing gives the prior."""

from __future__ import annotations

import random

import pytest

from marrow.learn.model import PRIOR_CURVES, PRIOR_MODEL, Curve, Model
from marrow.learn.types import BRANCH, TOKEN
from marrow.training.collect import Removal
from marrow.training.fit import can_fit, fit, fit_curve, held_out, predictions, score

pytestmark = pytest.mark.skipif(not can_fit(), reason="needs scikit-learn (marrow[train])")


def drawn(name: str, curve: Curve, count: int, seed: int = 0) -> list[Removal]:
    lots = random.Random(seed)
    ratios = [lots.random() for _ in range(count)]
    return [Removal(name, r, lots.random() < curve.probability(r)) for r in ratios]


def test_a_model_trained_on_nothing_is_the_prior() -> None:
    model = fit("c", [])
    assert (model.curves, model.prior) == (PRIOR_MODEL.curves, PRIOR_MODEL.prior)


def test_a_curve_is_found_again() -> None:
    true = Curve(2.0, -3.0)
    found = fit_curve(drawn("block/statement", true, 4000), Curve(0.0, 0.0))
    assert found.observations == 4000
    for ratio in (0.1, 0.5, 0.9):
        assert found.probability(ratio) == pytest.approx(true.probability(ratio), abs=0.04)


def test_imagined_observations_alone_give_the_curve_they_came_from() -> None:
    towards = Curve(1.5, -2.5)
    one = fit_curve([Removal("a/b", 0.5, True)], towards, lean=1e6)
    assert (one.intercept, one.slope) == pytest.approx((1.5, -2.5), abs=0.01)


@pytest.mark.parametrize("removed", [True, False])
def test_one_outcome_only(removed: bool) -> None:
    seen = [Removal("a/b", 0.5, removed)] * 3
    curve = fit_curve(seen, Curve(0.0, 0.0))
    chance = curve.probability(0.5)
    assert 0.5 < chance < 0.7 if removed else 0.3 < chance < 0.5


def test_halves_of_a_type_lean_on_the_whole() -> None:
    used, unused = Curve(-3.0, 0.0), Curve(3.0, 0.0)
    model = fit("c", [*drawn("used a/b", used, 500), *drawn("unused a/b", unused, 500, seed=1)])
    assert model.probability("used a/b", 0.5) < 0.1
    assert model.probability("unused a/b", 0.5) > 0.9
    assert 0.4 < model.probability("a/b", 0.5) < 0.6
    few = fit("c", [*drawn("unused a/b", unused, 500), Removal("used a/b", 0.5, False)])
    assert few.probability("used a/b", 0.5) > 0.7


def test_types_lean_on_their_shape() -> None:
    seen = [*drawn("a/many", Curve(3.0, 0.0), 500), Removal("a/few", 0.5, False)]
    tokens = drawn("a/'token'", Curve(-3.0, 0.0), 500)
    model = fit("c", seen + tokens)
    assert model.probability("a/few", 0.5) > 0.75
    assert model.probability("a/unknown", 0.5) > 0.85
    assert model.probability("a/'unknown'", 0.5) < 0.15
    assert model.prior[BRANCH].observations == 501
    assert model.prior[TOKEN].observations == 500


def test_the_order_of_observations_does_not_matter() -> None:
    seen = drawn("a/b", Curve(1.0, -1.0), 100) + drawn("a/c", Curve(-1.0, 1.0), 100, seed=1)
    assert fit("c", seen) == fit("c", seen[::-1])
    assert Model.from_json(fit("c", seen).to_json()) == fit("c", seen)


def test_scores() -> None:
    assert score([]).observations == 0
    sure = score([(0.9, True), (0.8, True), (0.1, False)])
    assert sure.auc == 1.0
    assert sure.log_loss == pytest.approx(0.1446, abs=1e-4)
    assert score([(0.5, True), (0.5, False)]).auc == 0.5
    assert score([(0.1, True), (0.9, False), (0.5, True), (0.5, False)]).auc == 0.125
    assert score([(0.5, True)]).auc == 0.5


def test_a_model_predicts_files_it_has_not_seen() -> None:
    files = [
        drawn("a/b", Curve(3.0, -1.0), 50, seed) + drawn("a/'c'", Curve(-4.0, 4.0), 50, seed)
        for seed in range(6)
    ]
    learned = held_out(files)
    prior = score(predictions(PRIOR_MODEL, [one for file in files for one in file]))
    assert learned.observations == prior.observations == 600
    assert learned.log_loss < prior.log_loss - 0.05
    assert learned.auc > prior.auc
    assert held_out(files[:1]).observations == 0


def test_the_prior_is_flat() -> None:
    assert fit_curve([], PRIOR_CURVES[TOKEN]) == PRIOR_CURVES[TOKEN]
