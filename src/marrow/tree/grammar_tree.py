"""A text by the rules of its grammar as their author wrote them, for algorithms that ask for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from marrow.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class TreeAsWritten:
    """The tree, and the shortest text of every rule and token, as the texts of its tokens.

    `matches` says whether a text matches the grammar: in this form an edit need not keep that.
    """

    tree: Tree
    minimal: Mapping[str, tuple[bytes, ...]]
    matches: Callable[[bytes], bool]
