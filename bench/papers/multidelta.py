"""MultiDelta's way: the input flattened to a depth by topformflat, its lines minimised by ddmin.

Debian's package `delta` has topformflat, which joins the lines of everything nested deeper than a
level, so that a line is a function, then a statement. `multidelta` runs delta on the lines at the
levels 0, 0, 1, 1, 2, 2, 10 and 10, as its manual advises; here ddmin is marrow's. The Perses paper
compares with it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from marrow import reduce
from marrow.engine.events import Answer, Event, Tried

LEVELS: Final = (0, 0, 1, 1, 2, 2, 10, 10)


class NoTopformflatError(Exception):
    """The program topformflat is not installed."""


@dataclass(frozen=True, slots=True)
class Flattened:
    """The result, the tests that were run, and how long that took."""

    text: bytes
    tests: int
    seconds: float


def topformflat(text: bytes, level: int) -> bytes:
    """Return a text in which what is nested deeper than a level stands on one line."""
    if shutil.which("topformflat") is None:
        raise NoTopformflatError("topformflat is not installed: it is in Debian's package delta")
    return subprocess.run(
        ["topformflat", str(level)], input=text, stdout=subprocess.PIPE, check=True
    ).stdout


def multidelta(
    text: bytes, test: Callable[[bytes], bool], levels: tuple[int, ...] = LEVELS
) -> Flattened:
    """Reduce a text level by level; one that flattening spoils is left out."""
    tests, seconds = 0, 0.0

    def listen(event: Event) -> None:
        nonlocal tests
        tests += isinstance(event, Tried) and event.answer is Answer.TEST

    for level in levels:
        flat = topformflat(text, level)
        tests += 1
        if not test(flat):
            continue
        result = reduce(
            flat, test, name="lines", language="lines", algorithm="ddmin", once=True,
            workers=1, on_event=listen,
        )  # fmt: skip
        text = result.text
        seconds += result.seconds
    return Flattened(text, tests, seconds)
