"""Tables on disk, so that a large grammar is compiled once.

A file holds a line with a mark and the key, then the tables as JSON, which can do no harm when it
is read. Whatever is wrong with a cache, it is as if it were not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from marrow import __version__
from marrow.grammar.parser.lalr import Tables

#: Changes whenever tables for the same productions would look different.
_VERSION: Final = 2

#: The tables in the cache take no more than this together; those written first go first.
_MOST_BYTES: Final = 200_000_000

_MARK: Final = b"marrow-tables"

#: Stands for the directory that `default_cache` names.
DEFAULT_CACHE: Final = Path("<default>")


def default_cache() -> Path:
    """Return the directory for caches: below `XDG_CACHE_HOME`, or `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "marrow"


def tables_key(
    productions: Sequence[tuple[int, tuple[int, ...]]],
    groups: Mapping[int, tuple[int, ...]],
    terminals: int,
) -> str:
    """Return the hash of everything that tables depend on."""
    content = repr((_VERSION, __version__, list(productions), sorted(groups.items()), terminals))
    return hashlib.sha256(content.encode()).hexdigest()


def load_tables(directory: Path, key: str) -> Tables | None:
    """Return cached tables, or None if there are none that can be used."""
    try:
        header, _, body = _path(directory, key).read_bytes().partition(b"\n")
        if header != _header(key):
            return None
        actions, gotos = ([_row(row) for row in rows] for rows in json.loads(body))
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return None
    return Tables(actions, gotos)


def save_tables(directory: Path, key: str, tables: Tables) -> None:
    """Write tables; a directory that cannot be written to is left alone."""
    body = json.dumps([tables.actions, tables.gotos], separators=(",", ":")).encode()
    with contextlib.suppress(OSError):
        directory.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=directory, prefix=".tables-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_header(key) + b"\n" + body)
            os.replace(name, _path(directory, key))
        except OSError:
            os.unlink(name)
            raise
        _bound(directory)


def _bound(directory: Path) -> None:
    """Remove the oldest tables until the others are small enough together."""
    found = (
        (path.stat().st_mtime, path.stat().st_size, path) for path in directory.glob("*.tables")
    )
    total = 0
    for _, size, path in sorted(found, reverse=True):
        total += size
        if total > _MOST_BYTES:
            path.unlink(missing_ok=True)


def _path(directory: Path, key: str) -> Path:
    return directory / f"{key}.tables"


def _header(key: str) -> bytes:
    return _MARK + b" " + key.encode()


def _row(row: Mapping[str, Any]) -> dict[int, Any]:
    """Return a row with numbers as keys: a name in JSON is a text, and a tuple a list."""
    return {int(key): tuple(one) if isinstance(one, list) else one for key, one in row.items()}
