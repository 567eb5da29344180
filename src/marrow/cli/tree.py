"""`marrow tree`: the input as marrow sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from marrow.cli.console import echo
from marrow.cli.inputs import choose_view, grammar_options, read_input
from marrow.report.plain import printable
from marrow.tree import SEPARATOR, Kind, Token, Tree

_SIGNS = {Kind.STAR: "*", Kind.PLUS: "+", Kind.OPTIONAL: "?", Kind.REGULAR: ""}


@click.command("tree")
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@click.option("-l", "--language", metavar="L", help="The language, if the file name does not tell.")
@grammar_options
@click.option("--depth", type=click.IntRange(min=0), help="How many levels to print; default: all.")
def tree_command(
    input_path: Path,
    language: str | None,
    grammar: str | None,
    start: str | None,
    depth: int | None,
) -> None:
    """Print the tree of INPUT as marrow sees it.

    A name with * is a list whose elements may all go, + a list that keeps one, ? a part that may
    go. Behind a name stand the slot, if it has another name, and the number of tokens.

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
    """Yield one line a node."""
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
