"""Why no signature is inferred, and what to do about it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

from marrow.base.errors import MarrowError, error_text
from marrow.diagnostics.observation import Observation, ending, same_ending
from marrow.diagnostics.texts import lines_of
from marrow.signature.controls import ControlRun


class UnclearFailureError(MarrowError):
    """There is nothing to keep, or it is not the same every time; the message says what to do."""


#: What the shell exits with when a program does not exist, or may not be run.
NOT_RUN: Final = frozenset({126, 127})
_SHELL_SAYS: Final = ("not found", "No such file", "ermission denied", "cannot execute")


def cannot_run(runs: Sequence[Observation]) -> str:
    """Say why a command does not begin; nothing if it does."""
    for run in runs:
        text = run.stderr.decode("utf-8", "replace")
        is_shells = text.count("\n") <= 1 and any(words in text for words in _SHELL_SAYS)
        if run.status in NOT_RUN and not run.stdout and is_shells:
            return error_text("command_not_run", how=ending(run.status) + _said(run))
    return ""


def ends_otherwise(runs: Sequence[Observation]) -> str:
    """Say that runs ended in several ways; nothing if they did not."""
    if all(same_ending(runs[0].status, run.status) for run in runs):
        return ""
    ways = ", ".join(sorted({ending(run.status) for run in runs}))
    return error_text("ends_otherwise", ways=ways)


def nothing_specific(run: Observation, controls: Sequence[ControlRun]) -> str:
    """Say that no fact is special to the input, and what to do."""
    lines = _shown(run)
    escaped = [re.sub(r"([.\[\]{}()*+?^$|\\])", r"\\\1", line) for line in lines[:1]]
    example = shlex.quote(escaped[0]) if lines else "'WHAT IT PRINTS'"
    stream = "⟦keep_stderr⟧" if run.stderr.strip() or not run.stdout.strip() else "⟦keep_stdout⟧"
    if run.status == 0 and not lines:
        return error_text("succeeds_silently")
    if run.status == 0:
        return error_text("succeeds", said=_said(run), example=f"{stream} {example}")
    same = [one.what for one in controls if same_ending(run.status, one.seen.status)]
    what = next(iter(same), "")
    if what.startswith(("cut ", "without ")):
        what = f"the input {what}"
    also = f"; so it does on {what}" if what else ""
    alike = lines and controls and all(_shown(one.seen) == lines for one in controls)
    check = error_text("same_for_any_file") if alike else ""
    how = f"{ending(run.status)}{also}{_said(run)}"
    return error_text("nothing_special", how=how, check=check, example=f"{stream} {example}")


# How many lines of an output a message shows.
_SHOWN: Final = 5


def _said(run: Observation) -> str:
    """Return the first lines of what a command printed, for a message."""
    lines = _shown(run)
    return " and prints nothing" if not lines else "\n  | " + "\n  | ".join(lines)


def _shown(run: Observation) -> list[str]:
    lines = [line.strip() for output in (run.stdout, run.stderr) for line in lines_of(output)]
    return [line for line in lines if line][:_SHOWN]
