"""`marrow tree`: prints the tree of an input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from marrow.base.errors import InputError, error_text
from marrow.cli.console import echo
from marrow.cli.run_options import run_options
from marrow.report.plain import printable
from marrow.run.options.option import read_values
from marrow.run.options.options import LanguageOptions
from marrow.run.plan.chosen_view import chosen_file_view
from marrow.run.plan.input import path_input
from marrow.tree import SEPARATOR, Kind, Token, Tree

_SIGNS: Final = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?", Kind.REGULAR: ""}


@click.command("tree")
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@run_options(LanguageOptions)
@click.option("--depth", type=click.IntRange(min=0), help="How many levels to print; default: all.")
def tree_command(input_path: Path, depth: int | None, **given: Any) -> None:
    """Print the tree of INPUT as marrow sees it.

    A name with * is a list whose elements can all be deleted, with + a list that keeps at least
    one, with ? an optional part. After the name come the slot, if it is called something else, and
    the number of tokens. A text that does not match the grammar of --grammar is shown as lines and
    words, with the place where it fails; the exit code is 3.

    \b
    Example:
      marrow tree crash.c | less
    """
    if input_path.is_dir():
        raise InputError(f"{input_path} is a directory\nGive a single file.")
    values = read_values(LanguageOptions, given)
    source = path_input((input_path,), values["name"])
    view = chosen_file_view(source, values)
    front = view.fronts[0]
    tree = front.parse(source.text)
    echo(f"{input_path.name}: {front.description}, {tree.token_count} tokens")
    for line in outline(tree, depth):
        echo(line)
    if values["grammar"] is not None and view.note:
        note = view.note.rpartition("; ")[0]
        raise InputError(error_text("tree_of_another_grammar", note=note))


def outline(tree: Tree, depth: int | None = None) -> Iterator[str]:
    """Yield a line for each node, to a depth."""
    for place, node in tree.walk():
        if depth is not None and place.depth > depth:
            continue
        pad = "  " * place.depth
        slot = "" if node.slot in ("", node.symbol) else f"  <{node.slot}>"
        if isinstance(node, Token):
            text = printable(node.text).replace("\n", "\\n")
            name = "" if node.symbol == text else f"  {node.symbol}"
            kind = "  separator" if node.slot == SEPARATOR else slot
            yield f"{pad}{text!r}{name}{kind}"
        else:
            yield f"{pad}{node.symbol}{_SIGNS[node.kind]}{slot}  {node.token_count}"
