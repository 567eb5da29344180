"""A set of files with the trees of its files: for what goes from several files at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from marrow.syntax.bundle import make_bundle, read_bundle
from marrow.syntax.file_set_front_end import FilesFrontEnd
from marrow.syntax.front_end import FrontEnd
from marrow.syntax.outliner import Outliner
from marrow.tree import Tree

# How many trees and lists of names are kept. Most files stay as they are from one candidate to the
# next.
_KEPT: Final = 256

# Larger sets are not parsed as a whole: that would take gigabytes.
_LARGEST: Final = 4_000_000


class MentionsFrontEnd(FilesFrontEnd):
    """Sees a set of files as its files, and each of them as a tree too."""

    def __init__(self, front_of: Callable[[str], FrontEnd]) -> None:
        """`front_of` gives the front end that sees every token of a file."""
        # Fresh ones: what they learn from these texts is not what the file's own learns.
        self._front_of: Final = lru_cache(maxsize=None)(lambda name: front_of(name).fresh())
        self._tree: Final = lru_cache(maxsize=_KEPT)(self._parsed)
        self._names: Final = lru_cache(maxsize=_KEPT)(_declared)

    def trees(self, text: bytes) -> Mapping[str, Tree]:
        """Return the tree of each file of a language by its name; none of a very large set."""
        if len(text) > _LARGEST:
            return {}
        files = ((one.name, one.content) for one in read_bundle(text) if one.regular)
        return {
            name: self._tree(name, content)
            for name, content in files
            if self._front_of(name).has_syntax
        }

    def declared(self, text: bytes) -> Mapping[str, frozenset[bytes]]:
        """Return the names that each file declares for others."""
        files = ((one.name, one.content) for one in read_bundle(text) if one.regular)
        return {name: self._names(self._front_of(name).name, content) for name, content in files}

    def with_contents(self, text: bytes, contents: Mapping[str, bytes | None]) -> Tree:
        """Return the set with other contents of some files; None deletes a file."""
        entries = []
        for entry in read_bundle(text):
            content = contents.get(entry.name, entry.content)
            if content is not None:
                entries.append(replace(entry, content=content))
        return self.parse(make_bundle(entries))

    def _parsed(self, name: str, content: bytes) -> Tree:
        return self._front_of(name).parse(content)


def _declared(language: str, content: bytes) -> frozenset[bytes]:
    """Return the names of the outermost declarations of a file."""
    try:
        outline = Outliner(language).outline(content) if content else None
    except LookupError:
        return frozenset()
    elements = () if outline is None else outline.elements
    outer = (one for one in elements if one.owner < 0 or elements[one.owner].scope)
    return frozenset().union(*(one.declares for one in outer))
