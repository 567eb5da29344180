"""The lines of a large input that the failure is about, as the output of the test tells.

Compilers, interpreters and sanitizers print where something is wrong: `input.cc:12:5: error: ...`,
`File "input.py", line 12`. The first slices of a large text keep what is there. What a script
writes into files beside the candidate counts too, as many send the output of a compiler there. Line
markers of a preprocessor (`# 12 "file.h"`) are taken into account.

It takes one more run of the test, for large inputs only. If that shows nothing, the test is run
again with wrapped tools (`marrow.engine.process.tool_wrappers`), and so are later ones that are
listened to, unless the test notices. What was seen is in the journal, so
that a resumed run does the same.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Final

from marrow.base.errors import MarrowError
from marrow.diagnostics.message_rules import reported_places
from marrow.diagnostics.missing_names import words_of_messages
from marrow.engine.executors.executor import Executor, outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.executors.registry import LOCAL
from marrow.engine.journal.journal import Journal
from marrow.engine.process.command import TestCommand
from marrow.engine.verdict import Verdict
from marrow.run.plan.plan import Plan
from marrow.syntax.outline_front_end import ALIKE, LARGE
from marrow.syntax.views import FileView, View
from marrow.tree.outline import LINE_MARKER, NO_HINTS, OutputHints

# How many lines before one tell it from others: the height of a screen finds the head of most
# functions.
_MOST_CONTEXT: Final = 24

# The facts of the journal.
_FACT: Final = "what the test says"
_OVERHEARD: Final = "the test is overheard"

_MARKER: Final = re.compile(rb'# (\d+) "([^"\n]*)"')


def view_with_hints(
    view: View, plan: Plan, command: TestCommand | None, executor: Executor, journal: Journal
) -> View:
    """Return a view that knows the lines that the failure is about, if the input is large."""
    text = plan.source.text
    if not isinstance(view, FileView) or view.outline is None or len(text) < LARGE:
        return view
    told = _recorded(journal)
    if told is None:
        speaks = command is not None and plan.where.kind is LOCAL
        told = _told(executor, text, plan.source.name) if speaks else NO_HINTS
        if told == NO_HINTS and speaks and _overhears(executor, wanted=True):
            told = _told(executor, text, plan.source.name)
            if told is None:  # it notices
                _overhears(executor, wanted=False)
            else:
                journal.note(_OVERHEARD, "yes")
        told = told or NO_HINTS
        words = [sorted(told.usual), list(told.lines)]
        journal.note(_FACT, json.dumps([[one.decode("latin-1") for one in each] for each in words]))
    elif journal.fact(_OVERHEARD) is not None:
        _overhears(executor, wanted=True)
    return view.with_hints(told) if told != NO_HINTS else view


def _overhears(executor: Executor, *, wanted: bool) -> bool:
    return isinstance(executor, CommandExecutor) and executor.capture_tools(wanted)


def _recorded(journal: Journal) -> OutputHints | None:
    known = journal.fact(_FACT)
    if known is None:
        return None
    usual, lines = ([one.encode("latin-1") for one in each] for each in json.loads(known))
    return OutputHints(tuple(lines), frozenset(usual))


def _told(executor: Executor, text: bytes, name: str) -> OutputHints | None:
    """Return what the test says on the input, by the run's executor; None if it fails."""
    with contextlib.suppress(MarrowError, OSError):
        outcome = outcome_of(executor.submit(text, capture=True))
        if outcome.verdict is Verdict.INTERESTING:
            output = outcome.said
            return OutputHints(reported_lines(output, text, name), words_of_messages(output))
    return None


def reported_lines(output: bytes, text: bytes, name: str) -> tuple[bytes, ...]:
    """Return the lines of a text that an output points to, without white space around them.

    A line that has others like it comes with as many lines before it as tell it from them.
    """
    wanted = reported_places(output)
    own: set[int] = set()
    for file, numbers in wanted.items():
        if file.rpartition(b"/")[2] == name.encode(errors="surrogateescape"):
            own |= numbers
    lines = text.split(b"\n")
    chosen = {number - 1 for number in own if 0 < number <= len(lines)}
    if marked := LINE_MARKER.search(text) is not None:
        chosen.update(_by_markers(lines, wanted))
    plain = LINE_MARKER.sub(b"", text) if marked else text
    told = (_in_context(lines, at, plain) for at in sorted(chosen)[:200])
    return tuple(dict.fromkeys(one for one in told if _tells(one)))


def _in_context(lines: list[bytes], at: int, text: bytes) -> bytes:
    """Return a line with the lines before it that tell it from most others.

    One of brackets alone, such as the end of a function, has at least one with a name.
    """
    context = lines[at].strip()
    if not context:
        return context
    for above in range(at - 1, max(-1, at - _MOST_CONTEXT), -1):
        if _tells(context) and text.count(context) <= ALIKE:
            break
        if not _MARKER.match(lines[above]):
            context = lines[above].lstrip() + b"\n" + _rest(lines, above + 1, at)
    return context


def _rest(lines: list[bytes], start: int, end: int) -> bytes:
    """Return some lines as they are, without line markers."""
    return b"\n".join(one for one in lines[start : end + 1] if not _MARKER.match(one)).rstrip()


def _by_markers(lines: list[bytes], wanted: dict[bytes, set[int]]) -> Iterator[int]:
    """Yield the indices of lines that markers give a wanted place."""
    numbers: set[int] = set()
    offset = 0
    for at, line in enumerate(lines):
        marker = _MARKER.match(line) if line.startswith(b"# ") else None
        if marker is not None:
            offset = int(marker[1]) - at - 1
            numbers = wanted.get(marker[2], set())
        elif numbers and at + offset in numbers:
            yield at


def _tells(line: bytes) -> bool:
    """Return whether a line has a name in it."""
    return re.search(rb"[A-Za-z_]\w", line) is not None
