"""Parcels: candidates as they travel to another machine, small.

A candidate is most of the time the input without some pieces: a parcel says which, or is the
candidate itself, compressed, whichever is shorter. Both sides have the input.
"""

from __future__ import annotations

import zlib
from typing import Final

from marrow.engine.executors.dask import delta

_CHANGES: Final = b"d"
_WHOLE: Final = b"z"

# Below this length a candidate is sent as it is: it fits into one packet of a network, and looking
# for what changed would take longer than it saves.
_SHORT: Final = 1024


def wrapped(base: bytes, candidate: bytes) -> bytes:
    """Return the parcel of a candidate for whoever has the base."""
    whole = _WHOLE + zlib.compress(candidate, 1)
    if len(whole) <= _SHORT:
        return whole
    changes = _CHANGES + delta.pack(delta.delta(base, candidate))
    return min(whole, changes, key=len)


def unwrapped(base: bytes, parcel: bytes) -> bytes:
    """Return the candidate in a parcel."""
    kind, content = parcel[:1], parcel[1:]
    if kind == _WHOLE:
        return zlib.decompress(content)
    return delta.apply(delta.unpack(content), base)
