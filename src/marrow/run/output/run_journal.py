"""The journal of a run: how it is opened, and what is done with an earlier one in its place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from marrow.engine.executors.registry import ExecutableTest
from marrow.engine.journal.journal import Journal, JournalError, JournalState, digest, state_at
from marrow.engine.journal.journal_file import SUFFIXES, discard, move
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.run.output.output_file import backup_names
from marrow.run.plan.plan import Plan


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


def open_journal(plan: Plan, test: ExecutableTest, path: Path, *, resume: bool) -> Journal:
    """Open the journal of a plan, by what it knows the input, the test and the settings."""
    source = plan.source
    try:
        identity = {
            "input": digest(source.identity).hex(),
            "test": test_identity(test),
            **plan.identity,
        }
    except OSError as error:
        raise TestCommandError(
            f"cannot read the test: {error}\n"
            "A journal knows a test by its content: make it readable (chmod +r)."
        ) from error
    return Journal(path, identity, resume=resume, rights=source.mode)


def test_identity(test: ExecutableTest) -> str:
    """Return how a journal recognises a test: a function only by its name."""
    if isinstance(test, TestCommand):
        return test.fingerprint()
    return f"{getattr(test, '__module__', '')}.{getattr(test, '__qualname__', '')}"


def note_strategy(plan: Plan, journal: Journal, say: Callable[[str], None]) -> None:
    """Record the strategy; say so if that of a run that is resumed was another."""
    if plan.strategy is None:
        return
    ours = plan.strategy.signature
    recorded = journal.fact("algorithm")
    if recorded is not None and recorded != ours:
        say(
            "note: the earlier run had another algorithm or other settings. Its verdicts still "
            "hold and are used, but this run goes its own way"
        )
        journal.forget_skips()
    journal.note("algorithm", ours)
