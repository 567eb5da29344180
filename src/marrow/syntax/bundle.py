"""Several files as one text: what a candidate is where the input is a set of files.

Each entry is a line that gives its mode, length and name, the content, and a line break, so that
leaving out entries, or changing the content of one, gives a bundle again. The entries are in the
order of their names: the same files always make the same bundle.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

_HEAD: Final = re.compile(rb"==> ([0-7]+) (\d+) ([^\n]*)\n")

# Characters of names that a line can show as they are.
_PLAIN: Final = "/ !#$&'()*+,:;=?@[]^`{|}~"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: its name below the input's directory, its content, and its mode as in `st_mode`.

    An entry may also be an empty directory, or a symbolic link, whose content is its target.
    """

    name: str
    content: bytes = b""
    mode: int = stat.S_IFREG | 0o644

    @property
    def regular(self) -> bool:
        """Whether this is a file, and not a directory or link."""
        return stat.S_ISREG(self.mode)


def pack(entries: Iterable[Entry]) -> bytes:
    """Return the bundle of some entries."""
    return b"".join(map(packed, sorted(entries, key=lambda entry: entry.name)))


def packed(entry: Entry) -> bytes:
    """Return one entry as it stands in a bundle."""
    name = quote_from_bytes(entry.name.encode("utf-8", "surrogateescape"), _PLAIN)
    head = b"==> %o %d %s\n" % (entry.mode, len(entry.content), name.encode())
    return b"%s%s\n" % (head, entry.content)


def unpack(bundle: bytes) -> list[Entry]:
    """Return the entries of a bundle."""
    return [entry for entry, _, _ in entries_of(bundle)]


def entries_of(bundle: bytes) -> Iterator[tuple[Entry, int, int]]:
    """Yield the entries of a bundle, each with its start and end in the text."""
    position = 0
    while position < len(bundle):
        head = _HEAD.match(bundle, position)
        if head is None:
            raise ValueError(f"not a bundle of files: no entry at byte {position}")
        start, length = head.end(), int(head[2])
        name = unquote_to_bytes(head[3]).decode("utf-8", "surrogateescape")
        entry = Entry(name, bundle[start : start + length], int(head[1], 8))
        yield entry, position, start + length + 1
        position = start + length + 1
