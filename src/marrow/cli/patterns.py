"""Reading patterns, for the commands that use them."""

from __future__ import annotations

from pathlib import Path

from marrow.abstraction.pattern import Pattern
from marrow.abstraction.pattern_json import PatternError, read_pattern
from marrow.cli.exits import CliError, Exit
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import GrammarError


def pattern_of(path: Path) -> Pattern:
    """Read a pattern; raise `CliError` with what is wrong with it."""
    try:
        return read_pattern(path)
    except PatternError as error:
        raise CliError(
            Exit.INPUT, f"{error}\nGive a file that `marrow abstract -o FILE` wrote."
        ) from error


def unusable(path: Path, error: GrammarError | ParseError) -> CliError:
    """Return the error for a pattern whose grammar does not fit its tree."""
    return CliError(
        Exit.INPUT,
        f"{path}: its grammar cannot be used: {error}\n"
        "Make the pattern again with `marrow abstract`.",
    )
