"""What every front end offers: text to tree, what may stand in a slot, and what is valid."""

from __future__ import annotations

from typing import Protocol

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
    """A way to see a text as a tree."""

    @property
    def name(self) -> str:
        """The language, or what stands for it: `c`, `python`, `lines`, `bytes`."""

    @property
    def description(self) -> str:
        """The same for people, in a few words."""

    def parse(self, text: bytes) -> Tree:
        """Turn a text into a tree. Never fails: what does not parse becomes lists of its parts."""

    def fresh(self) -> FrontEnd:
        """Return the same front end without what it learned from the texts it has seen."""

    def validity(self) -> Validity | None:
        """Return a judge of candidates; None where every candidate is valid by construction."""

    @property
    def exact(self) -> bool:
        """Whether candidates are valid by construction: then `validity` is None."""

    def accepts(self, slot: str, node: Node) -> bool:
        """Whether a node may stand in a slot, as far as the front end knows."""

    def minimal(self, name: str, node: Node) -> Node | None:
        """Return the shortest node of a slot or symbol of `node`, if the front end knows one."""
