"""The error for a text that does not match a grammar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marrow.base.errors import MarrowError

#: How many of the expected symbols a message names; more than a handful helps nobody.
_MOST_EXPECTED: Final = 10

#: How much of an unexpected token a message shows.
_MOST_FOUND: Final = 40


class ParseError(MarrowError, ValueError):
    """A text that does not match the grammar: where, what was found and what was expected.

    Lines and columns (in characters) count from 1.
    """

    def __init__(
        self, line: int, column: int, found: str, expected: Sequence[str], note: str = ""
    ) -> None:
        self.line: Final = line
        self.column: Final = column
        self.found: Final = found
        self.expected: Final = tuple(expected)
        super().__init__(f"line {line}, column {column}: {note or _message(found, expected)}")


def _message(found: str, expected: Sequence[str]) -> str:
    shown = list(expected[:_MOST_EXPECTED])
    if not shown:
        return f"found {found}, which does not fit here"
    if len(expected) > _MOST_EXPECTED:
        shown.append(f"{len(expected) - _MOST_EXPECTED} more")
    if len(shown) == 1:
        return f"found {found}, expected {shown[0]}"
    return f"found {found}, expected {', '.join(shown[:-1])} or {shown[-1]}"


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return the line and column of an offset in a text, counting from 1."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


def quoted(text: str) -> str:
    """Return a piece of the input as it is shown in messages."""
    return repr(text if len(text) <= _MOST_FOUND else text[: _MOST_FOUND - 3] + "...")
