"""Strategies by name and settings."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.reducers.algorithms.settings import Settings, StrategyError
from marrow.reducers.pipeline.pipeline import strategy_of


def test_the_pipeline_is_the_default() -> None:
    assert strategy_of().name == "pipeline"
    assert strategy_of().to_fixpoint
    assert not strategy_of(effort="quick").to_fixpoint
    assert strategy_of(effort="max").thorough


def test_choices_are_part_of_the_signature() -> None:
    choices: list[dict[str, Any]] = [
        {},
        {"passes": "names,less"},
        {"effort": "max"},
        {"keep_names": True},
        {"keep_layout": True},
    ]
    signatures = {strategy_of(**one).signature for one in choices}
    signatures.add(strategy_of(settings=Settings(bound=2)).signature)
    signatures.add(strategy_of("perses").signature)
    assert len(signatures) == len(choices) + 2


@pytest.mark.parametrize(
    ("algorithm", "choices", "message"),
    [
        ("creduce", {}, "there is no algorithm called 'creduce'"),
        (None, {"passes": "nothing"}, "there is no pass called 'nothing'"),
        (None, {"effort": "some"}, "no effort called 'some': choose quick, normal, max"),
        (
            "perses",
            {"keep_names": True},
            "--keep-names is for the pipeline, and --algorithm names one algorithm alone",
        ),
    ],
)
def test_what_cannot_be_had(algorithm: str | None, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(StrategyError) as caught:
        strategy_of(algorithm, **choices)
    assert message in caught.value.on_command_line
