"""Outlines: the far view of a large text, as its declarations and the names in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from marrow.tree.place import Place
from marrow.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Element:
    """A declaration, or what else stands in a list: where, in which other element, what it names.

    `mentions` are the words of its own, without those of the elements in it and of its body, whose
    words are `inside`. `scope`: its names are visible where it stands, as those of a namespace are.
    """

    place: Place
    owner: int
    symbol: str
    declares: frozenset[bytes]
    mentions: frozenset[bytes]
    body: Place | None = None
    inside: frozenset[bytes] = frozenset()
    scope: bool = False
    listed: bool = False
    #: The words by which this is told from others of its name: arguments of a specialisation, or
    #: all of `mentions`.
    keys: frozenset[bytes] = frozenset()
    #: Whether it defines what is declared elsewhere: `void A::f() {}`.
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class DeclarationOutline:
    """The tree of an outline, and its elements in the order of the text."""

    tree: Tree
    elements: tuple[Element, ...]


#: Gives the outline of a text; None if the text is not large.
SeeOutline: TypeAlias = Callable[[bytes], DeclarationOutline | None]
