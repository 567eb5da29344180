"""The console that live displays are drawn on. A module of its own, as only they import rich."""

from __future__ import annotations

from rich.console import Console


class PatientConsole(Console):
    """A console that falls silent when nobody reads it any more (`marrow reduce ... | head`)."""

    def on_broken_pipe(self) -> None:
        """Carry on: the result matters more than the display."""
        self.quiet = True

    def _check_buffer(self) -> None:
        try:
            super()._check_buffer()
        except OSError:  # the terminal is gone
            self.quiet = True
