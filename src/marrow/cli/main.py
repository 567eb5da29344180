"""The `marrow` command."""

from __future__ import annotations

import contextlib
import importlib.metadata
import sys
from collections.abc import Iterator
from typing import Any

import click

from marrow.cli.abstract import abstract_command
from marrow.cli.completion import completion_command
from marrow.cli.console import echo
from marrow.cli.exits import EXIT_CODES, CliError, Exit
from marrow.cli.grammar import grammar_command
from marrow.cli.init import init_command
from marrow.cli.languages import languages_command
from marrow.cli.match import match_command
from marrow.cli.produce import produce_command
from marrow.cli.reduce import reduce_command
from marrow.cli.report import report_command
from marrow.cli.train import train_command
from marrow.cli.tree import tree_command
from marrow.report.plain import plain

_EPILOG = f"""\b
Start here:
  marrow reduce crash.js -- node {{}}    cut crash.js down while node fails on it in the same way
  marrow reduce crash.c ./test.sh      cut crash.c down while ./test.sh exits with 0
  marrow init                          write a test to start from
  marrow reduce --help                 all about it
  marrow abstract crash.lua ./test.sh  the pattern of all inputs that fail so

{EXIT_CODES}"""


class Commands(click.Group):
    """The commands; what was typed in a wrong way is repeated as plain words."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the command line up to the command."""
        with _plain_errors():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the rest, and run the command."""
        with _plain_errors():
            return super().invoke(ctx)


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except click.UsageError as error:
        message = error.format_message()
        if plain(message) == message:
            raise
        raise click.UsageError(plain(message), error.ctx) from error


@click.group(
    cls=Commands,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(importlib.metadata.version("marrow"), prog_name="marrow")
def marrow() -> None:
    """Cut a failing input down to the part that matters.

    Give marrow a file and a test that says whether a file still shows the failure. It hands back a
    much smaller file that still does, guided by the syntax of the language: 170 languages by
    tree-sitter, anything else as blocks, lines, words and bytes.
    """


marrow.add_command(reduce_command)
marrow.add_command(abstract_command)
marrow.add_command(produce_command)
marrow.add_command(match_command)
marrow.add_command(report_command)
marrow.add_command(tree_command)
marrow.add_command(languages_command)
marrow.add_command(init_command)
marrow.add_command(completion_command)
marrow.add_command(grammar_command)
marrow.add_command(train_command)


def run() -> None:
    """Run the command line; every failure that a user can meet ends here, without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A file name or a text that the terminal cannot show must not end the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        marrow()
    except CliError as error:
        echo(f"marrow: {error}", err=True)
        sys.exit(error.code)
    except Exception as error:
        echo(
            f"marrow: marrow itself failed: {type(error).__name__}: {error}\n"
            "This is a bug. Please report it with the command and the input.",
            err=True,
        )
        sys.exit(Exit.INTERNAL)
