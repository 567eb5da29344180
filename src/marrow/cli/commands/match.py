"""`marrow match`: tells whether files belong to a pattern."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from marrow import reduce
from marrow.abstraction.embedding import PatternMatch
from marrow.abstraction.pattern import Pattern
from marrow.abstraction.pattern_json import PatternError, read_pattern
from marrow.abstraction.recogniser import Recogniser
from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError, MarrowError, UsageError
from marrow.cli.console import echo
from marrow.cli.exits import CliError, Exit
from marrow.cli.records import print_record
from marrow.cli.run_arguments import CommandAfterDashes, words_after_dashes
from marrow.grammar.language import Language
from marrow.grammar.model.parse_error import ParseError
from marrow.grammar.model.rules import GrammarError
from marrow.report.plain import printable
from marrow.run.options.options import ReduceOptions
from marrow.schemas import tag


@click.command("match", cls=CommandAfterDashes)
@click.argument("pattern_path", metavar="PATTERN", type=click.Path(path_type=Path))
@click.argument("inputs", metavar="FILE... [-- COMMAND]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--none",
    "guards",
    is_flag=True,
    help="Succeed if no FILE belongs to the pattern, and print only those that do: a guard.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object; see marrow schema.")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing; the exit code tells.")
@click.option("-v", "--verbose", is_flag=True, help="Print the text for each placeholder.")
def match_command(
    pattern_path: Path,
    inputs: tuple[Path | str, ...],
    guards: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Say for each FILE whether it belongs to a PATTERN that marrow abstract found.

    The pattern is used as a grammar: a placeholder matches any text of its kind, and all
    placeholders of one name (<$name1>) match the same text; everything else must be in the file as
    it is. White space and comments do not count. A larger file matches if it has the part that
    fails wherever it is, in order and with all bindings; so does the input that the pattern was
    found for. With a COMMAND, a file that does not match is reduced first, as marrow reduce does
    with this command, and then compared. There is one line for each file.
    """
    files, command = tuple(map(Path, inputs)), words_after_dashes()
    if not files:
        raise UsageError("no FILE\nExample: marrow match crash.pattern.json report.lua")
    pattern = pattern_of(pattern_path)
    try:
        recogniser = Recogniser(pattern)
    except (GrammarError, ParseError) as error:
        raise unusable(pattern_path, error) from error
    all_match = True
    unread: list[str] = []
    found: list[dict[str, Any]] = []
    for path in files:
        try:
            text = read_bounded(path, LARGEST_INPUT)
        except OSError as error:
            # The other files are checked all the same.
            unread.append(f"cannot read {path}: {error.strerror or error}")
            found.append(_data(path, PatternMatch(reason=f"it cannot be read: {error.strerror}")))
            continue
        match = recogniser.match(text)
        if command and not match:
            match = _reduced(path, command, pattern, recogniser)
        all_match = all_match and bool(match) is not guards
        found.append(_data(path, match))
        if not (quiet or as_json) and (match or not guards):
            doubt = f", but {match.doubt}: not known to fail" if match.doubt else ""
            inside = f", {match.inside}" if match.inside else ""
            said = f"matches{inside}{doubt}" if match else f"no match: {match.reason}"
            echo(f"{path}: {said}")
            for name, part in _parts(match) if verbose else ():
                echo(f"  <{name}>: {part}".replace("\n", "\\n"))
    if as_json:
        print_record({"schema": tag("matches"), "pattern": str(pattern_path), "files": found})
    if unread:
        listed = "\n".join(unread)
        message = f"{listed}\nCheck names and permissions."
        raise CliError(Exit.INPUT, message, recorded=as_json)
    if not all_match:
        sys.exit(Exit.NO_MATCH)


def _reduced(
    path: Path, command: Sequence[str], pattern: Pattern, recogniser: Recogniser
) -> PatternMatch:
    """Compare what a file can be reduced to while it fails with a command as it does.

    It is reduced in the pattern's language: what is left has to be read by that.
    """
    language = pattern.language
    options: ReduceOptions = {"command": list(command), "language": language.name}
    if isinstance(language, Language):
        options = {"command": list(command), "grammar": language}
    try:
        text = reduce(path, **options).text
    except MarrowError as error:
        return PatternMatch(reason=f"nothing to compare: {str(error).splitlines()[0]}")
    match = recogniser.match(text)
    if match:
        return replace(match, inside=f"once it is reduced to {len(text)} bytes")
    return replace(match, reason=f"reduced to {len(text)} bytes: {match.reason}")


def _parts(match: PatternMatch) -> Iterator[tuple[str, str]]:
    """Yield the text for each placeholder."""
    for hole, text in match.parts:
        marked = hole.marked
        name = f"${marked.name}{marked.group}" if marked.group else marked.name
        yield name, printable(text.encode("utf-8", "surrogateescape"))


def _data(path: Path, match: PatternMatch) -> dict[str, Any]:
    return {
        "file": str(path),
        "matches": bool(match),
        "reason": match.reason,
        "doubt": match.doubt,
        "inside": match.inside,
        "parts": [{"hole": name, "text": text} for name, text in _parts(match)],
    }


def pattern_of(path: Path) -> Pattern:
    """Read a pattern; raise `InputError` with what is wrong with it."""
    try:
        return read_pattern(path)
    except PatternError as error:
        raise InputError(f"{error}\nGive a file that `marrow abstract -o FILE` wrote.") from error


def unusable(path: Path, error: GrammarError | ParseError) -> InputError:
    """Return the error for a pattern whose grammar does not fit its tree."""
    return InputError(
        f"{path}: its grammar cannot be used: {error}\n"
        "Make the pattern again with `marrow abstract`."
    )
