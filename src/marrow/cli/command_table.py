"""The `marrow` command and the table of its commands.

The module of a command, `marrow.cli.commands.X`, holds `X_command`. It is imported only when the
command runs or shows its own help.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import click

from marrow import __version__
from marrow.cli.exits import CliError, Exit
from marrow.cli.records import print_error
from marrow.report.plain import plain

#: The commands in the order of the help, with the first sentence of their own.
COMMANDS: Final = {
    "reduce": "Cut INPUT down to a much smaller file on which TEST still exits with 0.",
    "abstract": "Look for the pattern of all inputs that fail as INPUT does (DDSET).",
    "produce": "Produce new inputs from a PATTERN that marrow abstract found.",
    "match": "Say for each FILE whether it belongs to a PATTERN that marrow abstract found.",
    "triage": "Sort the failing inputs in CRASHES into bugs, with a small input for each.",
    "report": "Write a page that shows what a run of `marrow reduce` did.",
    "tree": "Print the tree of INPUT as marrow sees it.",
    "languages": "List the languages that marrow parses, with their file names.",
    "grammar": "Check a grammar and print it.",
    "schema": "Print the JSON Schema of what --json and --events print.",
    "mcp": "Serve reduce, triage and match to coding agents (Model Context Protocol).",
    "config": "Print the options that apply to INPUT, and where they come from.",
    "train": "Learn from a corpus of normal code how likely nodes of each type are to be "
    "removable.",
    "completion": "Print the script that lets SHELL complete marrow's command lines.",
    "help": "Show a chapter of the help, or the help of a command.",
}


@cache
def foreign_options() -> dict[str, str]:
    """Return what to use here instead of the options of other reducers, by option."""
    import tomllib

    text = Path(__file__).with_name("foreign_options.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text).items()
    return {name: hint for hint, names in rows for name in names.split()}


class Commands(click.Group):
    """The commands: only names and lines of help until one is run."""

    def __init__(self, **attributes: Any) -> None:
        stubs = {name: click.Command(name, short_help=line) for name, line in COMMANDS.items()}
        super().__init__(commands=stubs, **attributes)

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names in the order of the table."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line, and import it."""
        try:
            name, stub, rest = super().resolve_command(ctx, args)
        except click.UsageError as error:
            if not (os.path.exists(args[0]) or "/" in args[0]):
                raise
            hint = f"To reduce it: marrow reduce {' '.join(args)}"
            raise click.UsageError(f"{error.format_message()}\n{hint}", ctx) from error
        return name, None if stub is None else load(str(stub.name)), rest

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        """Read the command line up to the command."""
        with _plain_errors():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Read the rest, and run the command."""
        with _plain_errors():
            return super().invoke(ctx)


def load(name: str) -> click.Command:
    """Import a command of the table."""
    module = importlib.import_module(f"marrow.cli.commands.{name}")
    command: click.Command = getattr(module, f"{name}_command")
    command.epilog = command.epilog or help_text(name)
    return command


def help_text(name: str) -> str:
    """Return the examples of a command, or a chapter, from its file; nothing without one.

    Its paragraphs are shown line by line as they are.
    """
    file = Path(__file__).with_name("help_texts") / f"{name}.txt"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return "\n\n".join(f"\b\n{one}" for one in text.rstrip().split("\n\n") if one)


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Escape what a wrong command line repeats; let Ctrl-C end quietly."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise  # its message is the help
    except click.UsageError as error:
        message = error.format_message()
        if isinstance(error, click.NoSuchOption) and (hint := _hint(error)):
            message = f"{error.message} ({hint})"
        message = plain(message.expandtabs(2))
        more = "`marrow COMMAND --help` shows how a command is used."
        print_error(CliError(Exit.USAGE, message, hint=more))
        raise click.UsageError(message, error.ctx) from error
    except KeyboardInterrupt:
        sys.exit(Exit.INTERRUPTED)


def _hint(error: click.NoSuchOption) -> str:
    """Return what to say instead of an option that there is not."""
    if hint := foreign_options().get(error.option_name):
        return hint
    takes_command = error.ctx is not None and hasattr(error.ctx.command, "after_dashes")
    short = not error.option_name.startswith("--")
    after = short and takes_command and "--" not in sys.argv
    return "the failing command and its options go after --" if after else ""


@click.group(
    cls=Commands,
    epilog=help_text("marrow"),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="marrow")
def marrow() -> None:
    """Cut a failing input down to the part that matters.

    Give marrow a file and a test that says whether a file still shows the failure. It hands back a
    much smaller file that still does, guided by the syntax of the language: 170 languages by
    tree-sitter, anything else as brackets, lines, words and bytes.
    """
