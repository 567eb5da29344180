"""The journal: every verdict of a run and its history, in an SQLite file beside the result.

Algorithms are deterministic, so a run is resumed by running it again: the journal answers first. A
verdict is on disk as soon as it is known (a transaction each, in write-ahead mode, which a killed
process cannot damage). The file is locked while a run uses it.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import itertools
import os
import sqlite3
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeVar

from marrow.base.errors import MarrowError, error_text
from marrow.engine.delta import delta, pack
from marrow.engine.events import Accepted, Event, Listener, PassBegan
from marrow.engine.journal import journal_file
from marrow.engine.journal.journal_file import (
    DAMAGE,
    AcceptedStep,
    History,
    Record,
    Turn,
    close_as_one,
    connect,
    connect_anew,
    is_lock,
    locks_work,
    make_tables,
    read_pairs,
    tables,
)
from marrow.engine.verdict import Verdict

# The form of a journal: one of another form is refused.
_VERSION: Final = 1

_T = TypeVar("_T")

#: The facts that say which successes were put off have this name, and the candidate's key.
_PUT_OFF: Final = "put off "


class JournalError(MarrowError, ValueError):
    """The journal belongs to another run, or is not a journal; the message says what to do."""


def digest(candidate: bytes) -> bytes:
    """Return the key of a candidate: a hash of its content."""
    return hashlib.blake2b(candidate, digest_size=16).digest()


def _again(key: bytes) -> bytes:
    """Return the key under which a candidate's second verdict is kept."""
    return digest(b"again " + key)


class Journal:
    """The verdicts and the history of a run."""

    def __init__(
        self, path: Path | None, identity: dict[str, str], *, resume: bool, rights: int = 0o666
    ) -> None:
        """Open the journal, as readable as `rights` at most; to resume, identities must agree."""
        self.path: Final = path
        self.failure: str = ""
        self._known: Final[dict[bytes, Verdict]] = {}
        self._labels: Final[dict[bytes, str]] = {}
        #: Everything that is known of the run but the verdicts.
        self.record = Record()
        self._lifted: frozenset[bytes] = frozenset()
        self._database: sqlite3.Connection | None = None
        if path is not None:
            self._open(path, identity, resume, rights)

    @classmethod
    def in_memory(cls) -> Journal:
        """Return a journal without a file: a cache of verdicts for one run."""
        return cls(None, {}, resume=False)

    @property
    def history(self) -> History:
        """The accepted steps, turns of passes and skips."""
        return self.record.history

    @property
    def size(self) -> int:
        """The number of verdicts."""
        return len(self._known)

    def keys(self) -> Iterable[bytes]:
        """Return the candidates that have a verdict."""
        return self._known

    def get(self, key: bytes) -> Verdict | None:
        """Return the verdict on a candidate, if it is known."""
        return self._known.get(_again(key) if key in self._lifted else key)

    def put(
        self, key: bytes, verdict: Verdict, exit_code: int | None = None, seconds: float = 0.0
    ) -> None:
        """Record a verdict. On a full disk the run continues without the file."""
        key = _again(key) if key in self._lifted else key
        self._known[key] = verdict
        self._put("verdict", key, verdict.value, exit_code, seconds)

    def put_off(self, key: bytes, seconds: float) -> None:
        """Record that a success was too slow: it counts as a time-out until `lift`."""
        self.note(_PUT_OFF + key.hex(), repr(seconds))
        self.put(key, Verdict.TIMEOUT, 0, seconds)

    def lift(self) -> int:
        """Have what was put off asked again, its verdicts kept apart; return how much that is."""
        names = [name for name in self.record.facts if name.startswith(_PUT_OFF)]
        self._lifted = frozenset(bytes.fromhex(name.removeprefix(_PUT_OFF)) for name in names)
        return len(self._lifted)

    def put_label(self, key: bytes, label: str) -> None:
        """Record which other failure a candidate showed."""
        self._labels[key] = label
        self._put("seen", key, label)

    def label(self, key: bytes) -> str:
        """Return which other failure a candidate showed; empty if none is known."""
        return self._labels.get(key, "")

    def put_said(self, key: bytes, said: bytes) -> None:
        """Record what the test of a candidate wrote as it failed: the first errors say most."""
        self.note(f"said {key.hex()}", said[: 1 << 16].decode("latin-1"))

    def said(self, key: bytes) -> bytes | None:
        """Return what the test of a candidate wrote as it failed, if that was recorded."""
        said = self.fact(f"said {key.hex()}")
        return None if said is None else said.encode("latin-1")

    def note(self, name: str, value: str) -> None:
        """Record a fact about the run."""
        self.record.facts[name] = value
        self._put("run", name, value)

    def put_text(self, name: str, content: bytes) -> None:
        """Record a text that belongs to the run: the input, the test, the result."""
        self.record.texts[name] = content
        if self._database is not None:  # a text of megabytes takes seconds to compress
            self._put("text", name, zlib.compress(content))

    def put_edit(self, attempt: int, content: bytes, *, back: bool = False) -> None:
        """Record what a person made the best at an attempt: an edit, or the best of `back` then."""
        self.put_text(f"{'back' if back else 'edit'} {attempt}", content)

    def edit(self, attempt: int) -> tuple[bytes, bool] | None:
        """Return what a person made the best at an attempt, and whether that was going back."""
        if text := self.record.texts.get(f"edit {attempt}"):
            return text, False
        text = self.record.texts.get(f"back {attempt}")
        return (text, True) if text else None

    def put_step(self, number: int, step: AcceptedStep) -> None:
        """Record an accepted step."""
        sizes = step.tests, step.tokens, step.length
        words = step.pass_name, step.phase
        row = *sizes, *words, step.after, pack(step.delta)
        self._put_in_order("step", self.history.steps, number, step, *row)

    def put_turn(self, number: int, turn: Turn) -> None:
        """Record the turn of a pass."""
        row = turn.tests, turn.pass_name
        self._put_in_order("turn", self.history.turns, number, turn, *row)

    def _put_in_order(
        self, table: str, known: list[_T], number: int, entry: _T, *row: object
    ) -> None:
        """Record an entry, unless it is known; others from there on are forgotten."""
        if number < len(known):
            if known[number] == entry:
                return
            del known[number:]
            self._execute(f"DELETE FROM {table} WHERE number >= ?", (number,))
        known.append(entry)
        self._put(table, number, *row)

    def put_skip(self, attempt: int) -> None:
        """Record that a pass was skipped at an attempt."""
        self.history.skips.add(attempt)
        self._put("skip", attempt)

    def forget_skips(self) -> None:
        """Forget skips and edits: in a run that goes another way they mean nothing."""
        for name in [name for name in self.record.texts if name.startswith(("edit ", "back "))]:
            self.put_text(name, b"")
        self.history.skips.clear()
        self._execute("DELETE FROM skip", ())

    def fact(self, name: str) -> str | None:
        """Return a fact that was recorded about the run."""
        return self.record.facts.get(name)

    def close(self) -> None:
        """Close the file, so that it is one file again."""
        if self._database is not None:
            database, self._database = self._database, None
            assert self.path is not None
            close_as_one(database, self.path)

    def _put(self, table: str, *row: object) -> None:
        marks = ", ".join("?" * len(row))
        self._execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", row)

    def _execute(self, statement: str, values: tuple[object, ...]) -> None:
        if self._database is None:
            return
        try:
            self._database.execute(statement, values)
        except sqlite3.Error as error:
            self.failure = f"the journal cannot be written any more ({error})"
            self.close()

    def _open(self, path: Path, identity: dict[str, str], resume: bool, rights: int) -> None:
        if resume and not os.path.exists(path):
            raise JournalError(error_text("nothing_to_resume", path=path))
        try:
            database = connect(path, rights) if resume else connect_anew(path, rights)
            self._database = database
            if resume and not is_stub(database):
                self.record = journal_file.read_record(database)
                self._check(path, identity)
                make_tables(database)
                verdicts = read_pairs(database, "candidate, verdict FROM verdict", bytes, str)
                self._known.update((key, Verdict(value)) for key, value in verdicts.items())
                self._labels.update(read_pairs(database, "candidate, label FROM seen", bytes, str))
            else:
                self._begin(identity)
        except DAMAGE as error:
            self.close()
            if isinstance(error, JournalError):
                raise
            other = "⟦another output with -o||another journal⟧"
            what = f"the journal {path} cannot be written: {error}"
            advice = f"Free some space, or choose {other}."
            if is_lock(error):
                what = f"another marrow is at work on the journal {path}"
                advice = f"Wait for it to end, or choose {other}."
            elif resume:
                what = f"the journal {path} cannot be used: {error or type(error).__name__}"
                advice = (
                    "If it is a journal, remove it and start anew⟦, without --resume||⟧; if not, "
                    "name another file."
                )
            raise JournalError(f"{what}\n{advice}") from error

    def _begin(self, identity: dict[str, str]) -> None:
        """Write what a journal begins with, all at once: a kill leaves either nothing or all."""
        assert self._database is not None
        self._database.execute("BEGIN IMMEDIATE")
        make_tables(self._database)
        for name, value in {**identity, "version": str(_VERSION)}.items():
            self.note(name, value)
        if self._database is None:
            raise sqlite3.OperationalError(self.failure)
        self._database.execute("COMMIT")

    def _check(self, path: Path, identity: dict[str, str]) -> None:
        if self.fact("version") != str(_VERSION):
            raise JournalError(error_text("journal_of_another_version", path=path))
        for name, value in identity.items():
            if self.record.facts.get(name, "") != value:
                raise JournalError(error_text("journal_of_another_run", name=name, path=path))


def is_stub(database: sqlite3.Connection) -> bool:
    """Whether a journal was only begun, when its run was killed or the disk was full."""
    if not {"run", "verdict"} <= tables(database):
        return True
    facts = database.execute("SELECT 1 FROM run WHERE name = 'version'").fetchone()
    return facts is None and database.execute("SELECT 1 FROM verdict").fetchone() is None


class JournalState(enum.Enum):
    """The state of the file at the place of a journal."""

    NOTHING = "nothing"
    FINISHED = "finished"
    UNFINISHED = "unfinished"
    IN_USE = "in use"
    UNKNOWN = "unknown"


def state_at(path: Path) -> JournalState:
    """Return the state of a file; one that is not a journal is unknown."""
    if not os.path.exists(path):
        return JournalState.NOTHING
    try:
        with contextlib.closing(connect(path)) as database:
            if is_stub(database):
                return JournalState.NOTHING
            if database.execute("SELECT 1 FROM run WHERE name = 'finished'").fetchall():
                return JournalState.FINISHED
            if database.execute("SELECT 1 FROM verdict").fetchone() is None:
                return JournalState.NOTHING
            return JournalState.UNFINISHED
    except DAMAGE as error:
        return JournalState.IN_USE if is_lock(error) else JournalState.UNKNOWN


def input_of(path: Path) -> str | None:
    """Return the digest of the input that a journal belongs to, if there is one."""
    with contextlib.suppress(*DAMAGE), contextlib.closing(connect(path)) as database:
        row = database.execute("SELECT value FROM run WHERE name = 'input'").fetchone()
        return None if row is None else str(row[0])
    return None


def read_record(path: Path) -> Record:
    """Read the record of a run; raise `JournalError` if the journal is in use, or is none."""
    try:
        if not os.path.exists(path):
            raise FileNotFoundError("there is no such file")
        with contextlib.closing(connect(path)) as database:
            return journal_file.read_record(database)
    except DAMAGE as error:
        why, advice = str(error), "The journal of a run lies beside its result: RESULT.marrow"
        if is_lock(error) and not locks_work(path.absolute().parent):
            why = "files cannot be locked there"
            advice = "Copy it to another file system, and the result too."
        elif is_lock(error):
            why, advice = "another marrow is at work on it", "Wait for it to end."
        raise JournalError(f"cannot read the journal {path}: {why}\n{advice}") from error


class Recorder:
    """Records events, and passes them on."""

    def __init__(self, text: bytes, journal: Journal, listener: Listener) -> None:
        self._text = text
        self._journal: Final = journal
        self._listen: Final = listener
        self._steps: Final = itertools.count()
        self._turns: Final = itertools.count()

    def __call__(self, event: Event) -> None:
        """Take an event."""
        if isinstance(event, PassBegan):
            self._journal.put_turn(next(self._turns), Turn(event.tests, event.name))
        elif isinstance(event, Accepted):
            # From the text that is known here, so that the steps follow from each other.
            changes = delta(self._text, event.after)
            self._text = event.after
            sizes = event.tests, event.tokens, event.length
            words = event.pass_name, event.phase
            step = AcceptedStep(*sizes, *words, digest(event.after), changes)
            self._journal.put_step(next(self._steps), step)
        self._listen(event)
