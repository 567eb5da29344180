"""From names and settings to a strategy, for the command line and the library alike."""

from __future__ import annotations

from typing import TypedDict, Unpack

from marrow.reducers.algorithms import algorithm_of
from marrow.reducers.passes.pass_context import Options
from marrow.reducers.passes.table import PASSES, passes_of
from marrow.reducers.passes.templates import Rewrite
from marrow.reducers.pipeline import EFFORTS, Pipeline
from marrow.reducers.settings import Settings
from marrow.reducers.strategy import Strategy, StrategyError


class PipelineChoices(TypedDict, total=False):
    """The choices that only the pipeline knows."""

    passes: str | None
    effort: str
    keep_names: bool
    keep_layout: bool
    rewrites: tuple[Rewrite, ...]


def strategy_of(
    algorithm: str | None = None,
    settings: Settings | None = None,
    **choices: Unpack[PipelineChoices],
) -> Strategy:
    """Return the algorithm of a name; without one, the default pipeline.

    `passes` names passes as `--passes` does (`names,less`, `-batched`, `none`), `effort` is a name
    of `EFFORTS`, `rewrites` come before those that ship. Raises `StrategyError`.
    """
    settings = settings or Settings()
    if algorithm is None:
        return _pipeline(settings, choices)
    given = next((name for name, value in choices.items() if value and value != "normal"), None)
    if given is not None:
        raise StrategyError(
            f"{{{given}}} is for the pipeline, and {{algorithm}} names one algorithm alone", given
        )
    try:
        return algorithm_of(algorithm, settings)
    except LookupError as error:
        raise StrategyError(str(error), "algorithm") from error


def _pipeline(settings: Settings, choices: PipelineChoices) -> Pipeline:
    names, effort = choices.get("passes"), choices.get("effort", "normal")
    try:
        passes = PASSES if names is None else passes_of(names)
    except LookupError as error:
        raise StrategyError(str(error), "passes") from error
    if effort not in EFFORTS:
        raise StrategyError(
            f"there is no effort called {effort!r}: choose {', '.join(EFFORTS)}", "effort"
        )
    options = Options(
        keep_names=choices.get("keep_names", False),
        keep_layout=choices.get("keep_layout", False),
        rewrites=choices.get("rewrites", ()),
    )
    return Pipeline(passes, options, EFFORTS[effort], settings)
