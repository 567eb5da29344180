"""The console of commands that run for long. Only they pay for importing rich."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from marrow.report.plain import plain


class PatientConsole(Console):
    """A console that falls silent when nobody reads it any more (`marrow reduce ... | head`)."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print words, made harmless, or objects that know how they look."""
        made = (plain(one) if isinstance(one, str) else one for one in objects)
        super().print(*made, **options)

    def on_broken_pipe(self) -> None:
        """Carry on: the result matters more than the display."""
        self.quiet = True
