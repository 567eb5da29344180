"""The journal: every verdict of a run, in an SQLite file beside the result.

Algorithms are deterministic, so to resume a run is to run it again with the verdicts of the journal
as the first answers. A verdict is on disk as soon as it is known (a transaction each, in
write-ahead mode, which a killed process cannot damage).
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from marrow.engine.verdict import Verdict

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS run (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS verdict (
    candidate BLOB PRIMARY KEY, verdict TEXT NOT NULL, exit_code INTEGER, seconds REAL NOT NULL
) WITHOUT ROWID;
"""
_VERSION: Final = 1


class JournalError(ValueError):
    """The journal is not of this run, or not a journal; the message says what to do."""


def digest(candidate: bytes) -> bytes:
    """Return the key of a candidate: a hash of its content."""
    return hashlib.blake2b(candidate, digest_size=16).digest()


class Journal:
    """The verdicts of a run. Without a path it lives in memory, as a cache."""

    def __init__(self, path: Path | None, identity: dict[str, str], *, resume: bool) -> None:
        """Open the journal; to resume, it must be of the same input and test."""
        self.path: Final = path
        self.failure: str = ""
        self._known: Final[dict[bytes, Verdict]] = {}
        self._database: sqlite3.Connection | None = None
        if path is not None:
            self._open(path, identity, resume)

    @property
    def size(self) -> int:
        """The number of verdicts."""
        return len(self._known)

    def keys(self) -> Iterable[bytes]:
        """Return the candidates that have a verdict."""
        return self._known

    def get(self, key: bytes) -> Verdict | None:
        """Return the verdict on a candidate, if it is known."""
        return self._known.get(key)

    def put(
        self, key: bytes, verdict: Verdict, exit_code: int | None = None, seconds: float = 0.0
    ) -> None:
        """Record a verdict. If the disk is full, the run goes on without the file."""
        self._known[key] = verdict
        self._execute(
            "INSERT OR REPLACE INTO verdict VALUES (?, ?, ?, ?)",
            (key, verdict.value, exit_code, seconds),
        )

    def note(self, name: str, value: str) -> None:
        """Record a fact about the run."""
        self._execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (name, value))

    def close(self) -> None:
        """Close the file, so that it is one file again."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _execute(self, statement: str, values: tuple[object, ...]) -> None:
        if self._database is None:
            return
        try:
            self._database.execute(statement, values)
        except sqlite3.Error as error:
            self.failure = f"the journal cannot be written any more ({error})"
            self.close()

    def _open(self, path: Path, identity: dict[str, str], resume: bool) -> None:
        if not resume:
            discard(path)
        elif not path.exists():
            raise JournalError(
                f"there is nothing to resume: no journal at {path}\n"
                "Start without --resume, or name the same output as before with -o."
            )
        try:
            database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._database = database
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.executescript(_SCHEMA)
            if resume:
                self._check(path, identity)
                rows = database.execute("SELECT candidate, verdict FROM verdict")
                self._known.update((bytes(key), Verdict(value)) for key, value in rows)
            else:
                for name, value in {**identity, "version": str(_VERSION)}.items():
                    self.note(name, value)
        except (sqlite3.Error, ValueError) as error:
            self.close()
            if isinstance(error, JournalError):
                raise
            raise JournalError(
                f"the journal {path} cannot be used: {error}\n"
                "Remove it and start again without --resume, or choose another output with -o."
            ) from error

    def _check(self, path: Path, identity: dict[str, str]) -> None:
        assert self._database is not None
        recorded = dict(self._database.execute("SELECT name, value FROM run"))
        if recorded.get("version") != str(_VERSION):
            raise JournalError(
                f"the journal {path} was written by another version of marrow\n"
                "Start again without --resume."
            )
        for name, value in identity.items():
            if recorded.get(name) != value:
                raise JournalError(
                    f"the {name} is not the one that the journal {path} was made with\n"
                    "Verdicts of another run would be wrong. Start again without --resume."
                )


def is_unfinished(path: Path) -> bool:
    """Whether a journal of a run that did not come to its end lies here."""
    if not path.is_file():
        return False
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            return not database.execute("SELECT 1 FROM run WHERE name = 'finished'").fetchall()
    except (sqlite3.Error, ValueError):
        return False


def discard(path: Path) -> None:
    """Remove a journal and the files that SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{path}{suffix}").unlink()
