"""From names and settings to a strategy, for the command line and the library alike."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from marrow.reducers.algorithms.settings import Settings
from marrow.reducers.passes.pass_context import PassOptions
from marrow.reducers.pipeline.algorithm_table import ALGORITHMS, algorithm_of
from marrow.reducers.pipeline.pass_table import PASSES, passes_of
from marrow.reducers.pipeline.pipeline import EFFORTS, Pipeline
from marrow.reducers.pipeline.strategy import Strategy, StrategyError


def strategy_of(
    algorithm: str | None = None,
    settings: Settings | None = None,
    *,
    passes: str | None = None,
    effort: str | None = None,
    **options: Any,
) -> Strategy:
    """Return the algorithm of a name; without one, the default pipeline.

    `passes` names passes as `--passes` does (`names,less`, `-batched`, `none`),
    `effort` is a name of `EFFORTS`; the other options are fields of the options of passes
    (`keep_names`, `rewrites`). Raises `StrategyError`.
    """
    settings = settings or Settings()
    if algorithm is None:
        return _pipeline(settings, passes, effort or "normal", options)
    choices = {"passes": passes, "effort": effort, **options}
    given = next((name for name, value in choices.items() if value and value != "normal"), None)
    if given is not None:
        raise StrategyError(
            f"⟦{given}⟧ is for the pipeline, and ⟦algorithm⟧ names one algorithm alone\n"
            "Leave out one of the two."
        )
    try:
        return algorithm_of(algorithm, settings)
    except LookupError as error:
        near = _meant(algorithm, (one.name for one in ALGORITHMS))
        raise StrategyError(
            f"{error.args[0]}\n{near}`marrow help algorithms` names the algorithms."
        ) from error


def _meant(name: str, known: Iterable[str]) -> str:
    """Ask whether another name was meant that looks like it."""
    names = list(known)
    near = [] if name in names else get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]}? " if near else ""


def _pipeline(
    settings: Settings, names: str | None, effort: str, options: dict[str, Any]
) -> Pipeline:
    try:
        passes = PASSES if names is None else passes_of(names)
    except LookupError as error:
        known = [one.name for one in PASSES]
        near = "".join(_meant(one.strip().lstrip("-+"), known) for one in (names or "").split(","))
        raise StrategyError(
            f"{error.args[0]}\n{near}`marrow help passes` names the passes."
        ) from error
    if effort not in EFFORTS:
        raise StrategyError(f"there is no effort called {effort!r}: choose {', '.join(EFFORTS)}")
    return Pipeline(passes, PassOptions(**options), EFFORTS[effort], settings)
