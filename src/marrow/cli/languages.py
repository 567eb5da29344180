"""`marrow languages`: what can be parsed."""

from __future__ import annotations

import json

import click

from marrow.syntax.languages import known_languages


@click.command("languages")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object instead of a table.")
def languages_command(as_json: bool) -> None:
    """List the languages that marrow parses, with the file names it knows them by.

    A file of any other kind is reduced as indented blocks, lines, words and bytes.
    """
    languages = known_languages()
    if as_json:
        click.echo(json.dumps(languages, indent=1))
        return
    width = max(map(len, languages))
    for name, files in languages.items():
        click.echo(f"{name:<{width}}  {' '.join(files)}".rstrip())
