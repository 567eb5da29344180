"""The file of a journal: an SQLite database that one process has open, not a link; and its history.

SQLite keeps up to three files beside it while it is open, which belong to it: they are removed and
moved together. A file that is a database of another program is left as it is.

The history has the accepted steps, turns of passes and skips. A resumed run goes the same way
again, so it finds its own history there and adds to it; where it takes another way, the rest is
forgotten. Tests are counted as one worker without a journal would run them. So the figures are the
same for any number of workers, and however often the run was resumed.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import sqlite3
import stat
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from marrow.engine.delta import Delta, apply, unpack


@dataclass(frozen=True, slots=True)
class AcceptedStep:
    """An accepted step: the tests up to it, what was left, the digest of the text after it."""

    tests: int
    tokens: int
    length: int
    pass_name: str
    phase: str
    after: bytes
    delta: Delta = field(repr=False)


def text_after(text: bytes, steps: Iterable[AcceptedStep]) -> bytes:
    """Return what accepted steps make of a text."""
    for step in steps:
        text = apply(step.delta, text)
    return text


@dataclass(frozen=True, slots=True)
class Turn:
    """From this number of tests on, it was the turn of this pass."""

    tests: int
    pass_name: str


@dataclass(slots=True)
class History:
    """The events of a run in order. `skips` are the attempts at which a pass was skipped."""

    steps: list[AcceptedStep] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    skips: set[int] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Record:
    """Everything but the verdicts that a journal knows: facts by name, texts, the history."""

    facts: dict[str, str] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    history: History = field(default_factory=History)


#: The statements that make the tables of a journal.
SCHEMA: Final = Path(__file__).with_name("schema.sql").read_text(encoding="utf-8")
OWN_TABLES: Final = frozenset(re.findall(r"EXISTS (\w+)", SCHEMA))
_TABLES: Final = "SELECT name FROM sqlite_master WHERE type = 'table'"

#: The ends of the names of a journal's files.
SUFFIXES: Final = ("", "-wal", "-shm", "-journal")

# What the system says where a file system has no locks.
_NO_LOCKS: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)


def connect(path: Path, rights: int = 0o666) -> sqlite3.Connection:
    """Open the file for this process alone; never wait for another.

    It is at most as readable as `rights` say from now on. Raises OSError for a link or a device,
    `sqlite3.DatabaseError` for what is not a journal.
    """
    _make(path, rights)
    database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        # Exclusive: nobody else uses the file, so it needs no shared memory beside it.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        if not tables(database) <= OWN_TABLES:
            raise sqlite3.DatabaseError("it is a database of another program")
        _limit(path, rights)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def connect_anew(path: Path, rights: int = 0o666) -> sqlite3.Connection:
    """Open an empty journal in place of a file, which stays: another run may just have begun it."""
    try:
        database = connect(path, rights)
        try:
            for name in tables(database):
                database.execute(f'DROP TABLE "{name}"')
        except BaseException:
            database.close()
            raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        if is_lock(error):
            raise
        discard(path)  # no journal, or a damaged one
        return connect(path, rights)
    return database


def close_as_one(database: sqlite3.Connection, path: Path) -> None:
    """Close a journal, so that it is one file again, also where the disk is full.

    There, what is in the log beside it cannot be copied into it. But all of it takes less room than
    the log, which has many versions of a page: the log goes first then.
    """
    content: bytes | None = None
    with contextlib.suppress(sqlite3.Error):
        try:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                content = database.serialize()
    with contextlib.suppress(sqlite3.Error):
        database.close()
    if content is not None and os.path.isfile(f"{path}-wal"):
        try:
            os.unlink(f"{path}-wal")
            with open(os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "wb") as file:
                file.write(content)
                file.truncate()
        except OSError:
            discard(path)  # half of it would be damage


def make_tables(database: sqlite3.Connection) -> None:
    """Make the tables that a journal does not have yet."""
    for statement in filter(str.strip, SCHEMA.split(";")):
        database.execute(statement)


def tables(database: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the tables in a database."""
    return frozenset(name for (name,) in database.execute(_TABLES))


def is_lock(error: Exception) -> bool:
    """Whether an error says that another process has the file open."""
    return isinstance(error, sqlite3.OperationalError) and "locked" in str(error)


def _make(path: Path, rights: int) -> None:
    """Make the file, if there is none; raise OSError if it is not a plain file.

    One that exists is not opened: closing it again would give up the locks that this process has.
    """
    for suffix in SUFFIXES:
        if os.path.islink(f"{path}{suffix}"):
            raise OSError(errno.ELOOP, f"{path}{suffix} is a symbolic link, which is not followed")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        os.close(os.open(path, flags, rights & 0o666 | 0o600))
    except FileExistsError:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file") from None
        if status.st_size == 1:  # SQLite takes one byte for nothing
            raise sqlite3.DatabaseError("file is not a database") from None


def _limit(path: Path, rights: int) -> None:
    """See that no more people can read or write the file than they should."""
    mode = stat.S_IMODE(path.lstat().st_mode)
    if mode & 0o066 & ~rights:
        os.chmod(path, mode & ~(0o066 & ~rights))


def discard(path: Path) -> None:
    """Remove a journal and the files that SQLite keeps beside it."""
    for suffix in SUFFIXES:
        one = f"{path}{suffix}"
        with contextlib.suppress(OSError):
            if os.path.isfile(one) or os.path.islink(one):  # never a device
                os.unlink(one)


def move(path: Path, target: Path) -> None:
    """Give a journal another name, and the files beside it too; raises OSError."""
    for suffix in reversed(SUFFIXES):
        if os.path.lexists(f"{path}{suffix}"):
            os.rename(f"{path}{suffix}", f"{target}{suffix}")


def locks_work(directory: Path) -> bool:
    """Whether files in a directory can be locked; SQLite would blame another process."""
    name = directory / f".marrow-lock-{os.getpid()}"
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        handle = os.open(name, flags, 0o600)
    except OSError:
        return True  # it will be said why nothing can be written there
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _NO_LOCKS
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)
    return True


_K = TypeVar("_K")
_T = TypeVar("_T")

#: What reading a file can end in that is damaged, or not a journal at all. A size that is damaged
#: asks for more memory than there is.
DAMAGE: Final = (
    *(sqlite3.Error, zlib.error, OSError),
    *(ValueError, TypeError, OverflowError, MemoryError, RecursionError),
)

# Numbers and places in texts; larger ones were never written.
_MOST: Final = 1 << 53


def read_pairs(
    database: sqlite3.Connection, columns: str, key: type[_K], value: type[_T]
) -> dict[_K, _T]:
    """Read two columns of a table: `key, value FROM table`."""
    rows = database.execute(f"SELECT {columns}")
    return {_is(key, one): _is(value, other) for one, other in rows}


def read_record(database: sqlite3.Connection) -> Record:
    """Read everything but the verdicts."""
    facts = read_pairs(database, "name, value FROM run", str, str)
    packed = read_pairs(database, "name, content FROM text", str, bytes)
    texts = {name: zlib.decompress(content) for name, content in packed.items()}
    return Record(facts, texts, _read_history(database))


def _read_history(database: sqlite3.Connection) -> History:
    history = History()
    columns = "number, tests, tokens, length, pass, phase, after, delta"
    steps = database.execute(f"SELECT {columns} FROM step ORDER BY number")
    for number, (at, *sizes, name, phase, after, packed) in enumerate(steps):
        if at != number:
            raise ValueError(f"step {number} is missing")
        changes = unpack(_is(bytes, packed))
        if any(not 0 <= _number(one.start) <= _number(one.end) for one in changes):
            raise ValueError("a change has no place")
        tests, tokens, length = map(_number, sizes)
        words = _is(str, name), _is(str, phase)
        step = AcceptedStep(tests, tokens, length, *words, _is(bytes, after), changes)
        history.steps.append(step)
    turns = database.execute("SELECT tests, pass FROM turn ORDER BY number")
    history.turns.extend(Turn(_number(tests), _is(str, name)) for tests, name in turns)
    history.skips.update(_number(row[0]) for row in database.execute("SELECT attempt FROM skip"))
    return history


def _is(kind: type[_T], value: Any) -> _T:
    if not isinstance(value, kind):
        raise ValueError(f"{kind.__name__} expected, found {type(value).__name__}")
    return value


def _number(value: Any) -> int:
    number = _is(int, value)
    if not 0 <= number < _MOST:
        raise ValueError("a number is out of range")
    return number
