"""A text by the rules of its grammar as their author wrote them, for algorithms that ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from marrow.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeAsWritten:
    """The tree, and the shortest text of every rule and token, as the texts of its tokens."""

    tree: Tree
    minimal: Mapping[str, tuple[bytes, ...]]
