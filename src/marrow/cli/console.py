"""Printing. No escape sequence of a test, a file or its name reaches the terminal."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING

import click

from marrow.report.plain import plain

if TYPE_CHECKING:
    from rich.console import Console


def echo(words: str, *, err: bool = False) -> None:
    """Print a message for a person, on standard output or error."""
    click.echo(plain(words), err=err)


class StandardError:
    """Standard error, for commands that run for long: lines, or a screen that is drawn anew.

    It falls silent when nobody reads it any more (`marrow reduce ... 2>&1 | head`): the result
    matters more than the display. Only the screen needs rich, which takes a while to import.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._drawing = False

    def line(self, words: str) -> None:
        """Print a line."""
        if self._drawing:
            self.screen.print(plain(words), markup=False, soft_wrap=True)
        elif not self._quiet:
            try:
                echo(words, err=True)
            except BrokenPipeError:
                self._quiet = True

    @property
    def can_draw(self) -> bool:
        """Whether it is a terminal on which a screen can be drawn."""
        return (
            not self._quiet
            and sys.stderr.isatty()
            and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")
        )

    @cached_property
    def screen(self) -> Console:
        """The screen; from now on lines go through it, so that they do not disturb it."""
        from marrow.cli.patient_console import PatientConsole

        self._drawing = True
        return PatientConsole(stderr=True, highlight=False)
