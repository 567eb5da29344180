"""The arguments of commands that run tests: inputs, then a test, or a command after `--`."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any, Final

import click

from marrow.base.errors import UsageError, error_text
from marrow.cli.console import echo
from marrow.cli.run_options import GroupedCommand
from marrow.signature.failing_command import CANDIDATE, typed

# Where click's context keeps the words after `--`.
_WORDS: Final = "marrow.command_after_dashes"

# Separates the two commands of --differ.
_BETWEEN: Final = "---"


class CommandAfterDashes(GroupedCommand):
    """A command of marrow that takes the failing command after `--`.

    Without an input before `--`, the words after it are inputs whose names begin with a dash,
    unless they are a command.
    """

    #: Says that options of the command come after `--`.
    after_dashes = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Set the words after `--` aside."""
        at = args.index("--") if "--" in args else len(args)
        words = tuple(args[at + 1 :])
        rest = super().parse_args(ctx, args[:at])
        # A command names the candidate, or a program.
        command = words and (not {CANDIDATE, "@@"}.isdisjoint(words) or _is_on_path(words[0]))
        if words and not ctx.params["inputs"] and not command:
            ctx.params["inputs"], words = words, ()
        ctx.meta[_WORDS] = words
        return rest


def words_after_dashes() -> tuple[str, ...]:
    """Return the words after `--` of the command that runs."""
    words: tuple[str, ...] = click.get_current_context().meta[_WORDS]
    return words


def _failing_command(*, differ: bool) -> tuple[Any, ...] | None:
    """Return the command after `--`, or the two commands of --differ."""
    words = words_after_dashes()
    if not differ:
        return words or None
    at = words.index(_BETWEEN) if words.count(_BETWEEN) == 1 else -1
    if at <= 0 or at == len(words) - 1:
        raise UsageError(error_text("two_commands_to_differ"))
    return words[:at], words[at + 1 :]


def inputs_and_test(
    names: tuple[str, ...],
    given: dict[str, Any],
    *,
    usage: str,
    input_word: str = "INPUT, the file that shows the failure,",
) -> tuple[tuple[Path, ...], str | None]:
    """Separate the inputs from the test, which comes last unless an option gives one.

    The command after `--` goes to the options that are `given`. `usage` is the message for a
    command line with another number of tests than one, `input_word` describes the inputs in the
    message for a test without any.
    """
    inputs = list(names)
    given["command"] = _failing_command(differ=bool(given.get("differ")))
    if "" in inputs:  # as a path it would be the current directory
        raise UsageError(error_text("empty_name"))
    others = sum(given.get(name) is not None for name in ("shell", "command"))
    if others and not inputs:
        line, metavar = click.get_current_context().command_path, input_word.partition(",")[0]
        raise UsageError(f"{input_word} is missing\nName it first: {line} {metavar} ...")
    if not others:
        _refuse_bare_command(inputs)
    test = (
        _test_among(inputs, quiet=bool(given["quiet"])) if len(inputs) > 1 and not others else None
    )
    if others > 1 or (others and len(inputs) > 1 and is_program(inputs[-1])):
        named = f": {inputs[-1]} and the failing command" if others == 1 else ""
        raise UsageError(f"there are two tests{named}\nGive one of them.")
    if not inputs or (test is not None) + others != 1:
        raise UsageError(usage)
    return tuple(map(Path, inputs)), test


def _is_on_path(name: str) -> bool:
    """Whether a name is that of an installed program, and not of a file here."""
    return os.sep not in name and not os.path.lexists(name) and shutil.which(name) is not None


def _refuse_bare_command(names: list[str]) -> None:
    """Raise `CliError` if a command follows the inputs without `--`, or `{}` follows the test."""
    line = click.get_current_context().command_path
    # A program in the last place may be the test.
    at = next((at for at, name in enumerate(names[:-1]) if at and _is_on_path(name)), 0)
    if at:
        raise UsageError(
            f"{names[at]} is a command rather than an input; a command comes after --\n"
            f"Did you mean: {line} {typed(names[:at])} -- {typed(names[at:])}"
        )
    if len(names) > 2 and names[-1] == CANDIDATE and not os.path.lexists(CANDIDATE):
        *inputs, test = names[:-1]
        given = {"test": test, "line": line, "inputs": typed(inputs), "file": typed([test])}
        raise UsageError(error_text("candidate_of_a_script", **given))


def _test_among(names: list[str], *, quiet: bool) -> str:
    """Take the test out of the names: the last one, as the documentation says.

    It is the first one, as for C-Reduce and Shrink Ray, only if the last can never be a test. A
    program that may be either is not run if it is more likely to be the input.
    """
    first, *between, last = names

    def say(words: str) -> None:
        if not quiet:
            echo(words, err=True)

    if _looks_swapped(first, [*between, last]):
        names.pop(0)
        say(f"note: {first} is taken for the test, {' '.join(names)} for the input")
        return first
    if is_program(first) and is_program(last):
        if names_file(first, last) and not names_file(last, first):
            command = click.get_current_context().command_path
            given = {"first": first, "last": last, "name": os.path.basename(last)}
            raise UsageError(error_text("two_scripts", command=command, **given))
        say(f"note: {last} is the test, {first} is the input")
    return names.pop()


# How a script reads its input, unless by its name: an argument, or standard input.
_READS_INPUT: Final = re.compile(rb"\$[1@*]|\$\{[1@*]|\bargv\b|\bstdin\b|\bARGV\b")

# As much of a script as tells what it reads.
_LOOKED_AT: Final = 1 << 16

# Languages of scripts that a shell runs without `#!`.
_SHELLS: Final = ("bash", "fish")


def _looks_swapped(first: str, others: list[str]) -> bool:
    """Whether the test comes before the inputs, as for C-Reduce, C-Vise and Shrink Ray.

    Being executable is not enough: an input may be a program, too, and must not be run. The last
    name must be one that can never be a test, and the first one must read an input: it mentions one
    of their names, an argument, or its standard input.
    """
    if not is_program(first) or not _never_a_test(others[-1]):
        return False  # only a regular file may be read: a pipe would be waited for
    return bool(_READS_INPUT.search(_start_of(first))) or any(
        names_file(first, one) for one in others
    )


def names_file(script: str, other: str) -> bool:
    """Whether a script mentions another file by its name."""
    name = re.escape(os.path.basename(other.rstrip(os.sep)).encode("utf-8", "surrogateescape"))
    return bool(re.search(rb"(?<![\w.-])" + name + rb"(?![\w-]|\.\w)", _start_of(script)))


def is_program(name: str) -> bool:
    """Whether a file can be run, or begins like a script."""
    if not os.path.isfile(name):
        return False
    return os.access(name, os.X_OK) or _start_of(name).startswith(b"#!")


def _never_a_test(name: str) -> bool:
    """Whether a name is a directory, or a file that is not a program and not a shell's script.

    What is not executable and names no interpreter could only be a script for the shell.
    """
    if not os.path.isfile(name) or is_program(name):
        return os.path.isdir(name)
    from marrow.languages.recognition import language_of

    return language_of(name, _start_of(name)) not in (None, *_SHELLS)


def _start_of(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return b""
