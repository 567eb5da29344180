"""A view of an input through another one: what it says of the input, unless told otherwise."""

from __future__ import annotations

from dataclasses import dataclass

from marrow.syntax.portion import Parse
from marrow.syntax.views import View


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
