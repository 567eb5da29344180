"""`marrow reduce INPUT -- COMMAND`: the options and words that stand in for a test script."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

import click

from marrow.cli.exits import CliError, Exit
from marrow.signature.infer import Wanted

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: Where click's context keeps the words behind `--`.
_BEHIND: Final = "marrow.behind"

# What stands between the two commands of --differ.
_BETWEEN: Final = "---"

_OPTIONS: Final = (
    click.option("--keep-exit", is_flag=True, help="Keep the exit status of the command."),
    click.option(
        "--keep-stderr",
        metavar="REGEX",
        multiple=True,
        help="Keep a line on the command's standard error (as for grep -E).",
    ),
    click.option(
        "--keep-stdout", metavar="REGEX", multiple=True, help="The same on its standard output."
    ),
    click.option(
        "--not",
        "forbidden",
        metavar="REGEX",
        multiple=True,
        help="No candidate on which the command prints such a line.",
    ),
    click.option(
        "--differ",
        is_flag=True,
        help="Keep that two commands disagree, in exit status or output: -- A {} --- B {}",
    ),
    click.option(
        "--guard",
        "guards",
        metavar="COMMAND",
        multiple=True,
        help="A shell command that must succeed on every candidate; {} is the file.",
    ),
    click.option(
        "--write-test",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Save the test that marrow made of all this as a script.",
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """What the user said in place of a test; without commands, there is a test."""

    commands: tuple[tuple[str, ...], ...]
    wanted: Wanted
    guards: tuple[str, ...]
    write_test: Path | None

    @property
    def refined(self) -> bool:
        """Whether an option was given that only makes sense with a command."""
        return bool(self.wanted.chosen or self.wanted.forbidden or self.guards or self.write_test)


class CommandBehindDashes(click.Command):
    """A command whose words behind `--` are a command line of their own.

    Without an input in front of `--` they are the inputs, as usual: names that begin with a dash.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what stands behind `--` aside."""
        at = args.index("--") if "--" in args else len(args)
        behind = args[at + 1 :]
        rest = super().parse_args(ctx, args[:at])
        if behind and not ctx.params["inputs"]:
            ctx.params["inputs"] = tuple(behind)
            behind = []
        ctx.meta[_BEHIND] = tuple(behind)
        return rest


def question_options(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Add the options that say what to keep of a command's failure."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_question(options: dict[str, Any], context: click.Context) -> Question:
    """Take the options of a question out of all options, with the command behind `--`."""
    wanted = Wanted(
        options.pop("keep_exit"),
        options.pop("keep_stderr"),
        options.pop("keep_stdout"),
        options.pop("forbidden"),
    )
    differ = options.pop("differ")
    question = Question(
        _commands(context.meta.get(_BEHIND, ()), differ),
        wanted,
        options.pop("guards"),
        options.pop("write_test"),
    )
    if differ and wanted.chosen:
        raise CliError(
            Exit.USAGE,
            "--differ keeps that two commands disagree, so there is nothing else to keep\n"
            "Leave out --keep-exit, --keep-stderr and --keep-stdout; --not and --guard go with it.",
        )
    if question.refined and not question.commands:
        raise CliError(
            Exit.USAGE,
            "--keep-exit, --keep-stderr, --keep-stdout, --not, --guard and --write-test need a "
            "command\nSay it at the end: marrow reduce INPUT --keep-exit -- COMMAND {}",
        )
    return question


def _commands(words: tuple[str, ...], differ: bool) -> tuple[tuple[str, ...], ...]:
    if not words and not differ:
        return ()
    if not differ:
        return (words,)
    at = words.index(_BETWEEN) if words.count(_BETWEEN) == 1 else -1
    if at <= 0 or at == len(words) - 1:
        raise CliError(
            Exit.USAGE,
            "--differ needs two commands with --- between them\n"
            "Say it like this: marrow reduce INPUT --differ -- A {} --- B {}",
        )
    return words[:at], words[at + 1 :]
