"""Journals of earlier runs: what a new run does with one in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from marrow.engine.journal.journal import JournalError, JournalState, state_at
from marrow.engine.journal.journal_file import discard


def journal_state(path: Path) -> JournalState:
    """Look at the journal that exists; nobody else may be at work on it."""
    found = state_at(path)
    if found is JournalState.IN_USE:
        raise JournalError(
            f"another marrow is at work on the journal {path}\n"
            "Wait for it to end, or choose another ⟦output⟧."
        )
    return found


def set_aside(path: Path, found: JournalState, say: Callable[[str], None]) -> None:
    """Keep the journal of a run that could still be resumed, or a file that is not a journal."""
    kept = path.with_name(path.name + "~")
    if found is JournalState.UNFINISHED:
        say(
            "note: an earlier run was not finished; ⟦--resume would have continued it. ||⟧"
            f"Starting anew; its journal is kept as {kept}"
        )
    elif found is JournalState.UNKNOWN:
        say(f"note: {path} is not a readable journal; it is kept as {kept}")
    else:
        return
    journal_state(path)  # another run may have begun since we looked
    try:
        discard(kept)
        path.replace(kept)
    except OSError as error:
        raise JournalError(
            f"cannot keep {path} as {kept}: {error.strerror or error}\n"
            "Remove one of them, or choose another ⟦output⟧."
        ) from error
