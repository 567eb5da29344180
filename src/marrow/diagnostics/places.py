"""Which lines of which files an output names."""

from __future__ import annotations

import re
from typing import Final

# `a.cc:12:5: error`, `File "a.py", line 12`, `Input.cs:line 3`, `a.cc(12)`.
_PLACE: Final = re.compile(
    rb'(?<![^\s:"\'()\[\]<>|])([^\s:"\'()\[\]<>|]+)(?:", line |:line |:|\()(\d{1,8})\b'
)


def reported_places(output: bytes) -> dict[bytes, set[int]]:
    """Return the numbers of the lines that an output names, by file as it is written there."""
    places: dict[bytes, set[int]] = {}
    for found in _PLACE.finditer(output):
        places.setdefault(found[1], set()).add(int(found[2]))
    return places
