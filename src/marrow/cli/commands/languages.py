"""`marrow languages`: lists the languages that marrow parses."""

from __future__ import annotations

import json

import click

from marrow.cli.console import echo
from marrow.languages.recognition import known_languages
from marrow.learn.model import known_models


@click.command("languages")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of a table.")
def languages_command(as_json: bool) -> None:
    """List the languages that marrow parses, with their file names.

    A file of any other kind is reduced as brackets, blocks, lines, words and bytes. [model] marks
    languages for which `marrow reduce --algorithm batched` knows which types of nodes are likely to
    be removable; `marrow train` makes models for others.
    """
    from marrow.syntax.parsers import parser_installed

    known = known_languages()
    languages = {name: files for name, files in known.items() if parser_installed(name)}
    models = known_models()
    if as_json:
        document = {
            name: {"files": files, "model": name in models} for name, files in languages.items()
        }
        click.echo(json.dumps(document, indent=1))
        return
    width = max(map(len, languages), default=0)
    for name, files in languages.items():
        model = ("[model]",) if name in models else ()
        echo(f"{name:<{width}}  {' '.join((*files, *model))}".rstrip())
    if len(languages) < len(known):
        missing = len(known) - len(languages)
        echo(f"({missing} more with all parsers: pip install tree-sitter-language-pack)")
