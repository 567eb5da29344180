"""A number in the head of a text that says how many bytes follow a blank line, as in HTTP."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from marrow.reducers.relations.word_lines import written

_BLANK: Final = re.compile(rb"\r?\n\r?\n")
_NUMBER: Final = re.compile(rb"(?<![\w.-])\d+(?![\w.-])")

# Shorter bodies are left to plain deletion.
_SHORTEST: Final = 4


@dataclass(frozen=True, eq=False)
class Body:
    """A text with a head, a number in it, and a body that has this number of bytes."""

    head: bytes
    start: int
    end: int
    body: bytes

    @cached_property
    def text(self) -> bytes:
        """The text."""
        number = written(len(self.body), self.head[self.start : self.end])
        return self.head[: self.start] + number + self.head[self.end :] + self.body

    def keep(self, kept: Sequence[int]) -> Body:
        """Keep some bytes."""
        return replace(self, body=bytes(self.body[at] for at in kept))


def body_of(text: bytes) -> Body | None:
    """Find the body whose length is said before it."""
    blank = _BLANK.search(text)
    if blank is None:
        return None
    head, body = text[: blank.end()], text[blank.end() :]
    for found in _NUMBER.finditer(head):
        if len(body) >= _SHORTEST and found[0] == b"%d" % len(body):
            return Body(head, found.start(), found.end(), body)
    return None
