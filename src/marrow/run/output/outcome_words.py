"""How a run of a test ended, in words, and which failure is kept: for summaries and reports."""

from __future__ import annotations

import signal

from marrow.engine.process.captured_command import CapturedCommand
from marrow.engine.process.command import TestCommand
from marrow.engine.verdict import Outcome, Verdict


def ending_words(outcome: Outcome) -> str:
    """Say how a run ended."""
    if outcome.verdict is Verdict.TIMEOUT:
        return f"killed after {outcome.seconds:.1f} s"
    if outcome.exit_code is not None and outcome.exit_code < 0:
        return f"killed by signal {_signal_name(-outcome.exit_code)}"
    return f"exit code {outcome.exit_code}"


def _signal_name(number: int) -> str:
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:
        return str(number)


def kept_words(command: TestCommand | None) -> tuple[str, tuple[str, ...]]:
    """Return the sentence of what is kept, and the lines it rests on; empty for a test script."""
    kept = getattr(getattr(command, "judge", None), "kept", None)
    if not isinstance(command, CapturedCommand) or kept is None:
        return "", ()
    return kept.sentence, tuple(kept.evidence)
