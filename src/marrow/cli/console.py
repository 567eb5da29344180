"""How commands speak: nothing that a test, a file or its name says is obeyed by the terminal."""

from __future__ import annotations

import click

from marrow.report.plain import plain


def echo(words: str, *, err: bool = False) -> None:
    """Print words for a person, on standard output or error."""
    click.echo(plain(words), err=err)
