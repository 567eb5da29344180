"""Damaged journals: ways to break a good one, by lot from a seed.

A damage takes the bytes of a journal and returns others. Some break the file (bytes flipped, cut,
swapped, repeated), some break what stands in it (`edits`: other types, missing tables, sizes that
cannot be true) and leave a valid database.
"""

from __future__ import annotations

import random
import sqlite3
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

# A page of SQLite has at least 512 bytes; damage is done in units of them now and then.
_PAGE: Final = 512


def flipped(content: bytes, lot: random.Random) -> bytes:
    """Flip bits here and there."""
    broken = bytearray(content)
    for _ in range(lot.choice((1, 4, 32, 256))):
        broken[lot.randrange(len(broken))] ^= 1 << lot.randrange(8)
    return bytes(broken)


def flipped_in_front(content: bytes, lot: random.Random) -> bytes:
    """Flip bits of the header and the schema."""
    broken = bytearray(content)
    for _ in range(lot.choice((1, 2, 8))):
        broken[lot.randrange(min(len(broken), 2 * _PAGE))] ^= 1 << lot.randrange(8)
    return bytes(broken)


def cut(content: bytes, lot: random.Random) -> bytes:
    """Keep the beginning alone."""
    return content[: lot.choice((0, 1, 15, 16, 99, 100, _PAGE, lot.randrange(len(content))))]


def swapped(content: bytes, lot: random.Random) -> bytes:
    """Exchange two stretches of equal length."""
    size = lot.choice((1, 16, _PAGE, 4096))
    first, second = sorted(lot.randrange(len(content)) for _ in range(2))
    size = min(size, second - first, len(content) - second)
    broken = bytearray(content)
    broken[first : first + size], broken[second : second + size] = (
        content[second : second + size],
        content[first : first + size],
    )
    return bytes(broken)


def blanked(content: bytes, lot: random.Random) -> bytes:
    """Overwrite a stretch with zeros, ones or noise."""
    start = lot.randrange(len(content))
    size = min(lot.choice((1, 64, _PAGE, 4096)), len(content) - start)
    filling = lot.choice((bytes(size), b"\xff" * size, lot.randbytes(size)))
    return content[:start] + filling + content[start + size :]


def repeated(content: bytes, lot: random.Random) -> bytes:
    """Put a stretch in twice, so that everything behind it is out of place."""
    start = lot.randrange(len(content))
    size = lot.choice((1, 64, _PAGE))
    return content[: start + size] + content[start:]


BYTES: Final = (flipped, flipped_in_front, cut, swapped, blanked, repeated)

#: Values of every type of SQLite, and some that are too large, too deep or not what they seem.
_VALUES: Final = (
    None,
    0,
    -1,
    2**63 - 1,
    -(2**63),
    1.5,
    1e308,
    "",
    "interesting",
    "no such verdict",
    "{",
    "[" * 100_000,
    '{"title": 1}',
    "null",
    "[]",
    "nan",
    "inf",
    "1e999",
    "-5",
    "\x1b[2J",
    "\0",
    b"",
    b"\0" * 16,
    b"\xff" * 3,
    zlib.compress(b"[" * 1_000_000),
    zlib.compress(bytes(64 << 20)),
    zlib.compress(b"x")[:-3],
)


def _edit(database: sqlite3.Connection, lot: random.Random) -> None:
    tables = [
        row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type='table'")
    ]
    table = lot.choice(tables)
    columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
    column = lot.choice(columns)
    match lot.randrange(8):
        case 0:
            database.execute(f'DROP TABLE "{table}"')
        case 1:
            database.execute(f'ALTER TABLE "{table}" RENAME TO other')
        case 2:
            database.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other')
        case 3:
            database.execute(f'ALTER TABLE "{table}" ADD COLUMN other')
        case 4:
            database.execute(f'DELETE FROM "{table}"')
        case _:
            where = "" if lot.random() < 0.5 else f'WHERE "{column}" IS NOT NULL LIMIT 1'
            keys = "UPDATE OR IGNORE" if lot.random() < 0.5 else "UPDATE OR REPLACE"
            if where:
                row = database.execute(f'SELECT "{columns[0]}" FROM "{table}"').fetchall()
                key = lot.choice(row)[0] if row else None
                database.execute(
                    f'{keys} "{table}" SET "{column}" = ? WHERE "{columns[0]}" IS ?',
                    (lot.choice(_VALUES), key),
                )
            else:
                database.execute(f'{keys} "{table}" SET "{column}" = ?', (lot.choice(_VALUES),))


def edited(content: bytes, lot: random.Random, scratch: Path) -> bytes:
    """Change what stands in the journal; the file stays a database."""
    scratch.write_bytes(content)
    database = sqlite3.connect(scratch, isolation_level=None)
    try:
        # What a table does not allow is allowed here: other programs are not so strict.
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
        database.execute("PRAGMA writable_schema = RESET")
        for _ in range(lot.choice((1, 1, 2, 4))):
            try:
                _edit(database, lot)
            except sqlite3.Error:
                continue
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    finally:
        database.close()
    return scratch.read_bytes()


def damaged(content: bytes, seed: int, scratch: Path) -> tuple[str, bytes]:
    """Return a damaged journal, and how it was damaged; half of the time a valid database."""
    lot = random.Random(seed)
    if lot.random() < 0.5:
        return "edited", edited(content, lot, scratch)
    damage: Callable[[bytes, random.Random], bytes] = lot.choice(BYTES)
    return damage.__name__, damage(content, lot)
