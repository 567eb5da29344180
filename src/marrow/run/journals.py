"""Journals of earlier runs: what a new run does with one in its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from marrow.engine.journal.journal import JournalError, JournalState, state_at
from marrow.engine.journal.journal_file import SUFFIXES, discard, move
from marrow.run.output import backup_names


def journal_state(path: Path) -> JournalState:
    """Look at the journal that exists; nobody else may be at work on it."""
    for suffix in SUFFIXES:
        place = Path(f"{path}{suffix}")
        if place.is_symlink() or (os.path.lexists(place) and not place.is_file()):
            raise JournalError(
                f"the journal cannot be written: {place} is a link, or not a regular file\n"
                "Remove it, or choose another place with ⟦journal FILE⟧."
            )
    found = state_at(path)
    if found is JournalState.IN_USE:
        raise JournalError(
            f"another marrow is at work on the journal {path}\n"
            "Wait for it to end, or choose another ⟦output⟧."
        )
    return found


def set_aside(path: Path, found: JournalState, say: Callable[[str], None]) -> None:
    """Keep the journal of a run that could still be resumed, or a file that is not a journal.

    An earlier journal that was kept makes room for another, but nothing else does.
    """
    if found not in (JournalState.UNFINISHED, JournalState.UNKNOWN):
        return
    earlier = {JournalState.FINISHED, JournalState.UNFINISHED, JournalState.NOTHING}
    kept = next(
        name
        for name in backup_names(path, "~")
        if not os.path.lexists(name) or (name.is_file() and state_at(name) in earlier)
    )
    if found is JournalState.UNFINISHED:
        say(
            "note: an earlier run was not finished; ⟦--resume would have continued it. ||⟧"
            f"Starting anew; its journal is kept as {kept}"
        )
    else:
        say(f"note: {path} is not a readable journal; it is kept as {kept}")
    journal_state(path)  # another run may have begun since we looked
    try:
        discard(kept)
        move(path, kept)
    except OSError as error:
        raise JournalError(
            f"cannot keep {path} as {kept}: {error.strerror or error}\n"
            "Remove one of them, or choose another ⟦output⟧."
        ) from error
