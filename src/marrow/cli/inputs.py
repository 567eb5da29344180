"""Reading what the user names on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import click

from marrow.cli.exits import CliError, Exit
from marrow.engine.executors.quorum import Quorum
from marrow.grammar.notations import notation_titles
from marrow.grammars import grammar_names
from marrow.syntax.views import FileView, UnknownLanguageError, view_of

_P = ParamSpec("_P")
_R = TypeVar("_R")


def read_input(path: Path) -> bytes:
    """Read an input file, or end with a message that says what is wrong with it."""
    try:
        if not path.exists():
            raise CliError(Exit.INPUT, f"there is no file {path}\nCheck the name of the input.")
        if path.is_dir():
            raise CliError(Exit.INPUT, f"{path} is a directory\nGive a single file.")
        if not path.is_file():
            raise CliError(
                Exit.INPUT,
                f"{path} is not a regular file\nCopy what it gives into a file, and give that.",
            )
        text = path.read_bytes()
    except OSError as error:
        raise CliError(
            Exit.INPUT, f"cannot read {path}: {error.strerror or error}\nCheck its name and rights."
        ) from error
    if not text:
        raise CliError(
            Exit.INPUT,
            f"{path} is empty: there is nothing to reduce\nGive the file that shows the failure.",
        )
    return text


def grammar_options(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Add the options that name a grammar."""
    for option in (
        click.option("--start", metavar="RULE", help="The grammar's start rule, if not the usual."),
        click.option(
            "--grammar",
            metavar="FILE",
            help=f"Parse by a grammar file ({notation_titles()}) or one that ships: "
            + ", ".join(grammar_names())
            + ".",
        ),
    ):
        command = option(command)
    return command


def choose_view(
    path: Path, text: bytes, language: str | None, grammar: str | None, start: str | None
) -> FileView:
    """Choose how to see the input, or end with advice on the language or grammar."""
    if grammar is not None:
        if language is not None:
            raise CliError(
                Exit.USAGE, "--grammar and --language exclude each other\nLeave one of them out."
            )
        return _by_grammar(path, text, grammar, start)
    if start is not None:
        raise CliError(Exit.USAGE, "--start names a rule of a grammar\nGive one with --grammar.")
    try:
        return view_of(path.name, text, language)
    except UnknownLanguageError as error:
        raise CliError(Exit.USAGE, str(error)) from error


def _by_grammar(path: Path, text: bytes, grammar: str, start: str | None) -> FileView:
    # Reading and compiling grammars is a good part of marrow: only those who need it load it.
    from marrow.cli.grammar import grammar_file
    from marrow.grammar.language import Language
    from marrow.grammar.model.rules import GrammarError
    from marrow.syntax.views import view_by_grammar

    try:
        language = Language.from_file(grammar_file(grammar), start)
        return view_by_grammar(language, path.name, text)
    except GrammarError as error:
        more = f"\n`marrow grammar {grammar} --check` says more about this grammar."
        raise CliError(
            Exit.INPUT, f"{error}{more if grammar_file(grammar).is_file() else ''}"
        ) from error


# click's parameter types are generic for the type checker only, in the versions before 8.4.
if TYPE_CHECKING:
    _SizeType = click.ParamType[int]
    _DurationType = click.ParamType[float]
    _QuorumType = click.ParamType[Quorum]
else:
    _SizeType = _DurationType = _QuorumType = click.ParamType

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Size(_SizeType):
    """An amount of memory: 512M, 2G."""

    name = "size"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        """Turn the text into a number of bytes."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", str(value).strip().lower())
        if match is None or float(match[1]) <= 0:
            self.fail(f"{value!r} is no size; write it like 512M or 2G", param, ctx)
        return int(float(match[1]) * _UNITS[match[2]])


class Duration(_DurationType):
    """A time: 30, 90s, 10m, 2h."""

    name = "time"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Turn the text into a number of seconds."""
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhd]?)", str(value).strip().lower())
        if match is None or float(match[1]) <= 0:
            self.fail(f"{value!r} is no time; write it like 30s, 10m or 2h", param, ctx)
        return float(match[1]) * _SECONDS[match[2]]


class QuorumOfRuns(_QuorumType):
    """How many of how many runs: 2/5."""

    name = "quorum"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> Quorum:
        """Turn the text into a quorum."""
        try:
            return Quorum.parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)
