"""The last change as a short diff."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from marrow.engine.delta import changed_region
from marrow.report.plain import printable

# Longer changes are shown by their first lines; more would push the display off the screen.
_MOST_LINES = 4
_WIDEST = 100


def short_diff(before: bytes, after: bytes) -> Iterator[tuple[str, str]]:
    """Yield the changed lines, each with `-` or `+`, shortened to a few."""
    start, end_before, end_after = changed_region(before, after)
    line_start = before.rfind(b"\n", 0, start) + 1
    gone = _lines(before, line_start, end_before)
    come = _lines(after, line_start, end_after)
    # What both have at the ends was not changed: it only shares a line with what was.
    while gone and come and gone[-1] == come[-1]:
        gone.pop()
        come.pop()
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(gone, come, strict=False)))
    for sign, lines in (("-", gone[same:]), ("+", come[same:])):
        for line in lines[:_MOST_LINES]:
            yield sign, printable(line)[:_WIDEST]
        if len(lines) > _MOST_LINES:
            yield sign, f"... {len(lines) - _MOST_LINES} more lines"


def _lines(text: bytes, start: int, end: int) -> list[bytes]:
    """Return the lines from `start` on that begin before `end`, without blank ones."""
    if end <= start:
        return []
    line_end = text.find(b"\n", end - 1)
    piece = text[start : len(text) if line_end < 0 else line_end]
    return [line for line in piece.split(b"\n") if line.strip()]
