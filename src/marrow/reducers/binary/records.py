"""Records: messages of protocol buffers, and the tables and rows of SQLite's databases."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError, plain, varint

# -- Protocol buffers (https://protobuf.dev/programming-guides/encoding/) --------------------------

#: Numbers of fields above this are taken for a sign that something is no message.
_MOST_FIELD: Final = 10_000
#: A message has at least so many fields: a few bytes of anything may look like one.
_LEAST_FIELDS: Final = 2
#: How deep messages are read inside each other.
_MOST_DEPTH: Final = 20


def read_message(data: bytes) -> Block | None:
    """Return the fields of a message; messages inside it are fields with fields."""
    made = read_known_message(data)
    enough = made is not None and (len(made.parts) >= _LEAST_FIELDS or made.parts[0].parts)
    return made if enough and made is not None and _nested(made) else None


def read_known_message(data: bytes) -> Block | None:
    """Return the fields of what is known to be a message, be it one field."""
    return _message(data, 0)


def _nested(block: Block) -> bool:
    """Whether there is a message inside, or a field with a length: the rest may be an accident."""
    return any(part.parts or part.note is not None for part in block.parts)


def _message(data: bytes, depth: int) -> Block | None:
    cursor = Cursor(data)
    fields = []
    try:
        while not cursor.ended:
            fields.append(_field(cursor, depth))
    except NotThisFormatError:
        return None
    return Block(plain, tuple(fields)) if fields else None


def _field(cursor: Cursor, depth: int) -> Block:
    start = cursor.at
    key, _ = cursor.varint()
    kind, number = key & 7, key >> 3
    if not 0 < number <= _MOST_FIELD:
        raise NotThisFormatError
    head = cursor.data[start : cursor.at]
    if kind == 2:
        size, width = cursor.varint()
        body = cursor.take(size)
        inner = None if depth >= _MOST_DEPTH or body.isascii() else _message(body, depth + 1)
        if inner is None or len(inner.parts) < _LEAST_FIELDS:
            return Block(_delimited, (), body, (head, width))
        return Block(_delimited, inner.parts, b"", (head, width))
    if kind == 0:
        cursor.varint()
    elif kind in (1, 5):
        cursor.take(8 if kind == 1 else 4)
    else:
        raise NotThisFormatError
    return Block(plain, (), cursor.data[start : cursor.at])


def _delimited(block: Block) -> bytes:
    head, width = block.note
    body = plain(block)
    return bytes(head) + varint(len(body), width) + body


# -- SQLite (https://www.sqlite.org/fileformat.html) -----------------------------------------------

#: Databases with more rows are reduced by whole tables only.
_MOST_ROWS: Final = 20_000
#: The smallest page.
_PAGE: Final = 512


def read_sqlite(data: bytes) -> Block | None:
    """Return the tables of a database with their rows, its indices, views and triggers.

    SQLite itself writes what is left, in small pages without gaps. It must be able to read it.
    """
    if not data.startswith(b"SQLite format 3\0"):
        return None
    try:
        with sqlite3.connect(":memory:") as database:
            database.deserialize(_readable(data))
            parts = tuple(_things(database))
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        raise NotThisFormatError from error
    counts = {part.note: len(part.parts) for part in parts}
    return Block(partial(_database, data, counts), parts)


def _readable(data: bytes) -> bytes:
    """Return a database that needs no log beside it, which one in memory cannot have."""
    return data[:18] + b"\1\1" + data[20:]


def _things(database: sqlite3.Connection) -> list[Block]:
    found = []
    query = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
    for kind, name, sql in database.execute(query).fetchall():
        rows: tuple[Block, ...] = ()
        if kind == "table" and "VIRTUAL" not in (sql or "").upper():
            try:
                numbers = database.execute(
                    f"SELECT rowid FROM {_quoted(name)} LIMIT {_MOST_ROWS + 1}"
                ).fetchall()
            except sqlite3.Error:
                numbers = []  # a table without row numbers
            if len(numbers) <= _MOST_ROWS:
                rows = tuple(Block(plain, (), b"", number) for (number,) in numbers)
        found.append(Block(plain, rows, b"", (kind, name)))
    return found


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _database(data: bytes, counts: dict[tuple[str, str], int], block: Block) -> bytes:
    left = {part.note: part for part in block.parts}
    if counts == {note: len(part.parts) for note, part in left.items()}:
        return data
    try:
        database = sqlite3.connect(":memory:", isolation_level=None)
        try:
            database.deserialize(_readable(data))
            database.execute("PRAGMA foreign_keys = OFF")
            _drop(database, counts, left)
            return _compact(database)
        finally:
            database.close()
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        raise NotThisFormatError from error


def _compact(database: sqlite3.Connection) -> bytes:
    """Write a database anew, in small pages without gaps."""
    other = sqlite3.connect(":memory:", isolation_level=None)
    try:
        other.execute(f"PRAGMA page_size = {_PAGE}")
        for setting in ("encoding", "user_version", "application_id"):
            (value,) = database.execute(f"PRAGMA {setting}").fetchone()
            other.execute(f"PRAGMA {setting} = '{value}'")
        other.executescript("\n".join(database.iterdump()))
        return other.serialize()
    finally:
        other.close()


def _drop(
    database: sqlite3.Connection,
    counts: dict[tuple[str, str], int],
    left: dict[tuple[str, str], Block],
) -> None:
    for note, count in counts.items():
        kind, name = note
        if note not in left:
            database.execute(f"DROP {kind} IF EXISTS {_quoted(name)}")
        elif len(left[note].parts) < count:
            kept = [(part.note,) for part in left[note].parts]
            database.execute("CREATE TEMP TABLE kept (number INTEGER PRIMARY KEY)")
            database.executemany("INSERT INTO kept VALUES (?)", kept)
            table = _quoted(name)
            database.execute(f"DELETE FROM {table} WHERE rowid NOT IN (SELECT number FROM kept)")
            database.execute("DROP TABLE temp.kept")
