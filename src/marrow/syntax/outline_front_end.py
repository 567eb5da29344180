"""The outline front end: a large text as its declarations, for slices."""

from __future__ import annotations

from copy import copy
from functools import lru_cache
from typing import Final

from marrow.syntax.front_end import FrontEnd
from marrow.syntax.outliner import Outliner
from marrow.syntax.reparse import ReparseValidity
from marrow.tree import Branch, Kind, Tree
from marrow.tree.outline import DeclarationOutline

# Texts of so many bytes are outlined. People seldom write larger files; most of such a text is not
# the user's own. A shorter one is reduced as fast in other ways.
LARGE: Final = 250_000

# Larger texts are data, as a rule, and their outlines would take gigabytes.
_LARGEST: Final = 1 << 24

# How many outlines are kept: that of the text as it is, and that of the one it was made from.
_KEPT: Final = 2

# Once outlined, a text is seen so until the parser sees no more nodes than this in it, some 2,000
# tokens.
_LEAST_NODES: Final = 3_000


class OutlineFrontEnd(FrontEnd):
    """Sees large texts of one language as their declarations; the tree of any other is empty."""

    exact = False

    def __init__(self, language: str, large: int = LARGE) -> None:
        """A text of so many bytes is large."""
        self._language: Final = language
        self._large = large
        outliner = Outliner(language)
        self._seen: Final = lru_cache(maxsize=_KEPT)(
            lambda text: outliner.outline(text, _LEAST_NODES)
        )

    @property
    def name(self) -> str:
        """The language, and how it is seen."""
        return f"{self._language} in outline"

    @property
    def description(self) -> str:
        """The language and who parses it."""
        return f"{self._language} in outline, parsed by tree-sitter"

    @property
    def outlined(self) -> str:
        """The language whose declarations it sees."""
        return self._language

    def outline(self, text: bytes) -> DeclarationOutline | None:
        """Return the outline of what is left of a large text; None if that is small by now."""
        return self._seen(text)

    def parse(self, text: bytes) -> Tree:
        """Turn a text into the tree of its outline; without any node if it is not large."""
        outline = self.outline(text) if self._large <= len(text) < _LARGEST else None
        return Tree(Branch(Kind.STAR, "near", ()), text) if outline is None else outline.tree

    def of_any_length(self) -> OutlineFrontEnd:
        """Return the front end for what is left of a large text."""
        same = copy(self)
        same._large = 0
        return same

    def page(self, text: bytes, length: int) -> int | None:
        """Return where the last declarations of an outlined text begin, about so many bytes."""
        outline = self.outline(text)
        if outline is None:
            return None
        return next((at for at in outline.starts if len(text) - at <= length), None)

    def validity(self) -> ReparseValidity:
        """Return a validity that re-parses candidates in memory."""
        return ReparseValidity(self._language)
