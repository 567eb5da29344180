"""Front ends turn text into trees, and say what may stand in a slot and what is valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Protocol

from marrow.syntax.compact_text import Reading, compact_text, joined_tokens
from marrow.tree import Node, Tree


class Validity(Protocol):
    """Says in memory, without a test, whether a candidate is still valid in its language."""

    def rebase(self, tree: Tree) -> None:
        """Tell which tree the next candidates are made from."""

    def valid(self, tree: Tree) -> bool:
        """Whether a candidate has no more syntax errors than the input had."""

    def copy(self) -> Validity:
        """Return the same judge, to tell it of another tree without changing this one."""


class FrontEnd(Protocol):
    """A way to see a text as a tree.

    Front ends inherit from this class. The defaults are those of a text without syntax: every
    candidate is valid, nothing is learned, and no node takes the place of another.
    """

    #: Whether candidates are valid by construction: then nothing else checks them.
    exact: ClassVar[bool] = True
    #: Whether the text has names and literals, which passes can work on.
    has_syntax: ClassVar[bool] = False
    #: Whether the next round may be speculated into: its `fresh` front end judges candidates alike.
    restarts: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The language, or what stands for it: `c`, `python`, `lines`, `bytes`."""

    @property
    def description(self) -> str:
        """The same for people, in a few words."""

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree. Never fails: what does not parse becomes lists of its parts."""

    @property
    def pieces(self) -> int:
        """Into how many pieces a coarse front end cuts a large text; 0 if it sees every token."""
        return 0

    def coarse_view(self, text: bytes, pieces: int) -> Tree | None:
        """Return a text as a tree of about so many pieces; None if it is to be seen as it is."""
        del text, pieces
        return None

    def fresh(self) -> FrontEnd:
        """Return the same front end without what it learned from the texts it has seen."""
        return self

    def fallbacks(self, text: bytes) -> tuple[FrontEnd, ...]:
        """Return the front ends that see what this one cannot see in a text."""
        del text
        return ()

    def validity(self) -> Validity | None:
        """Return a judge of candidates; None where all of them are valid."""
        return None

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether a node may stand in a slot, as far as the front end knows."""
        del slot, node
        return False

    def minimal(self, name: str, node: Node) -> Node | None:
        """Return the shortest node of a slot or symbol of `node`, if the front end knows one."""
        del name, node
        return None

    def readings(self, text: bytes) -> Iterator[Reading]:
        """Yield what must be the same in two texts that mean the same, the cheapest first."""
        yield joined_tokens((token.text, token.glue) for token in self.parse(text).tokens())

    def compact(self, tree: Tree) -> bytes:
        """Return the text of a tree in the shortest layout that is read as the same."""
        return compact_text(self.readings, tree)
