"""How commands speak: nothing that a test, a file or its name says is obeyed by the terminal."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console

from marrow.report.plain import plain


def echo(words: str, *, err: bool = False) -> None:
    """Print words for a person, on standard output or error."""
    click.echo(plain(words), err=err)


class PatientConsole(Console):
    """The console of commands that run for long.

    It falls silent when nobody reads it any more (`marrow reduce ... | head`).
    """

    def print(self, *objects: Any, **options: Any) -> None:
        """Print words, or what has a form of its own."""
        made = (plain(one) if isinstance(one, str) else one for one in objects)
        super().print(*made, **options)

    def on_broken_pipe(self) -> None:
        """Go on: the result matters more than the display."""
        self.quiet = True
