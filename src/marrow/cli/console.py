"""Printing. No escape sequence of a test, a file or its name reaches the terminal."""

from __future__ import annotations

import click

from marrow.report.plain import plain


def echo(words: str, *, err: bool = False) -> None:
    """Print a message for a person, on standard output or error."""
    click.echo(plain(words), err=err)
