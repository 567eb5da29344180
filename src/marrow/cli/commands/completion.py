"""`marrow completion`, and the values of options that a shell completes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

import click
from click.shell_completion import CompletionItem, get_completion_class

from marrow.base.errors import UsageError
from marrow.cli.exits import CliError, Exit

#: What click calls to complete a value: with the context, the parameter and the word so far.
Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_SHELLS: Final = ("bash", "zsh", "fish")

# The variable by which the shell asks click for completions.
_VARIABLE: Final = "_MARROW_COMPLETE"

_EPILOG: Final = """\b
Examples:
  eval "$(marrow completion bash)"                     for this shell; in ~/.bashrc for all
  eval "$(marrow completion zsh)"                      the same in ~/.zshrc
  marrow completion fish > ~/.config/fish/completions/marrow.fish
"""


@click.command("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that lets SHELL complete marrow's command lines.

    Commands, options, file names, languages, grammars, algorithms and passes are completed.
    """
    found = get_completion_class(shell)
    if found is None:
        raise CliError(Exit.INTERNAL, f"marrow cannot complete for {shell}\nUse bash, zsh or fish.")
    root = context.find_root()
    try:
        script = found(root.command, {}, "marrow", _VARIABLE).source()
    except RuntimeError as error:
        raise UsageError(f"{error}\nCompletion needs bash 4.4 or later, zsh or fish.") from error
    # click's script for fish cuts a value at its first comma, and lists of passes have commas.
    click.echo(script.replace('string split ","', 'string split -m 1 ","'))


def _files(_: click.Context, __: click.Parameter, word: str) -> list[CompletionItem]:
    """Leave it to the shell to complete a file name."""
    return [CompletionItem(word, type="file")]


def _languages(_: click.Context, __: click.Parameter, word: str) -> list[CompletionItem]:
    from marrow.languages.recognition import known_languages

    return matching(word, ((name, " ".join(files)) for name, files in known_languages().items()))


def _grammars(
    context: click.Context, parameter: click.Parameter, word: str
) -> list[CompletionItem]:
    """Complete grammars that ship, and files.

    bash completes files itself only where nothing else fits, so those that look like grammars are
    listed.
    """
    from marrow.grammar.notations import NOTATIONS
    from marrow.grammars import grammar_names

    suffixes = tuple(suffix for one in NOTATIONS for suffix in one.suffixes)
    folder = word[: word.rfind("/") + 1]
    found = sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else []
    files = [(folder + name, "") for name in found if name.endswith(suffixes)]
    shipped = [(name, "ships with marrow") for name in grammar_names()]
    return [*_files(context, parameter, word), *matching(word, [*shipped, *files])]


def _algorithms(_: click.Context, __: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete algorithms; without the stars, which mean something to a shell and nothing here."""
    from marrow.reducers.pipeline.algorithm_table import ALGORITHMS

    names = {one.name.replace("*", ""): f"{one.description}, one pass" for one in ALGORITHMS}
    return matching(word, {**names, **{one.name: one.description for one in ALGORITHMS}}.items())


def _passes(_: click.Context, __: click.Parameter, word: str) -> list[CompletionItem]:
    """Complete the last pass of a list with commas, with a minus or a plus or without."""
    from marrow.reducers.pipeline.pass_table import PASSES

    before, comma, last = word.rpartition(",")
    given = {name.strip().lstrip("-+") for name in before.split(",")}
    sign = last[:1] if last.startswith(("-", "+")) else ""
    named = [
        (f"{before}{comma}{sign}{one.name}", one.description)
        for one in PASSES
        if one.name not in given
    ]
    alone = [] if comma else [("none", "only perses*"), ("list", "print the passes")]
    return matching(word, [*named, *alone])


def matching(word: str, named: Iterable[tuple[str, str]]) -> list[CompletionItem]:
    """Return the names that begin with a word, with their lines of help."""
    found = ((name, line) for name, line in named if name.startswith(word))
    return [CompletionItem(name, help=line or None) for name, line in found]


#: How values are completed, by what they name.
COMPLETERS: Final[dict[str, Completer]] = {
    "file": _files,
    "language": _languages,
    "grammar": _grammars,
    "algorithm": _algorithms,
    "passes": _passes,
}
