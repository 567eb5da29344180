"""Files of the user around a command: whether any of them changed while it was tested.

What is small is copied into mirrors; the rest tests reach through links, and could write to.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.process.placement import Placement

# How many files that changed are named.
_MOST_NAMED: Final = 5


class ChangedFiles:
    """Looks at the files around a command when it is made, and again when it is asked."""

    def __init__(self, place: Placement) -> None:
        self._around: Final = place.around if isinstance(place, OverlayPlacement) else None
        self._before: Final = {} if self._around is None else self._around.watched()

    def tell(self, say: Callable[[str], None]) -> None:
        """Say which files have changed, if any have."""
        changed = [] if self._around is None else self._around.changed_since(self._before)
        if not changed:
            return
        some = ", ".join(map(os.path.relpath, changed[:_MOST_NAMED]))
        more = len(changed) - _MOST_NAMED
        say(
            f"warning: files around the command changed while it was tested: {some}"
            + (f" and {more:,} more" if more > 0 else "")
            + "\nIf it was the command that wrote them, run it on a copy of the directory, or with "
            "⟦sandbox⟧, where\nnothing can be written."
        )
