"""A user's own regular expressions, matched with the lines of an output within a time limit.

Python's matcher tries every way to match, which may take longer than anyone waits: `(x+)+$` on a
line of 40 letters. It cannot be stopped from another thread either, and Ctrl-C has to wait for it.
So an expression that may take long on an output is matched in a process of its own, which is ended
when the time is up. Most are not: the length of the lines and the repeats in the expression bound
the work.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import cache
from re import _parser
from typing import Any, Final

from marrow.base.errors import MarrowError

#: How long an expression may take on one output, in seconds. One that needs more than a moment
#: backtracks, and would as well need years.
LIMIT: Final = 10.0

# The matcher takes these steps in about a tenth of a second; a process would not be faster.
_STEPS: Final = 10_000_000

# A repeat of more rounds counts as one without an end.
_MANY: Final = 10

# How often a process is started, if something else ends it.
_TRIES: Final = 3

# Exit codes of the process: other than those that Python and the system use.
_FOUND, _NOT_FOUND = 10, 11

_PROGRAM: Final = f"""
import json, re, sys
expression = re.compile(json.loads(sys.stdin.buffer.readline()))
text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
sys.exit({_FOUND} if any(map(expression.search, text.split("\\n"))) else {_NOT_FOUND})
"""


class SlowExpressionError(MarrowError):
    """A user's expression takes too long on what a command prints."""


def matches_line(expression: str, output: bytes) -> bool:
    """Return whether a line of an output matches; raise `SlowExpressionError` if it takes long."""
    lines = output.decode("utf-8", "surrogateescape").split("\n")
    power = _power(expression)
    if power and sum(len(line) ** power for line in lines) <= _STEPS:
        return any(map(_compiled(expression).search, lines))
    question = json.dumps(expression).encode() + b"\n" + output
    for _ in range(_TRIES):
        try:
            code = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _PROGRAM],
                input=question,
                timeout=LIMIT,
                capture_output=True,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            break
        if code in (_FOUND, _NOT_FOUND):
            return code == _FOUND
    raise SlowExpressionError(
        f"matching {expression} takes longer than {LIMIT:.0f} s on what the command prints\n"
        "Repeat nothing that has a repeat in it, as (x+)+ has, and leave out .* at either end: an "
        "expression may match any part of a line."
    )


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@cache
def _power(expression: str) -> int:
    """Return which power of a line's length bounds the work; 0 if none does."""
    power = 1  # a match may begin anywhere
    left: list[tuple[Any, bool]] = [(_parser.parse(expression), False)]
    while left:
        part, repeated = left.pop()
        if isinstance(part, _parser.SubPattern | list):
            left += [(one, repeated) for one in part]
        elif isinstance(part, tuple):
            repeats = str(part[0]).endswith("_REPEAT") and part[1][1] > _MANY
            if repeats and repeated:
                return 0
            power += repeats
            left += [(one, repeated or repeats) for one in part]
    return power
