"""Journals of earlier runs: what a new run does with one that lies in its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from marrow.cli.exits import CliError, Exit
from marrow.engine.journal.journal import JournalState, discard, state_at


def journal_state(path: Path) -> JournalState:
    """Look at the journal that is there; nobody else may be at work on it."""
    found = state_at(path)
    if found is JournalState.IN_USE:
        raise CliError(
            Exit.JOURNAL,
            f"another marrow is at work on the journal {path}\n"
            "Wait for it to end, or choose another output with -o.",
        )
    return found


def set_aside(path: Path, found: JournalState, note: Callable[[str], None]) -> None:
    """Keep the journal of a run that could still be resumed, or what is no journal."""
    kept = path.with_name(path.name + "~")
    if found is JournalState.UNFINISHED:
        note(
            "note: an earlier run was not finished; --resume would have gone on with it. "
            f"Starting anew; its journal is kept as {kept}"
        )
    elif found is JournalState.UNKNOWN:
        note(f"note: {path} is not a journal that can be read; it is kept as {kept}")
    else:
        return
    journal_state(path)  # another run may have begun since we looked
    try:
        discard(kept)
        path.replace(kept)
    except OSError as error:
        raise CliError(
            Exit.JOURNAL,
            f"cannot keep {path} as {kept}: {error.strerror or error}\n"
            "Remove one of them, or choose another output with -o.",
        ) from error
