"""Reading the rows of a journal.

SQLite stores a value of any type in any column, and a journal may be damaged: so every value is
looked at before it is used. `ValueError` is raised for one that cannot have been written.
"""

from __future__ import annotations

import sqlite3
import zlib
from typing import Any, Final, TypeVar

from marrow.engine.delta import unpack
from marrow.engine.journal.history import AcceptedStep, History, Turn
from marrow.engine.verdict import Verdict

_T = TypeVar("_T")

#: What reading a file can end in that is damaged, or not a journal at all. A size that is damaged
#: asks for more memory than there is.
DAMAGE: Final = (
    *(sqlite3.Error, zlib.error, OSError),
    *(ValueError, TypeError, OverflowError, MemoryError, RecursionError),
)

# Numbers and places in texts; larger ones were never written.
_MOST: Final = 1 << 53


def read_facts(database: sqlite3.Connection) -> dict[str, str]:
    """Read the facts of a run."""
    rows = database.execute("SELECT name, value FROM run")
    return {_is(str, name): _is(str, value) for name, value in rows}


def read_verdicts(database: sqlite3.Connection) -> dict[bytes, Verdict]:
    """Read the verdicts by the digests of their candidates."""
    rows = database.execute("SELECT candidate, verdict FROM verdict")
    return {_is(bytes, key): Verdict(value) for key, value in rows}


def read_labels(database: sqlite3.Connection) -> dict[bytes, str]:
    """Read which other failures candidates showed."""
    rows = database.execute("SELECT candidate, label FROM seen")
    return {_is(bytes, key): _is(str, label) for key, label in rows}


def read_texts(database: sqlite3.Connection) -> dict[str, bytes]:
    """Read the texts that belong to a run."""
    rows = database.execute("SELECT name, content FROM text")
    return {_is(str, name): zlib.decompress(_is(bytes, content)) for name, content in rows}


def read_history(database: sqlite3.Connection, history: History) -> None:
    """Read the history of a run."""
    steps = "number, tests, tokens, length, pass, phase, after, delta"
    for number, row in enumerate(database.execute(f"SELECT {steps} FROM step ORDER BY number")):
        if row[0] != number:
            raise ValueError(f"step {number} is missing")
        history.steps.append(_step(*row[1:]))
    turns = database.execute("SELECT tests, pass FROM turn ORDER BY number")
    history.turns.extend(Turn(_number(tests), _is(str, name)) for tests, name in turns)
    history.skips.update(_number(row[0]) for row in database.execute("SELECT attempt FROM skip"))


def _step(
    tests: Any, tokens: Any, length: Any, name: Any, phase: Any, after: Any, delta: Any
) -> AcceptedStep:
    changes = unpack(_is(bytes, delta))
    for change in changes:
        if not 0 <= _number(change.start) <= _number(change.end):
            raise ValueError("a change has no place")
    return AcceptedStep(
        _number(tests),
        _number(tokens),
        _number(length),
        _is(str, name),
        _is(str, phase),
        _is(bytes, after),
        changes,
    )


def _is(kind: type[_T], value: Any) -> _T:
    if not isinstance(value, kind):
        raise ValueError(f"{kind.__name__} expected, found {type(value).__name__}")
    return value


def _number(value: Any) -> int:
    number = _is(int, value)
    if not 0 <= number < _MOST:
        raise ValueError("a number is out of range")
    return number
