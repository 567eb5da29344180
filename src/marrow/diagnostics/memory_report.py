"""What sanitizers and valgrind say about misused memory: was it read or written, who freed it.

Two failures at one line are seldom one if one of them reads and the other writes: `a[i] = a[j]` has
two indexes. And memory that is used after one line freed it is used wrongly because of that line,
wherever it is used.
"""

from __future__ import annotations

import re
from typing import Final

from marrow.diagnostics.frames import Frame, frame_of
from marrow.diagnostics.texts import lines_of, plain

_ACCESS: Final = re.compile(
    rb"^(READ|WRITE) of size \d|\bis caused by a (READ|WRITE) memory access"
    rb"|\bInvalid (read|write) of size \d",
    re.MULTILINE,
)

# What stands in front of the stack of the call that freed memory: ASan's words, and valgrind's.
_FREED: Final = re.compile(r"^freed by thread |\binside a block of size [\d,]+ free'd$")


def access_of(said: bytes) -> str:
    """Return whether memory was read or written, in a word; nothing if that is not said."""
    found = _ACCESS.search(said)
    return "" if found is None else next(filter(None, found.groups())).decode().lower()


def freeing_frames(said: bytes) -> tuple[Frame, ...]:
    """Return the stack of the call that freed the memory which was used, the innermost first."""
    if b"freed by thread" not in said and b"free'd" not in said:
        return ()
    frames: list[Frame] = []
    begun = False
    for line in map(plain, lines_of(said)):
        if not begun:
            begun = _FREED.search(line) is not None
            continue
        frame = frame_of(line)
        if frame is None:
            break
        frames.append(frame)
    return tuple(frames)
