"""Views of an input through another view: texts in UTF-16, and lines that stay as they are.

A text in UTF-16, known by the mark it begins with, is parsed in UTF-8 and tried in its encoding.
With `--keep-lines` no candidate is tried in which the bytes of a protected region are not there,
whole lines and in their order: that holds for every pass, rewrite and layout, as all of them make
candidates. Line numbers are those of the original.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from marrow.syntax.bundle import read_bundle
from marrow.syntax.portion import Parse, Portion
from marrow.syntax.views import FileView, PortionOrder, S, View


@dataclass(frozen=True, slots=True)
class ViewThrough:
    """What the inner view says."""

    inner: View

    @property
    def note(self) -> str:
        """A remark for the user, if there is one."""
        return self.inner.note

    @property
    def language(self) -> str:
        """The name of the language or granularity."""
        return self.inner.language

    @property
    def description(self) -> str:
        """The same for people."""
        return self.inner.description

    def length(self, text: bytes) -> int:
        """Return the number of bytes of an input."""
        return self.inner.length(text)

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of tokens of an input."""
        return self.inner.tokens(text, parse)


_ENCODINGS: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def narrowed(text: bytes) -> bytes | None:
    """Return a text in UTF-16 as UTF-8, without its mark; None if it has another encoding."""
    encoding = _ENCODINGS.get(text[:2])
    if encoding is None:
        return None
    try:
        found = text[2:].decode(encoding).encode("utf-8")
    except UnicodeError:
        return None
    return None if b"\0" in found else found


@dataclass(frozen=True, slots=True)
class WideTextView(ViewThrough):
    """The view of a text in UTF-16, through that of the same text in UTF-8."""

    inner: FileView
    mark: bytes

    @property
    def description(self) -> str:
        """The same for people."""
        return f"{self.inner.description}, in UTF-16"

    def length(self, text: bytes) -> int:
        """Return the number of bytes of an input."""
        return len(text)

    def tokens(self, text: bytes, parse: Parse) -> int:
        """Return the number of tokens of an input."""
        return self.inner.tokens(as_narrow(text), parse)

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield what to reduce next; what is tried is in UTF-16."""
        for stage, portion in self.inner.portions(lambda: as_narrow(best()), order):
            yield stage, replace(portion, whole=partial(self._whole, portion.whole))

    def wide(self, narrow: bytes) -> bytes:
        """Return a text in UTF-16. Half a character, where bytes go one by one, is none."""
        text = narrow.decode("utf-8", "ignore")
        return self.mark + text.encode(_ENCODINGS[self.mark])

    def _whole(self, whole: Callable[[bytes], bytes], part: bytes) -> bytes:
        return self.wide(whole(part))


def as_narrow(text: bytes) -> bytes:
    """Return a text in UTF-16 as UTF-8, and any other one as it is."""
    found = narrowed(text)
    return text if found is None else found


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines of a file, counted from 1; without a file, of the only one."""

    first: int
    last: int
    file: str = ""

    @classmethod
    def parse(cls, words: str) -> LineRange:
        """Read `10-20`, `7`, or `main.c:10-20`."""
        found = re.fullmatch(r"(?:(.+):)?(\d+)(?:-(\d+))?", words.strip())
        lines = None if found is None else (int(found[2]), int(found[3] or found[2]))
        if found is None or lines is None or not 0 < lines[0] <= lines[1]:
            raise ValueError(f"{words!r} is not a range of lines; write it like 10-20 or main.c:7")
        return cls(*lines, found[1] or "")

    def region(self, text: bytes) -> bytes:
        """Return the bytes of these lines, without the last line break."""
        lines = text.splitlines(keepends=True)
        if self.last > len(lines):
            raise ValueError(f"there are only {len(lines):,} lines, not {self.last:,}")
        return b"".join(lines[self.first - 1 : self.last]).rstrip(b"\r\n")


@dataclass(frozen=True, slots=True)
class ProtectedView(ViewThrough):
    """A view of an input of which some regions stay; `regions` are those of each file in order."""

    regions: dict[str, list[bytes]]

    def portions(
        self, best: Callable[[], bytes], order: PortionOrder[S]
    ) -> Iterator[tuple[S, Portion]]:
        """Yield what to reduce next; candidates that touch a region are not allowed."""
        for stage, portion in self.inner.portions(best, order):
            yield stage, replace(portion, allows=self._allows)

    def _allows(self, text: bytes) -> bool:
        if "" in self.regions:
            return _has(text, self.regions[""])
        files = {one.name: one.content for one in read_bundle(text)}
        return all(_has(files.get(name, b""), some) for name, some in self.regions.items())


def protected_view(
    view: View, text: bytes, ranges: Sequence[LineRange], *, several: bool
) -> ProtectedView:
    """Return a view in which lines stay; raise `ValueError` where there are no such lines."""
    files = {one.name: one.content for one in read_bundle(text)} if several else {"": text}
    regions: dict[str, list[bytes]] = {}
    for one in sorted(ranges, key=lambda lines: lines.first):
        if one.file not in files:
            known = f"of {one.file!r}: there is no such file" if one.file else "of which file?"
            raise ValueError(f"lines {one.first}-{one.last} {known}")
        regions.setdefault(one.file, []).append(one.region(files[one.file]))
    return ProtectedView(view, regions)


def _has(text: bytes, regions: Sequence[bytes]) -> bool:
    """Whether regions occur in a text as whole lines, one after the other."""
    at = 0
    for region in regions:
        while True:
            start = text.find(region, at)
            if start < 0:
                return False
            at = start + len(region)
            begins = start == 0 or text[start - 1 : start] in (b"\n", b"\r")
            if begins and text[at : at + 1] in (b"", b"\n", b"\r"):
                break
            at = start + 1
    return True
