"""What a run shows while it runs: its forecast, and the page it serves (`--live`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marrow.base.errors import UsageError
from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.run.plan.plan import Plan
from marrow.run.reduction import Reduction

if TYPE_CHECKING:
    from marrow.report.forecast import Forecast
    from marrow.report.live import LivePage


def forecast_of(plan: Plan, tokens: int) -> Forecast:
    """Return the forecast of a reduction of an input with this number of tokens.

    If the user says when to stop, it knows the limit of tests alone.
    """
    from marrow.report.forecast import Forecast

    passes = () if plan.limits.goal is not None else getattr(plan.strategy, "passes", ())
    return Forecast([one.name for one in passes if not one.opening], tokens, plan.limits.tests)


def serve_page(plan: Plan, reduction: Reduction, journal: Journal, control: Control) -> LivePage:
    """Return the page of a reduction, served until it is closed."""
    from marrow.report.live import LivePage

    tokens = reduction.tokens_before
    try:
        return LivePage(
            journal,
            control,
            tokens,
            reduction.bytes_before,
            forecast=forecast_of(plan, tokens),
            seconds=plan.limits.seconds,
            **plan.measure,
        )
    except OSError as error:
        raise UsageError(
            f"⟦live⟧: cannot open a port for the page: {error.strerror or error}\nLeave it out."
        ) from error
