"""The result itself, printed at the end of a run: what people came for."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from marrow.cli.console import echo
from marrow.languages.recognition import is_binary, language_of
from marrow.report.hexadecimal import hexadecimal
from marrow.report.plain import printable
from marrow.run.output.output_file import OutputFile
from marrow.run.output.result import Result
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.syntax.bundle import read_bundle
from marrow.syntax.view_wrappers import as_narrow

# As much as a screen shows; the rest is in the file.
MOST_LINES: Final = 40

# A line is cut here: one line of a megabyte would bury everything else.
_WIDEST: Final = 400

# How many rows of sixteen bytes are shown of a binary result.
_MOST_ROWS: Final = 16

_MARGIN: Final = "    "


def shown_result(result: Result, path: Path, *, several: bool) -> list[tuple[str, list[str]]]:
    """Return the files of a result, each with its name and the lines that are shown of it."""
    text = result.text if result.pretty is None else result.pretty
    if not several:
        return [(path.name, _lines(text, MOST_LINES))]
    found: list[tuple[str, list[str]]] = []
    left = MOST_LINES
    files = [one for one in read_bundle(text) if one.regular and one.content]
    for number, file in enumerate(files):
        lines = _lines(file.content, max(left, 1))
        found.append((file.name, lines))
        left -= len(lines) + 1
        if left <= 0 and number + 1 < len(files):
            found.append(("", [f"... and {len(files) - number - 1:,} more files"]))
            break
    return found


def _lines(text: bytes, most: int) -> list[str]:
    """Return the first lines of a text, or of its bytes in hexadecimal digits."""
    text = as_narrow(text)
    if is_binary(text):
        most = min(most, _MOST_ROWS)
        lines = list(hexadecimal(text[: 16 * most]))
        count = (len(text) + 15) // 16
    else:
        whole = text.replace(b"\r\n", b"\n")
        count = whole.count(b"\n") + (not whole.endswith(b"\n") and bool(whole))
        # Nothing but what is shown is looked at: a line of 50 MB takes its time. A character has
        # four bytes at most.
        starts = (line[: 4 * (_WIDEST + 1)] for line in whole.split(b"\n", most)[:most])
        lines = [printable(line) for line in starts][:count]
    shown = [line if len(line) <= _WIDEST else f"{line[:_WIDEST]}..." for line in lines]
    more = count - len(shown)
    return [*shown, f"... and {more:,} more lines"] if more else shown


def write_patch(plan: Plan, result: Result) -> Path:
    """Write what is left of a difference beside the result, as a patch."""
    assert result.patch is not None
    assert plan.output is not None
    path = plan.output.with_name(f"{plan.output.name}.patch")
    output = OutputFile(path, plan.source.mode & 0o666)
    patch = result.patch.encode("utf-8", "replace")
    if output.read() not in (None, patch):
        output.keep_old()
    output.write(patch)
    return path


def show_result(result: Result, path: Path, *, several: bool, good: Input | None = None) -> None:
    """Print the result below the summary, with colours where standard output is a terminal.

    Of a difference from a `good` input, the patch is shown.
    """
    if good is not None:
        patch = path.with_name(f"{path.name}.patch")
        lines = _lines(patch.read_bytes(), MOST_LINES)
        echo(f"the changes that make it fail ({patch}):")
        if _in_colour():
            _highlighted("\n".join(lines), "diff")
        else:
            echo("\n".join(f"{_MARGIN}{line}" for line in lines))
        return
    files = shown_result(result, path, several=several)
    there = result.pretty_path or path
    kind = "the result, laid out for reading" if result.pretty is not None else "the result"
    echo(f"{kind} ({there}):")
    for name, lines in files:
        if several and name:
            echo(f"  {printable(name.encode('utf-8', 'surrogateescape'))}")
        body = "\n".join(lines)
        language = result.language if not several else language_of(name, b"") or ""
        if lines and _in_colour():
            _highlighted(body, language)
        else:
            echo("\n".join(f"{_MARGIN}{line}" for line in lines))


def _in_colour() -> bool:
    """Whether colours are wanted: a terminal that shows them, and nobody who objects."""
    term = os.environ.get("TERM", "").lower()
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and term not in ("", "dumb", "unknown")
    )


def _highlighted(body: str, language: str) -> None:
    from rich.console import Console
    from rich.padding import Padding
    from rich.syntax import Syntax

    # "ansi_dark" takes the colours of the terminal itself, whatever they are.
    shown = Syntax(body, language, theme="ansi_dark", background_color="default", word_wrap=False)
    width = max(map(len, body.splitlines()), default=0) + len(_MARGIN)
    Console(width=max(width, 1), highlight=False).print(Padding(shown, (0, 0, 0, len(_MARGIN))))
