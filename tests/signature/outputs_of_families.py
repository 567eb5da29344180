"""What programs of many families print when they fail, written from knowledge of their forms.

The rows are in `outputs_of_families.toml`.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Row(NamedTuple):
    """A failure, and what is kept of it."""

    what: str
    #: How the command ends, what it prints, and the input's text and name.
    status: int
    stderr: str = ""
    stdout: str = ""
    text: str = ""
    name: str = ""
    #: What is kept: the kind, the messages, the frames; and what it tells of validity.
    kind: str = ""
    messages: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    validity: str = ""


def _rows() -> tuple[Row, ...]:
    content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = content["row"]
    for row in rows:
        for key in ("messages", "frames"):
            row[key] = tuple(row.get(key, ()))
    return tuple(Row(**row) for row in rows)


ROWS = _rows()
