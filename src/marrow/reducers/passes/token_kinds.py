"""What a token is, by its kind and spelling alone: a name, a number, a string; no language known.

A *kind* is a token's symbol. A kind whose tokens are all spelt like names is a kind of identifiers;
a keyword is its own kind (its symbol is its text) and so is none. Tokens with the same text are one
name, whichever kinds of identifier they have: a Java class is an `identifier` where it is declared
and a `type_identifier` where it is used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from marrow.tree import ROOT, Place, Token, Tree
from marrow.tree.token_spelling import is_name

_NUMBER: Final = re.compile(rb"[-+]?\.?[0-9]")

#: How strings begin and end in most languages.
QUOTES: Final = (b'"""', b"'''", b'"', b"'", b"`")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a tree: where each stands, in the order of the text."""

    places: dict[bytes, tuple[Place, ...]]
    kinds: dict[bytes, frozenset[str]]


@lru_cache(maxsize=4)  # a pass asks again and again about the tree it works on, and the next
def names_of(tree: Tree) -> Names:
    """Find the names of a tree."""
    found: dict[str, list[tuple[Place, Token]]] = {}
    others: set[str] = set()
    for place, node in tree.walk():
        if not isinstance(node, Token):
            continue
        if is_name(node):
            found.setdefault(node.symbol, []).append((place, node))
        else:
            others.add(node.symbol)
    mentions = [
        (token.text, token.symbol, place)
        for kind, tokens in found.items()
        if kind not in others
        for place, token in tokens
    ]
    places: dict[bytes, list[Place]] = {}
    kinds: dict[bytes, set[str]] = {}
    for text, kind, place in mentions:
        places.setdefault(text, []).append(place)
        kinds.setdefault(text, set()).add(kind)
    in_order = {text: tuple(sorted(some, key=Place.path)) for text, some in places.items()}
    order = sorted(in_order, key=lambda text: in_order[text][0].path())
    return Names(
        {text: in_order[text] for text in order},
        {text: frozenset(some) for text, some in kinds.items()},
    )


class Mentions:
    """Where the names of a tree are mentioned, by the nodes above; a string may say a name too."""

    def __init__(self, tree: Tree) -> None:
        self._places: Final = {
            name: places + quoted(tree, name) for name, places in names_of(tree).places.items()
        }
        self._below: Final[dict[Place, list[tuple[Place, bytes]]]] = {}
        for name, places in self._places.items():
            for place in places:
                step: Place | None = place
                while step is not None:
                    self._below.setdefault(step, []).append((place, name))
                    step = step.parent

    def below(self, place: Place) -> list[tuple[Place, bytes]]:
        """Return the mentions at and below a place, with what they mention."""
        return self._below.get(place, [])

    def inside(self, name: bytes, scope: Place) -> list[Place]:
        """Return where a name is mentioned at or below a place."""
        if scope == ROOT:
            return list(self._places[name])
        return [place for place, other in self.below(scope) if other == name]


@lru_cache(maxsize=2)  # a pass asks again and again about the tree it works on
def mentions_of(tree: Tree) -> Mentions:
    """Find the mentions of the names of a tree."""
    return Mentions(tree)


def quoted(tree: Tree, name: bytes) -> tuple[Place, ...]:
    """Return where a string says a name, alone or at the end of a path: `import "net/http"`."""
    return _quoted(tree).get(name, ())


@lru_cache(maxsize=4)
def _quoted(tree: Tree) -> dict[bytes, tuple[Place, ...]]:
    found: dict[bytes, tuple[Place, ...]] = {}
    for place, node in tree.walk():
        if isinstance(node, Token) and node.text.endswith(QUOTES):
            opening, closing = quote_of(node.text)
            inside = node.text[opening : len(node.text) - closing].rpartition(b"/")[2]
            if opening:
                found[inside] = (*found.get(inside, ()), place)
    return found


def is_number(token: Token) -> bool:
    """Whether a token is spelt like a number."""
    return token.symbol.encode() != token.text and _NUMBER.match(token.text) is not None


def quote_of(text: bytes) -> tuple[int, int]:
    """Return how long the marks are that a string begins and ends with; (0, 0) for no string.

    Letters in front of the first mark belong to it (`b"..."`, `L"..."`).
    """
    start = len(text) - len(text.lstrip(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#"))
    for mark in QUOTES:
        if text[start:].startswith(mark) and len(text) >= start + 2 * len(mark):
            end = text.rfind(mark)
            if end >= start + len(mark):
                return start + len(mark), len(text) - end
    return 0, 0
