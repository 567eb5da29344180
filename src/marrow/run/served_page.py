"""The page that is served while a run goes on (`--live`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.errors import UsageError
from marrow.run.reduction import Reduction

if TYPE_CHECKING:
    from marrow.report.live import LivePage


def serve_page(reduction: Reduction, journal: Journal, control: Control) -> LivePage:
    """Return the page of a reduction, served until it is closed."""
    from marrow.report.live import LivePage

    try:
        return LivePage(journal, control, reduction.tokens_before, reduction.bytes_before)
    except OSError as error:
        raise UsageError(
            f"⟦live⟧: there is no port for the page: {error.strerror or error}\nLeave it out."
        ) from error
