"""Damaged journals, and options that make no sense or name files without end.

Ways to break a good journal, by lot from a seed: a damage takes its bytes and returns others. Some
break the file (bytes flipped, cut, swapped, repeated), some break what is in it (`edits`: other
types, missing tables, sizes that cannot be true) and leave a valid database.
"""

from __future__ import annotations

import functools
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from bench.attack.situation import JOURNAL, PROGRAM, TABLES, Situation, put, write_script

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


#: Seeds of damage.
SEEDS: Final = range(2000, 2060)

_STOPPED: Final = ("reduce", "input.c", "./test.sh", "-j1", "--algorithm", "coarse-hddr*")


@functools.cache
def _good() -> tuple[bytes, bytes]:
    """Return the result and the journal of a run that was stopped."""
    with tempfile.TemporaryDirectory(prefix="attack-journal-") as place:
        work = Path(place)
        (work / "input.c").write_text(PROGRAM)
        write_script(work / "test.sh", 'grep -q needle "$1"')
        line = [sys.executable, "-m", "marrow", *_STOPPED, "--max-tests", "12", "-q"]
        subprocess.run(line, cwd=work, check=True)
        return (work / "input.reduced.c").read_bytes(), (work / JOURNAL).read_bytes()


def _with_damage(seed: int, work: Path) -> None:
    result, journal = _good()
    (work / "input.reduced.c").write_bytes(result)
    (work / JOURNAL).write_bytes(damaged(journal, seed, work.parent / "scratch")[1])


def journals() -> Iterator[Situation]:
    """Yield damaged journals, resumed, reported and started over."""
    for seed in SEEDS:
        words: tuple[str, ...] = (*_STOPPED, "--resume")
        if seed % 3 == 1:
            words = ("report", JOURNAL, "-o", "page.html")
        elif seed % 3 == 2:
            words = _STOPPED
        yield Situation(
            f"journal of seed {seed}, {('resumed', 'reported', 'started over')[seed % 3]}",
            words,
            # A verdict that was changed shows at the end: the test is not interesting once more.
            frozenset({0, 6, 9}),
            prepare=functools.partial(_with_damage, seed),
        )


BAD_OPTIONS: Final = TABLES["records"]["bad-options"]

READERS: Final = TABLES["records"]["readers"]


def options() -> Iterator[Situation]:
    """Yield options that make no sense, and files that have no end."""
    for words in BAD_OPTIONS:
        yield Situation(
            f"{' '.join(words)!a}",
            ("reduce", "input.c", "./test.sh", *words),
            frozenset({2, 3, 11}),
        )
    for reader in READERS:
        for name, make in (("/dev/zero", os.stat), ("pipe", os.mkfifo), ("sparse", _sparse)):
            yield Situation(
                f"{' '.join(reader)} on {name}",
                tuple(word.format(name) for word in reader),
                # 8: the page would stand beside the journal, in /dev.
                frozenset({2, 3, 8, 9}) if reader[0] == "report" else frozenset({2, 3, 9}),
                prepare=functools.partial(put, name, make),
            )


#: Files that nest deeper than any parser's stack, or hold what no such file does.
DEEP: Final[dict[str, bytes]] = {
    "lists, 100,000 deep": b"[" * 100_000,
    "closed lists, 50,000 deep": b"[" * 50_000 + b"]" * 50_000,
    "objects, 50,000 deep": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "tables of TOML, 5,000 deep": b"a" + b".a" * 5_000 + b" = 1\n",
    "lists of TOML, 50,000 deep": b"a = " + b"[" * 50_000,
    "rules, 50,000 deep": b"grammar a; a : " + b"(" * 50_000 + b"'x'" + b")" * 50_000 + b" ;",
    "an enormous number": b'{"a": 1' + b"0" * 100_000 + b"}",
}


def deep() -> Iterator[Situation]:
    """Yield grammars, models, rewrites, patterns and configurations that nest too deeply."""
    for what, content in DEEP.items():
        for reader in READERS:
            if reader[0] in ("reduce", "tree") and reader[1] == "{}":
                continue  # an input may hold anything
            yield Situation(
                f"{' '.join(reader)} on {what}",
                tuple(word.format("deep.g4") for word in reader),
                frozenset({0, 2, 3, 5, 9}) if "rules" in what else frozenset({2, 3, 9}),
                prepare=functools.partial(put, "deep.g4", content),
            )
        yield Situation(
            f"marrow.toml with {what}",
            ("reduce", "input.c", "./test.sh"),
            frozenset({2, 3}),
            prepare=functools.partial(put, "marrow.toml", content),
        )


def _sparse(path: Path) -> None:
    """Make a file that claims to have 8 TB, and takes no room."""
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (allowed[1], allowed[1]))
    try:
        with path.open("wb") as file:
            file.truncate(8 << 40)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
