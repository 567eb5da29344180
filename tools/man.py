"""Man pages made from the help: `python -m tools.man DIR` writes one for each command."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import click

from marrow import __version__
from marrow.cli.command_table import COMMANDS
from marrow.cli.run_options import GroupedCommand
from marrow.run.options.option import FIRST


def escaped(text: str) -> str:
    """Return a text as roff shows it: no line is a request, no character an escape."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\b", "")
    return "\n".join(
        f"\\&{line}" if line.startswith((".", "'")) else line for line in text.splitlines()
    )


def page(name: str, command: click.Command) -> str:
    """Return the man page of a command."""
    context = click.Context(command, info_name=f"marrow {name}".strip())
    title = f"MARROW-{name}".upper().rstrip("-")
    return "\n".join([*_head(title, name, command), *_body(command, context), ""])


def _head(title: str, name: str, command: click.Command) -> Iterator[str]:
    yield f'.TH "{escaped(title)}" 1 "" "marrow {__version__}"'
    yield ".SH NAME"
    brief = COMMANDS.get(name, "Cut a failing input down to the part that matters.")
    yield f"{escaped(f'marrow-{name}' if name else 'marrow')} \\- {escaped(brief.rstrip('.'))}"
    del command


def _body(command: click.Command, context: click.Context) -> Iterator[str]:
    yield ".SH SYNOPSIS"
    usage = command.get_usage(context).partition(": ")[2]
    yield f".B {escaped(' '.join(usage.split()))}"
    yield ".SH DESCRIPTION"
    for paragraph in re.split(r"\n\s*\n", (command.help or "").strip()):
        yield ".PP"
        yield escaped(" ".join(paragraph.split()))
    yield from _options(command, context)
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for name, brief in COMMANDS.items():
            yield ".TP"
            yield f".BR {escaped(f'marrow-{name}')} (1)"
            yield escaped(brief)
    if command.epilog:
        yield ".SH NOTES"
        yield ".nf"
        yield escaped(command.epilog.strip("\b\n"))
        yield ".fi"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the options, in the groups and the order of the help."""
    if isinstance(command, GroupedCommand):
        groups = command.grouped(context)
    else:
        options = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        groups = {FIRST: options}
    for title, options in groups.items():
        records = [one.get_help_record(context) for one in options]
        if any(records):
            yield ".SH OPTIONS" if title == FIRST else f".SS {escaped(title)}"
        for record in filter(None, records):
            yield ".TP"
            yield f".B {escaped(record[0])}"
            yield escaped(" ".join(record[1].split()))


def pages() -> dict[str, str]:
    """Return all man pages by the names of their files."""
    from marrow.cli.command_table import marrow as root

    found = {"marrow.1": page("", root)}
    for name in COMMANDS:
        module = importlib.import_module(f"marrow.cli.commands.{name}")
        found[f"marrow-{name}.1"] = page(name, getattr(module, f"{name}_command"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    directory: Path = parser.parse_args().directory
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (directory / name).write_text(text, encoding="utf-8")
    print(f"{directory}: {len(pages())} pages")


if __name__ == "__main__":
    main()
