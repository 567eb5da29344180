"""Texts in UTF-16, as some systems write them: parsed in UTF-8, tried in the encoding they have.

They are known by the mark that they begin with, which stays.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from marrow.syntax.portion import Parse, Portion
from marrow.syntax.view_through import ViewThrough
from marrow.syntax.views import FileView, PortionOrder, S

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
            yield stage, replace(portion, whole=self._widening(portion.whole))

    def wide(self, narrow: bytes) -> bytes:
        """Return a text in UTF-16. Half a character, where bytes go one by one, is none."""
        text = narrow.decode("utf-8", "ignore")
        return self.mark + text.encode(_ENCODINGS[self.mark])

    def _widening(self, whole: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
        return lambda part: self.wide(whole(part))


def as_narrow(text: bytes) -> bytes:
    """Return a text in UTF-16 as UTF-8, and any other one as it is."""
    found = narrowed(text)
    return text if found is None else found
