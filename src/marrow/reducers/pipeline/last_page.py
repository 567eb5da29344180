"""The last page of a large text, which is likely to be the user's own, and where it is now.

Stages on the whole text move it, and those on the page shorten it. Each stage of a large text says
how to find the page again: by a function here of the state and the text before the stage.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from marrow.syntax.views import FileView

#: A round on a large text is repeated if it left at most this share of the bytes; and the text is
#: sliced again within a round if that much is left of its last page.
PAYS: Final = 0.9

_WORD: Final = re.compile(rb"\w+|[^\w\s]")


@dataclass(slots=True)
class LargeText:
    """How far the reduction of a large text has come.

    `page` is how many bytes its last page has, `start` where that begins, `page_then` how many it
    had when the text was last sliced. `statements_known`: the output of the test pointed to
    statements of the page, and the rest of the page could go.
    """

    portions: FileView
    best: Callable[[], bytes]
    page: int
    start: int | None
    page_then: int = 0
    statements_known: bool = False

    @property
    def has_page(self) -> bool:
        """Whether it is known where the page begins."""
        return self.start is not None

    @property
    def unsliced(self) -> bool:
        """Whether there is a page of which nobody knows the statements that matter."""
        return self.has_page and not self.statements_known

    @property
    def shorter(self) -> bool:
        """Whether so much of the page was deleted that the rest may depend on less."""
        return self.has_page and self.page <= PAYS * self.page_then


def as_it_was(at: LargeText, _: bytes) -> int | None:
    """Leave that to the slices, which come next."""
    return at.start


def only_page_changed(at: LargeText, _: bytes) -> int | None:
    """Note how long the page is now."""
    at.page = len(at.best()) - (at.start or 0)
    return at.start


def statements_sliced(at: LargeText, before: bytes) -> int | None:
    """The same; if the page has changed, the statements that matter are known."""
    at.statements_known = len(at.best()) < len(before)
    return only_page_changed(at, before)


def by_length(at: LargeText, _: bytes) -> int:
    """Only text before the page has changed."""
    return len(at.best()) - at.page


def by_outline(at: LargeText, _: bytes) -> int | None:
    """Take the declarations that begin in the last bytes."""
    start = at.portions.page_start(at.best(), at.page)
    at.page_then = 0 if start is None else len(at.best()) - start
    return start


def by_words(at: LargeText, before: bytes) -> int | None:
    """Match the words of the page as it was, from the end up: parts of it may be deleted."""
    text, words = at.best(), _WORD.findall(before, at.start or 0)
    start, longest = len(text), len(before) - (at.start or 0)
    for found in reversed(list(_WORD.finditer(text, max(0, len(text) - longest)))):
        while words and words[-1] != found[0]:
            words.pop()
        if not words:
            break
        words.pop()
        start = found.start()
    return start
