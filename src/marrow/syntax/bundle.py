"""Several files as one text: what a candidate is where the input is a set of files.

Each entry is a line that gives its mode and name, the content, and a line break, so that leaving
out entries, or changing the content of one, gives a bundle again, in which nothing else changes. A
line of a content that looks like the first line of an entry gets a mark. The entries are in the
order of their names: the same files always make the same bundle.
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

# Characters of names that a line can show as they are.
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
        """Whether this is a file, and not a directory or link."""
        return stat.S_ISREG(self.mode)


def make_bundle(entries: Iterable[BundleEntry]) -> bytes:
    """Return the bundle of some entries."""
    return b"".join(map(_packed, sorted(entries, key=lambda entry: entry.name)))


def _packed(entry: BundleEntry) -> bytes:
    """Return one entry as it stands in a bundle."""
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
    for head, end in zip(heads, ends, strict=False):  # without a head there is an end all the same
        name = unquote_to_bytes(head[2]).decode("utf-8", "surrogateescape")
        content = _MARKED.sub(rb"\1", bundle[head.end() : end - 1])
        yield BundleEntry(name, content, int(head[1], 8)), head.start(), end
