"""`marrow tree`: prints the tree of an input."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from marrow.cli.completion import COMPLETERS
from marrow.cli.console import echo
from marrow.cli.inputs import choose_view, read_input
from marrow.report.plain import printable
from marrow.tree import SEPARATOR, Kind, Token, Tree

_SIGNS: Final = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?", Kind.REGULAR: ""}


@click.command("tree")
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.option(
    "-l",
    "--language",
    metavar="L",
    shell_complete=COMPLETERS["language"],
    help="The language, if the file name does not tell.",
)
@click.option(
    "--grammar",
    metavar="FILE",
    shell_complete=COMPLETERS["grammar"],
    help="Parse by a grammar: a file, or the name of one that ships (marrow help notations).",
)
@click.option("--start", metavar="RULE", help="The start rule of the grammar, if not the usual.")
@click.option(
    "--depth", metavar="N", type=click.IntRange(min=0), help="Print N levels; default: all."
)
def tree_command(
    input_path: Path,
    language: str | None,
    grammar: str | None,
    start: str | None,
    depth: int | None,
) -> None:
    """Print the tree of INPUT as marrow sees it.

    A name with * is a list whose elements can all be deleted, with + a list that keeps at least
    one, with ? an optional part. After the name come the slot, if it is called something else, and
    the number of tokens.

    \b
    Example:
      marrow tree crash.c | less
    """
    text = read_input(input_path)
    view = choose_view(input_path, text, language, grammar, start)
    front = view.fronts[0]
    tree = front.parse(text)
    echo(f"{input_path.name}: {front.description}, {tree.token_count} tokens")
    for line in outline(tree, depth):
        echo(line)


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
