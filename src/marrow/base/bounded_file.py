"""Reading a file that a user names: never without end, and never waiting.

`/dev/zero` has no end, a pipe and `/proc/kmsg` wait for somebody to write, and `/proc/kcore` claims
to be a regular file of many terabytes. So only regular files are read, up to a size.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Final

#: The largest grammar, model, pattern or configuration; those that ship have less than 2 MB.
LARGEST_FILE: Final = 64 << 20

#: The largest input. Its tree would need a hundred times as much memory.
LARGEST_INPUT: Final = 4 << 30

# How much is read at once.
_PIECE: Final = 1 << 20


def read_bounded(path: str | Path, most: int = LARGEST_FILE) -> bytes:
    """Return the content of a regular file; raise `OSError` if it is none, or larger."""
    _check(path, os.stat(path), most)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        _check(path, os.fstat(handle), most)
        pieces, left = [], most + 1
        # Files of /proc say that they are empty: the end is where nothing more comes.
        while left > 0 and (piece := os.read(handle, min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
    except BlockingIOError as error:
        raise OSError(error.errno, "reading it would wait for ever", str(path)) from error
    finally:
        os.close(handle)
    if left <= 0:
        raise _too_large(path, most)
    return b"".join(pieces)


def _check(path: str | Path, status: os.stat_result, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a directory", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if status.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str | Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"it is larger than {most >> 20:,} MB", str(path))
