"""A user's own regular expressions, matched with the lines of an output within a time limit.

A matcher may try every way to match, which can take longer than anyone waits: `(x|xx)+$` on a line
of 60 letters. That of the `regex` package gives up in time. Python's own, which cannot be stopped,
takes its place in written tests, which need no package.
"""

from __future__ import annotations

import re
import time
from functools import cache
from importlib import import_module
from typing import Any, Final

from marrow.base.errors import MarrowError

#: How long an expression may take on one output, in seconds. One that needs more than a moment
#: backtracks, and would as well need years.
LIMIT: Final = 10.0


class SlowExpressionError(MarrowError):
    """A user's expression takes too long on what a command prints."""


def matches_line(expression: str, output: bytes) -> bool:
    """Return whether a line of an output matches; raise `SlowExpressionError` if it takes long."""
    compiled, limited = _compiled(expression)
    end = time.monotonic() + LIMIT
    options: dict[str, Any] = {}
    for line in output.decode("utf-8", "surrogateescape").split("\n"):
        if limited:
            options = {"timeout": max(1e-3, end - time.monotonic()), "concurrent": True}
        try:
            if compiled.search(line, **options):
                return True
        except TimeoutError:
            raise SlowExpressionError(
                f"matching {expression} takes longer than {LIMIT:.0f} s on what the command "
                "prints\nRepeat nothing that has a repeat in it, as (x+)+ has, and leave out .* "
                "at either end: an expression may match any part of a line."
            ) from None
    return False


@cache
def _compiled(expression: str) -> tuple[Any, bool]:
    """Return an expression, and whether its matcher takes a time limit."""
    try:
        regex = import_module("regex")
        return regex.compile(expression), True
    except ImportError:
        return re.compile(expression), False
