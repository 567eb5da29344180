"""The outline front end: a large text as its declarations, for slices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache
from typing import Final

from marrow.syntax.definition_parts import DefinitionParts
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.masking.masked_parse import MaskedParser
from marrow.syntax.outliner import Outliner
from marrow.tree import Branch, Kind, Tree
from marrow.tree.outline import (
    LINE_MARKER,
    NO_HINTS,
    DeclarationOutline,
    Element,
    OutputHints,
    TextPart,
    as_one_piece,
)

# Texts of this many bytes are outlined. People seldom write larger files; most of such a text is
# not the user's own. A shorter one is reduced as fast in other ways.
LARGE: Final = 250_000

# Larger texts are data, as a rule, and their outlines would take gigabytes.
_LARGEST: Final = 1 << 24

# How many outlines are kept: that of the text as it is, and that of the one it was made from.
_KEPT: Final = 2

#: A line that occurs more often points to nothing.
ALIKE: Final = 3

# Once outlined, a text is seen so until the parser sees no more nodes than this in it, some 2,000
# tokens.
_LEAST_NODES: Final = 3_000


class OutlineFrontEnd(FrontEnd):
    """Sees large texts of one language as their declarations; the tree of any other is empty.

    Candidates are not parsed in memory before they are tested: whole declarations go, and on a
    large text a parse takes longer than a compiler needs to refuse it.
    """

    def __init__(
        self,
        language: str,
        large: int = LARGE,
        page: int = 0,
        hints: OutputHints = NO_HINTS,
        *,
        deep: bool = False,
    ) -> None:
        """A text of `large` bytes is large; its last `page` bytes are likely to be the user's own.

        `hints` is what the output of the test says. A `deep` one sees statements too, in texts of
        any length.
        """
        self.name = f"{language} in outline"
        self.description = f"{self.name}, parsed by tree-sitter"
        self.outlined = language
        self._large = large
        #: How many bytes the last page has.
        self.page_length = page
        self._hints = hints
        sees = MaskedParser(language, as_first=True)
        outliner, least = Outliner(language, sees, deep=deep), 0 if deep else _LEAST_NODES
        self._bare: Final = lru_cache(maxsize=_KEPT)(
            lambda text, page: outliner.outline(text, least, page)
        )
        self._seen = lru_cache(maxsize=_KEPT)(self._outline)
        self._parts: Final = DefinitionParts(language, sees)

    def definition_parts(self, text: bytes) -> tuple[TextPart, ...]:
        """Return the parts of the definitions in a text that declarations do without."""
        return self._parts.parts(text)

    def _outline(self, text: bytes) -> DeclarationOutline | None:
        outline = self._bare(text, self.page_length)
        if outline is None:
            return None
        starts = (at for at in outline.starts if len(text) - at <= self.page_length)
        pointed = _pointed(outline.elements, text, self._hints.lines)
        return replace(outline, pointed=pointed, page=next(starts, None), usual=self._hints.usual)

    def outline(self, text: bytes) -> DeclarationOutline | None:
        """Return the outline of what is left of a large text; None if that is small by now."""
        return self._seen(text)

    def parse(self, text: bytes) -> Tree:
        """Turn a text into the tree of its outline; without any node if it is not large."""
        outline = self.outline(text) if self._large <= len(text) < _LARGEST else None
        return Tree(Branch(Kind.STAR, "near", ()), text) if outline is None else outline.tree

    def with_hints(self, hints: OutputHints) -> OutlineFrontEnd:
        """Return the front end that knows what the output of the test says."""
        return self._changed(self._large, self.page_length, hints)

    def of_any_length(self, page: int = 0) -> OutlineFrontEnd:
        """Return the front end for what is left of a large text, with a page of that many bytes."""
        return self._changed(0, page, self._hints)

    def _changed(self, large: int, page: int, hints: OutputHints) -> OutlineFrontEnd:
        """Return a copy that shares what is known of texts without hints."""
        same = copy(self)
        same._large, same.page_length, same._hints = large, page, hints
        same._seen = lru_cache(maxsize=_KEPT)(same._outline)
        return same

    def of_page(self) -> OutlineFrontEnd | None:
        """Return the front end for the last page; None if no output points anywhere."""
        hints = self._hints
        return OutlineFrontEnd(self.outlined, 0, 0, hints, deep=True) if hints.lines else None

    def marked(self, text: bytes) -> bool:
        """Whether a text is large, and a preprocessor's output with line markers.

        A single one at the top only says how to take the text.
        """
        large = self._large <= len(text) < _LARGEST
        return large and LINE_MARKER.search(text, 1) is not None


class OnePieceFrontEnd(FrontEnd):
    """Sees a text as one piece, without a parser: for taking line markers out of it."""

    has_syntax = True

    def __init__(self, language: str) -> None:
        self.name = self.description = f"{language} with line markers"

    def parse(self, text: bytes) -> Tree:
        """Return a text as it is."""
        return as_one_piece(text)


def _pointed(elements: Sequence[Element], text: bytes, lines: Sequence[bytes]) -> frozenset[int]:
    """Return the innermost elements at some lines of a text, where a line has not many."""
    found: set[int] = set()
    for line in lines:
        # Its end counts: others may come before it, which distinguish it from lines like it.
        ends = [at + len(line) - 1 for at in _occurrences(text, line)]
        inside = [_innermost(elements, at) for at in ends]
        if len(inside) <= ALIKE:
            found.update(one for one in inside if one is not None)
    return frozenset(found)


def _occurrences(text: bytes, line: bytes) -> Iterator[int]:
    """Yield where a line begins, up to one more than may be."""
    at = -1
    for _ in range(ALIKE + 1):
        at = text.find(line, at + 1)
        if at < 0:
            return
        yield at


def _innermost(elements: Sequence[Element], at: int) -> int | None:
    """Return the innermost element at an offset: the last one, in textual order."""
    found = None
    for index, element in enumerate(elements):
        if element.start > at:
            break
        if at < element.end:
            found = index
    return found
