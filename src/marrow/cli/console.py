"""Printing. No escape sequence of a test, a file or its name reaches the terminal."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from functools import cached_property
from typing import TYPE_CHECKING, Final, TextIO

import click

from marrow.cli.exits import CliError, Exit
from marrow.report.plain import plain

if TYPE_CHECKING:
    from rich.console import Console


# The errors of a stream that cannot be written: a full disk, a lost terminal, a closed file.
_STREAM_FAILED: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def echo(words: str, *, err: bool = False) -> None:
    """Print a message for a person, on standard output or error.

    If standard error cannot be written, it is given up silently: nobody reads it.
    """
    try:
        click.echo(plain(words), err=err)
    except OSError:
        if not err:
            raise
        give_up(sys.stderr)


def give_up(stream: TextIO) -> None:
    """Discard what a stream still holds, so that it does not fail again at the end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def output_error(error: Exception, kept: str = "") -> CliError | None:
    """Return the error for standard output that cannot be written; None for other errors.

    An error of a file has the name of the file.
    """
    if not isinstance(error, OSError) or error.errno not in _STREAM_FAILED or error.filename:
        return None
    give_up(sys.stdout)
    return CliError(
        Exit.OUTPUT,
        f"cannot write to standard output: {error.strerror}\n"
        f"{kept}Free some space, or let it go elsewhere.",
    )


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
            echo(words, err=True)

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
        from marrow.report.screen import PatientConsole

        self._drawing = True
        return PatientConsole(stderr=True, highlight=False)
