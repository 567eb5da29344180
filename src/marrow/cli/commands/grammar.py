"""`marrow grammar`: checks, prints, normalises and converts a grammar."""

from __future__ import annotations

from typing import Any

import click

from marrow import grammars
from marrow.base.errors import InputError, error_text, message_of
from marrow.cli.console import echo
from marrow.cli.run_options import DeclaredType, run_options
from marrow.grammar.check import check
from marrow.grammar.language import Language
from marrow.grammar.model.rules import GrammarError
from marrow.grammar.writer import write_bnf
from marrow.run.options.option import GRAMMAR, read_values
from marrow.run.options.options import GrammarOptions
from marrow.run.plan.chosen_view import reading


@click.command("grammar")
@click.argument("file", metavar="[FILE]", required=False, type=DeclaredType(GRAMMAR))
@click.option("--start", metavar="RULE", help="The start rule, if not the usual.")
@click.option("--normalize", "normal", is_flag=True, help="Print the Perses Normal Form.")
@click.option("--check", "check_only", is_flag=True, help="Only check; do not print the grammar.")
@run_options(GrammarOptions)
def grammar_command(
    file: str | None,
    start: str | None,
    normal: bool,
    check_only: bool,
    **given: Any,
) -> None:
    """Check a grammar and print it as BNF.

    FILE is a grammar in a notation that `marrow help notations` lists, or the name of one that
    ships with marrow. Without FILE, the names of those are listed. Findings go to the standard
    error, with line, column and what to do.

    \b
    Examples:
      marrow grammar                            the grammars that ship with marrow
      marrow grammar Expr.g4                    check it, print it as BNF
      marrow grammar Expr.g4 --check            only check it
      marrow grammar ExprParser.g4 > Expr.bnf   convert it (the lexer is found beside it)
      marrow grammar JsParser.g4 --assume IsStrictMode=true --check
      marrow grammar calc.json --normalize      its Perses Normal Form

    Exit code 3 means that the grammar is missing, unreadable or broken.
    """
    if file is None:
        echo("\n".join(grammars.grammar_names()))
        return
    try:
        path = grammars.grammar_file(file)
    except LookupError as error:
        raise InputError(message_of(error)) from None
    try:
        how = reading(read_values(GrammarOptions, given))
        grammar = Language.from_file(path, start, **how).grammar
        notes = check(grammar)
        for note in notes:
            echo(str(note), err=True)
        errors = sum(note.error for note in notes)
        if errors:
            which = "error" if errors == 1 else f"{errors} errors"
            raise InputError(error_text("unusable_grammar", file=file, which=which))
        if check_only:
            echo(
                f"{grammar.name}: starts at {grammar.start}, {len(grammar.rules)} rules, "
                f"{len(grammar.tokens)} tokens, {len(notes)} notes, no errors."
            )
            return
        if normal:
            from marrow.grammar.normal.normalize import normalize

            grammar = normalize(grammar)
    except GrammarError as error:
        raise InputError(error.on_command_line) from error
    click.echo(write_bnf(grammar)[0], nl=False)
