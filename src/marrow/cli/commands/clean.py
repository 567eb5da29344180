"""`marrow clean`: lists the files that runs leave, and removes them on request."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import sqlite3
import stat
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import InputError, os_errors
from marrow.cli.console import echo
from marrow.cli.run_options import DeclaredType
from marrow.engine.journal.journal import JournalState, digest, state_at
from marrow.engine.journal.journal_file import (
    DAMAGE,
    OWN_TABLES,
    discard,
    locks_work,
    tables,
)
from marrow.run.options.option import PATH, SIZE, TIME
from marrow.run.output.output_file import OutputError, backup_names, temporary_for

# Seconds of a day.
_DAY: Final = 86400.0


@click.command("clean")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=DeclaredType(PATH))
@click.option("--remove", is_flag=True, help="Remove what is listed.")
@click.option(
    "--older-than",
    type=DeclaredType(TIME),
    help="Only files that were not changed for this time (12h, 7d).",
)
@click.option(
    "--larger-than", type=DeclaredType(SIZE), help="Only files that are larger (500K, 10MB)."
)
def clean_command(
    paths: tuple[Path, ...], remove: bool, older_than: float | None, larger_than: int | None
) -> None:
    """List files that runs leave: journals, backups, unfinished results.

    PATH is a directory (not those below it) or a journal; without one, the current directory.
    Files are known by their content, not by their names alone. Nothing is removed without --remove.
    """
    every = itertools.chain.from_iterable(map(_below, paths or (Path(),)))
    found, failed = [], []
    for one in {one.path: one for one in every}.values():
        age = time.time() - one.changed
        if older_than is not None and age <= older_than:
            continue
        if larger_than is not None and one.size <= larger_than:
            continue
        if one.stays:
            echo(f"{one.path} stays, with all that is beside it: {one.stays}", err=True)
            continue
        found.append(one)
        try:
            if remove:
                one.remove()
            echo(f"{_size(one.size):>9}  {age / _DAY:5.0f} days  {one.path}: {one.what}")
        except OSError as error:
            failed.append(f"  {one.path}: {error.strerror or error}")
    total = _size(sum(one.size for one in found))
    what = "removed" if remove else "found; --remove removes them"
    echo(f"{len(found) - len(failed):,} files, {total} {what}")
    if failed:
        raise OutputError("not removed:\n" + "\n".join(failed))


def _below(path: Path) -> Iterator[Leftover]:
    if not os.path.lexists(path):
        raise InputError(f"{path} does not exist\nCheck its name.")
    with os_errors(InputError, f"cannot look at {path}", "Check its name."):
        journals = sorted(path.iterdir()) if os.path.isdir(path) else [path]
    for journal in journals:
        if journal == path or journal.name.endswith((_JOURNAL, f"{_JOURNAL}~")):
            yield from leftovers_of(journal)


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


_JOURNAL: Final = ".marrow"
_HEADER: Final = b"SQLite format 3\0"
_FACTS: Final = "SELECT name FROM run"


@dataclass(frozen=True, slots=True)
class Leftover:
    """A file that a run left; `what` says in words what it is, `stays` why it is not removed."""

    path: Path
    what: str
    size: int
    changed: float
    journal: bool = False
    stays: str = ""

    def remove(self) -> None:
        """Remove it, unless it is at work, or something else by now; may raise `OSError`."""
        status = os.lstat(self.path)
        if not stat.S_ISREG(status.st_mode) or status.st_mtime != self.changed:
            raise OSError("it has changed since it was looked at")
        if self.journal and state_at(self.path) is JournalState.IN_USE:
            raise OSError(_at_work(self.path))
        os.unlink(self.path)
        if self.journal:
            discard(self.path)  # what SQLite keeps beside it


def leftovers_of(journal: Path) -> Iterator[Leftover]:
    """Yield a journal and what its run left beside it; nothing where it is not a journal."""
    known = _verdicts(journal)
    if known is None:
        return
    state = state_at(journal)
    stays = _at_work(journal) if state is JournalState.IN_USE else ""
    words = "a journal" if state is JournalState.FINISHED else "a journal that can be resumed"
    yield from _leftover(journal, words, journal=True, stays=stays)
    if stays or not journal.name.endswith(_JOURNAL):
        return
    place = journal.with_name(journal.name.removesuffix(_JOURNAL))
    for backup in itertools.takewhile(os.path.lexists, backup_names(place, "~")):
        with contextlib.suppress(OSError):
            for found in _leftover(backup, "an earlier result"):
                if digest(read_bounded(backup)) in known:
                    yield found
    yield from _leftover(temporary_for(place), "an unfinished result")


def _at_work(journal: Path) -> str:
    """Say why a journal that is locked stays."""
    if locks_work(place := journal.absolute().parent):
        return "a run is at work on it"
    return f"files in {place} cannot be locked, so a run may be at work on it"


def _leftover(
    path: Path, what: str, *, journal: bool = False, stays: str = ""
) -> Iterator[Leftover]:
    """Yield a file, if it is one: a link leads to somebody else's."""
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):
            yield Leftover(path, what, status.st_size, status.st_mtime, journal, stays)


def _verdicts(path: Path) -> set[bytes] | None:
    """Return the candidates that a journal knows; None where the file is not a journal.

    It is only read: a database of another program stays as it is. What a killed run left is partly
    in a file beside it, which SQLite would put in order: so a copy is read then.
    """
    with contextlib.suppress(*DAMAGE), contextlib.ExitStack() as closing:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with path.open("rb") as file:
            if file.read(len(_HEADER)) != _HEADER:
                return None
        place, options = path.absolute(), "?mode=ro&immutable=1"
        if os.path.isfile(f"{path}-wal"):
            scratch = closing.enter_context(tempfile.TemporaryDirectory(prefix="marrow-clean-"))
            place = Path(scratch) / "journal"
            shutil.copyfile(path, place)
            shutil.copyfile(f"{path}-wal", f"{place}-wal")
            # Nobody else knows the copy, and it may be where files cannot be locked.
            options = "?vfs=unix-none"
        address = f"file:{urllib.parse.quote(os.fsencode(place))}{options}"
        database = closing.enter_context(contextlib.closing(sqlite3.connect(address, uri=True)))
        database.execute("PRAGMA locking_mode = EXCLUSIVE")  # no memory to share beside it
        if tables(database) | {"seen"} != OWN_TABLES:  # which journals of 0.1 do not have
            return None
        if {"version", "input", "test"} <= {name for (name,) in database.execute(_FACTS)}:
            return {bytes(key) for (key,) in database.execute("SELECT candidate FROM verdict")}
    return None
