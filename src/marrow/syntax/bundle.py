"""A bundle: several files as one text, the form of candidates if the input is a set of files.

Each entry is a line with its mode and name, the content, and a line break. So a bundle stays a
bundle if entries go or the content of one changes. A line of a content that looks like the first
line of an entry is marked. Entries are sorted by name: the same files always make the same bundle.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote_from_bytes, unquote_to_bytes

_HEAD: Final = re.compile(rb"^==> ([0-7]+) ([^\n]*)\n", re.MULTILINE)
_LIKE_HEAD: Final = re.compile(rb"^(>*==> )", re.MULTILINE)
_MARKED: Final = re.compile(rb"^>(>*==> )", re.MULTILINE)

# Characters that names in a bundle show unquoted.
_PLAIN: Final = "/ !#$&'()*+,:;=?@[]^`{|}~"


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """A file: its name below the input's directory, its content, and its mode as in `st_mode`.

    An entry may also be an empty directory, or a symbolic link, whose content is its target.
    """

    name: str
    content: bytes = b""
    mode: int = stat.S_IFREG | 0o644

    @property
    def regular(self) -> bool:
        """True for a file, False for a directory or link."""
        return stat.S_ISREG(self.mode)


def make_bundle(entries: Iterable[BundleEntry]) -> bytes:
    """Return the bundle of some entries."""
    return b"".join(map(_packed, sorted(entries, key=lambda entry: entry.name)))


def _packed(entry: BundleEntry) -> bytes:
    name = quote_from_bytes(entry.name.encode("utf-8", "surrogateescape"), _PLAIN)
    content = _LIKE_HEAD.sub(rb">\1", entry.content)
    return b"==> %o %s\n%s\n" % (entry.mode, name.encode(), content)


def read_bundle(bundle: bytes) -> list[BundleEntry]:
    """Return the entries of a bundle."""
    return [entry for entry, _, _ in entry_spans(bundle)]


def entry_spans(bundle: bytes) -> Iterator[tuple[BundleEntry, int, int]]:
    """Yield the entries of a bundle, each with its start and end in the text."""
    heads = list(_HEAD.finditer(bundle))
    ends = [*(head.start() for head in heads[1:]), len(bundle)]
    for head, end in zip(heads, ends, strict=False):  # there is an end even without a head
        name = unquote_to_bytes(head[2]).decode("utf-8", "surrogateescape")
        content = _MARKED.sub(rb"\1", bundle[head.end() : end - 1])
        yield BundleEntry(name, content, int(head[1], 8)), head.start(), end
