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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import click

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import InputError
from marrow.cli.console import echo
from marrow.cli.run_options import DeclaredType
from marrow.engine.journal.journal import JournalState, digest, state_at
from marrow.engine.journal.journal_file import DAMAGE, discard, locks_work
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
    oldest = None if older_than is None else time.time() - older_than
    every = itertools.chain.from_iterable(map(_below, paths or (Path(),)))
    listed = [
        one
        for one in {one.path: one for one in every}.values()
        if (oldest is None or one.changed < oldest)
        and (larger_than is None or one.size > larger_than)
    ]
    found = [one for one in listed if not one.stays]
    for one in listed:
        if one.stays:
            echo(f"{one.path} stays, with all that is beside it: {one.stays}", err=True)
    failed = [words for one in found if (words := _listed(one, remove)) is not None]
    total = sum(one.size for one in found)
    what = "removed" if remove else "found; --remove removes them"
    echo(f"{len(found) - len(failed):,} files, {_size(total)} {what}")
    if failed:
        raise OutputError("not removed:\n" + "\n".join(failed))


def _below(path: Path) -> Iterator[Leftover]:
    try:
        journals = [path]
        if os.path.isdir(path):
            journals = [one for one in sorted(path.iterdir()) if one.name.endswith(_NAMES)]
        for journal in journals:
            yield from leftovers_of(journal)
    except OSError as error:
        raise InputError(
            f"cannot look at {path}: {error.strerror or error}\nCheck its name."
        ) from error
    if not os.path.lexists(path):
        raise InputError(f"{path} does not exist\nCheck its name.")


def _listed(one: Leftover, remove: bool) -> str | None:
    """Print a leftover, and remove it if that is asked for; return why it cannot be."""
    if remove:
        try:
            one.remove()
        except OSError as error:
            return f"  {one.path}: {error.strerror or error}"
    age = (time.time() - one.changed) / _DAY
    echo(f"{_size(one.size):>9}  {age:5.0f} days  {one.path}: {one.what}")
    return None


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


_JOURNAL: Final = ".marrow"
_NAMES: Final = (_JOURNAL, f"{_JOURNAL}~")
_HEADER: Final = b"SQLite format 3\0"

# The tables of a journal; other programs have other ones.
_TABLES: Final = frozenset(("run", "verdict", "text", "step", "turn", "skip"))
# Since signatures there is one more, of other failures.
_SINCE: Final = frozenset(("seen",))


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
    if state is JournalState.IN_USE:
        if found := _leftover(journal, "a journal", journal=True):
            yield replace(found, stays=_at_work(journal))
        return
    finished = state is JournalState.FINISHED
    words = "a journal" if finished else "a journal that can be resumed"
    if found := _leftover(journal, words, journal=True):
        yield found
    if not journal.name.endswith(_JOURNAL):
        return
    result = journal.name.removesuffix(_JOURNAL)
    place = journal.with_name(result)
    for backup in itertools.takewhile(os.path.lexists, backup_names(place, "~")):
        with contextlib.suppress(OSError):
            found = _leftover(backup, "an earlier result")
            if found and digest(read_bounded(backup)) in known:
                yield found
    if found := _leftover(temporary_for(place), "an unfinished result"):
        yield found


def _at_work(journal: Path) -> str:
    """Say why a journal that is locked stays."""
    if locks_work(place := journal.absolute().parent):
        return "a run is at work on it"
    return f"files in {place} cannot be locked, so a run may be at work on it"


def _leftover(path: Path, what: str, *, journal: bool = False) -> Leftover | None:
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        if stat.S_ISREG(status.st_mode):  # a link leads to somebody else's file
            return Leftover(path, what, status.st_size, status.st_mtime, journal)
    return None


def _verdicts(path: Path) -> set[bytes] | None:
    """Return the candidates that a journal knows; None where the file is not a journal.

    It is only read: a database of another program stays as it is. What a killed run left is partly
    in a file beside it, which SQLite would put in order: so a copy is read then.
    """
    if not _starts_with(path, _HEADER):
        return None
    beside = Path(f"{path}-wal")
    if not beside.is_file():
        return _verdicts_in(path, "?mode=ro&immutable=1")
    try:
        with tempfile.TemporaryDirectory(prefix="marrow-clean-") as scratch:
            copy = Path(scratch) / "journal"
            shutil.copyfile(path, copy)
            shutil.copyfile(beside, f"{copy}-wal")
            # Nobody else knows the copy, and it may be where files cannot be locked.
            return _verdicts_in(copy, "?vfs=unix-none")
    except OSError:
        return None


def _verdicts_in(path: Path, options: str) -> set[bytes] | None:
    address = f"file:{urllib.parse.quote(os.fsencode(path.absolute()))}{options}"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as database:
            database.execute("PRAGMA locking_mode = EXCLUSIVE")  # no memory to share beside it
            tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if {name for (name,) in tables} - _SINCE != _TABLES:
                return None
            facts = {name for (name,) in database.execute("SELECT name FROM run")}
            if not {"version", "input", "test"} <= facts:
                return None
            return {bytes(key) for (key,) in database.execute("SELECT candidate FROM verdict")}
    except DAMAGE:
        return None


def _starts_with(path: Path, mark: bytes) -> bool:
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            with path.open("rb") as file:
                return file.read(len(mark)) == mark
    return False
