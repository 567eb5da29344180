"""Trees of texts that were parsed lately: looking ahead comes by the same ones again and again.

Two orders of the same steps lead to the same text, a pass that was tried ahead comes true, a pass
comes back to a text that others could do nothing about. The tree is then the same object, so that
what was found out about it (`marrow.tree.facts`) is known too.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from marrow.tree import Tree

# The length of all texts together that are kept, in bytes. A tree takes about 130 times the length
# of its text, so that this is some 33 MB (twice for a pipeline, which keeps them as parsed and as
# prepared): ten trees of 5,000 tokens, or a thousand of the size that results have.
_MOST_BYTES: Final = 256 * 1024


class ParseCache:
    """A way to turn texts into trees that remembers the trees it made last.

    To be used where the tree follows from the text alone.
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
