"""`marrow help`: chapters that are too long for the help of a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from marrow.cli.command_table import COMMANDS, help_text, load
from marrow.cli.console import echo
from marrow.cli.run_options import GroupedCommand, write_options


def _algorithms(context: click.Context, formatter: click.HelpFormatter) -> None:
    from marrow.reducers.pipeline.algorithm_table import ALGORITHMS
    from marrow.run.options.option import ALGORITHMS as SETTINGS

    formatter.write_text(
        "Without --algorithm, marrow reduce runs a pipeline: batched on large inputs, perses*, "
        "then the passes (marrow help passes). A name with a star stands for a fixpoint; without "
        "the star, or with --once, the algorithm makes one pass."
    )
    guarantees = dict.fromkeys(one.guarantee for one in ALGORITHMS)
    for guarantee in guarantees:
        rows = [(one.name, one.description) for one in ALGORITHMS if one.guarantee == guarantee]
        _section(formatter, f"Guarantee: {guarantee}", rows)
    reduce = load("reduce")
    assert isinstance(reduce, GroupedCommand)
    options = reduce.grouped(context)[SETTINGS]
    write_options(context, formatter, "Options of single algorithms", options)


def _passes(_: click.Context, formatter: click.HelpFormatter) -> None:
    from marrow.reducers.pipeline.pass_table import PASSES

    formatter.write_text(
        "The pipeline of marrow reduce runs these after perses*, to a joint fixpoint. --passes "
        "names,less runs only those, -batched,-tokens all but those, none only perses*."
    )
    _section(formatter, "Passes", [(one.name, one.description) for one in PASSES])


def _notations(_: click.Context, formatter: click.HelpFormatter) -> None:
    from marrow.grammar.notations import notation_help
    from marrow.grammars import grammar_names

    formatter.write_text("--grammar takes a file. Its suffix or its content tells the notation.")
    _section(formatter, "Notations", notation_help())
    formatter.write_paragraph()
    formatter.write_text(
        f"Or the name of a grammar that ships with marrow: {', '.join(grammar_names())}. "
        "`marrow grammar NAME` prints it; `marrow grammar FILE --check` checks a file."
    )


def _agents(_: click.Context, formatter: click.HelpFormatter) -> None:
    from importlib.resources import files

    text = (files("marrow.cli") / "SKILL.md").read_text()
    formatter.write(text.partition("---\n# ")[2])


def _section(formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]) -> None:
    with formatter.section(title):
        formatter.write_dl(rows)


def _from_file(name: str) -> Callable[[click.Context, click.HelpFormatter], None]:
    return lambda _, formatter: formatter.write_text(help_text(name))


CHAPTERS: Final = {
    "tests": ("how a test is run, and what to say instead of one", _from_file("tests")),
    "algorithms": ("the algorithms of marrow reduce, by name", _algorithms),
    "passes": ("the passes of the pipeline, by name", _passes),
    "notations": ("grammars that marrow reads, and those that ship", _notations),
    "agents": ("how a coding agent calls marrow", _agents),
    "exit-codes": ("the exit codes of all commands", _from_file("exit-codes")),
}


@click.command("help")
@click.argument(
    "topic", metavar="[TOPIC]", type=click.Choice([*CHAPTERS, *COMMANDS]), required=False
)
@click.pass_context
def help_command(context: click.Context, topic: str | None) -> None:
    """Show a chapter of the help, or the help of a command.

    TOPIC is a chapter or a command. Without one, the chapters are listed.
    """
    echo(text_of(context, topic))


def text_of(context: click.Context, topic: str | None) -> str:
    """Return the help on a topic; without one, the list of chapters."""
    if topic in COMMANDS:
        command = load(str(topic))
        with command.context_class(command, parent=context.parent, info_name=topic) as inner:
            return command.get_help(inner)
    formatter = context.make_formatter()
    if topic is None:
        rows = [(name, line) for name, (line, _) in CHAPTERS.items()]
        _section(formatter, "Chapters (marrow help CHAPTER)", rows)
    else:
        CHAPTERS[topic][1](context, formatter)
    return formatter.getvalue().rstrip("\n")
