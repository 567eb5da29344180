"""The entry point of `marrow`.

What takes time to import is imported after `run` has taken care of Ctrl-C, so that it never shows a
traceback, however early it comes.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from types import FrameType

from marrow.cli.exits import CliError, Exit, exit_of
from marrow.errors import MarrowError


def run() -> None:
    """Run the command line in a process of its own."""
    # Where Ctrl-C is ignored (nohup, a background job of a script), it stays so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
    command_line()


def command_line() -> None:
    """Run the command line. Every failure that a user can meet ends here, without a traceback."""
    from marrow.cli.commands import marrow
    from marrow.cli.console import echo

    for stream in (sys.stdout, sys.stderr):
        # A file name or a text that the terminal cannot show must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        marrow()
    except CliError as error:
        echo(f"marrow: {error}", err=True)
        sys.exit(error.code)
    except MarrowError as error:
        echo(f"marrow: {error.on_command_line}", err=True)
        sys.exit(exit_of(error))
    except Exception as error:
        echo(
            f"marrow: marrow itself failed: {type(error).__name__}: {error}\n"
            "This is a bug. Please report it with the command and the input.",
            err=True,
        )
        sys.exit(Exit.INTERNAL)


def _leave(_: int, __: FrameType | None) -> None:
    """End at once after Ctrl-C. A command with something to put in order has its own handler.

    KeyboardInterrupt would not do: imports catch it now and then, and print it as they go on.
    """
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    os._exit(Exit.INTERRUPTED)
