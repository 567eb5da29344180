"""The index of names: which names a tree mentions, where, and what introduces them.

It knows no language. A name is introduced where it is mentioned first: where it is declared, in
languages in which declarations come first, and for local names in most others.

Which tokens are names is the language's matter (`NameSpelling`). Tokens with the same text are one
name, whichever kinds they have: a Java class is an `identifier` where it is declared and a
`type_identifier` where it is used.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from marrow.tree.find import walk_from
from marrow.tree.name_spelling import ANY_SPELLING, QUOTES, NameSpelling, is_name, is_word, quote_of
from marrow.tree.node import FOREIGN, Node, Token, tokens_of
from marrow.tree.place import ROOT, Place
from marrow.tree.tree import Tree
from marrow.tree.tree_cache import kept


class Span(NamedTuple):
    """How often a name is mentioned, and the serial numbers of its first and last mention."""

    times: int
    first: int
    last: int


class NameIndex:
    """The names of a tree. Every part of the index is computed when first used."""

    def __init__(self, root: Node, spelling: NameSpelling = ANY_SPELLING) -> None:
        self._root: Final = root
        self._spelling: Final = spelling

    # -- by serial numbers, in the order of the input ---------------------------------------------

    @cached_property
    def spans(self) -> Mapping[bytes, Span]:
        """The span of every name, of whatever kind; tokens that are not of the input do not count.

        This takes one walk over the tokens, without places.
        """
        found: dict[bytes, Span] = {}
        spelling = self._spelling
        for token in tokens_of((self._root,)):
            if token.serial != FOREIGN and is_name(token) and spelling.plain(token):
                times, first, last = found.get(token.text, (0, token.serial, token.serial))
                found[token.text] = Span(
                    times + 1, min(first, token.serial), max(last, token.serial)
                )
        return found

    def used_behind(self, node: Node) -> bool:
        """Whether a name that is mentioned first in a node is mentioned after it too."""
        first, last = node.first, node.last
        if first is None or last is None:
            return False
        return self._introductions.used_behind(first.serial, last.serial)

    def introduced_in(self, node: Node) -> frozenset[bytes]:
        """Return the names that are mentioned first in a node."""
        first, last = node.first, node.last
        if first is None or last is None:
            return frozenset()
        return self._introductions.inside(first.serial, last.serial)

    @cached_property
    def _introductions(self) -> Introductions:
        return Introductions({name: span[1:] for name, span in self.spans.items()})

    # -- by places, in the order of the text ------------------------------------------------------

    @property
    def places(self) -> Mapping[bytes, tuple[Place, ...]]:
        """Where each name of a kind of identifiers is; names and places in textual order."""
        return self._identifiers[0]

    @property
    def kinds(self) -> Mapping[bytes, frozenset[str]]:
        """The kinds of identifiers that each name has."""
        return self._identifiers[1]

    @cached_property
    def _identifiers(self) -> tuple[dict[bytes, tuple[Place, ...]], dict[bytes, frozenset[str]]]:
        named = self._spelling.names(tokens_of((self._root,)))
        places: dict[bytes, list[Place]] = {}
        kinds: dict[bytes, set[str]] = {}
        for place, node in walk_from(ROOT, self._root):
            if not isinstance(node, Token) or (node.symbol, node.text) not in named:
                continue
            if is_word(node) or node.text in self._spelling.soft:
                places.setdefault(node.text, []).append(place)
                kinds.setdefault(node.text, set()).add(node.symbol)
        return (
            {name: tuple(some) for name, some in places.items()},
            {name: frozenset(some) for name, some in kinds.items()},
        )

    @cached_property
    def quoted(self) -> Mapping[bytes, tuple[Place, ...]]:
        """Where a string says a name, alone or at the end of a path: `import "net/http"`."""
        found: dict[bytes, tuple[Place, ...]] = {}
        for place, node in walk_from(ROOT, self._root):
            if isinstance(node, Token) and node.text.endswith(QUOTES):
                opening, closing = quote_of(node.text)
                inside = node.text[opening : len(node.text) - closing].rpartition(b"/")[2]
                if opening:
                    found[inside] = (*found.get(inside, ()), place)
        return found

    def mentions(self, name: bytes) -> tuple[Place, ...]:
        """Return where a name is mentioned, and where a string says it."""
        return self.places.get(name, ()) + self.quoted.get(name, ())

    def mentioned_below(self, place: Place) -> Sequence[tuple[Place, bytes]]:
        """Return the mentions at and below a place, with what they mention."""
        return self._below.get(place, ())

    @cached_property
    def _below(self) -> dict[Place, list[tuple[Place, bytes]]]:
        found: dict[Place, list[tuple[Place, bytes]]] = {}
        for name in self.places:
            for place in self.mentions(name):
                for step in place.upwards():
                    found.setdefault(step, []).append((place, name))
        return found


@kept
def names_of(tree: Tree) -> NameIndex:
    """Return the index of the names of a tree."""
    return NameIndex(tree.root, tree.spelling)


class Introductions:
    """The names of a text by where they are introduced."""

    def __init__(self, spans: Mapping[bytes, tuple[int, int]]) -> None:
        """`spans` has the positions of the first and the last mention of each name."""
        ordered = sorted((*span, name) for name, span in spans.items())
        self._names: Final = [name for _, _, name in ordered]
        self._firsts: Final = [first for first, _, _ in ordered]
        self._lasts: Final = [last for _, last, _ in ordered]

    def inside(self, first: int, last: int) -> frozenset[bytes]:
        """Return the names that are introduced from one position to another, both included."""
        return frozenset(self._names[slice(*self._range(first, last))])

    def used_behind(self, first: int, last: int) -> bool:
        """Return whether a name that is introduced there is mentioned after it too."""
        start, end = self._range(first, last)
        return start < end and max(self._lasts[start:end]) > last

    def _range(self, first: int, last: int) -> tuple[int, int]:
        return bisect_left(self._firsts, first), bisect_right(self._firsts, last)
