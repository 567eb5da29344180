"""A cache of parsed trees: look-ahead revisits the same texts.

Two orders of the same steps lead to the same text; a pass that was tried ahead comes true; a pass
returns to a text that no other pass could change. The tree is then the same object, with the facts
that are kept with it (`marrow.tree.facts`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from marrow.tree import Tree

# The total length of the cached texts, in bytes. A tree takes about 130 times the length of its
# text, so this is some 33 MB (twice that in a pipeline, which caches trees as parsed and as
# prepared): ten trees of 5,000 tokens, or a thousand of the size of results.
_MOST_BYTES: Final = 256 * 1024


class ParseCache:
    """Turns texts into trees and remembers the last ones.

    The tree must depend on the text alone.
    """

    def __init__(self, make: Callable[[bytes], Tree]) -> None:
        self._make: Final = make
        self._trees: Final[OrderedDict[bytes, Tree]] = OrderedDict()
        self._bytes = 0

    def __call__(self, text: bytes) -> Tree:
        """Return the tree of a text."""
        tree = self._trees.get(text)
        if tree is not None:
            self._trees.move_to_end(text)
            return tree
        tree = self._make(text)
        if len(text) <= _MOST_BYTES:
            self._trees[text] = tree
            self._bytes += len(text)
            while self._bytes > _MOST_BYTES:
                oldest, _ = self._trees.popitem(last=False)
                self._bytes -= len(oldest)
        return tree
