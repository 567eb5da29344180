"""Packing candidates for the way to another machine.

Most candidates are the input without some pieces. A packed candidate is a delta to the input, which
both sides have, or the compressed candidate itself, whichever is shorter.
"""

from __future__ import annotations

import zlib
from typing import Final

from marrow.engine import delta

_CHANGES: Final = b"d"
_WHOLE: Final = b"z"

# Below this length a candidate is sent whole: it fits into one packet of a network, and computing
# the delta would take longer than it saves.
_SHORT: Final = 1024


def packed_for(base: bytes, candidate: bytes) -> bytes:
    """Return a candidate, packed for those who have the base."""
    whole = _WHOLE + zlib.compress(candidate, 1)
    if len(whole) <= _SHORT:
        return whole
    changes = _CHANGES + delta.pack(delta.delta(base, candidate))
    return min(whole, changes, key=len)


def unpacked(base: bytes, packed: bytes) -> bytes:
    """Return a packed candidate."""
    kind, content = packed[:1], packed[1:]
    if kind == _WHOLE:
        return zlib.decompress(content)
    return delta.apply(delta.unpack(content), base)
