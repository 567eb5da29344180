"""A tree as its tokens, with brackets, lists and names; and changes of tokens.

A coupled edit is seldom one node: a namespace with its qualifiers, a parameter with the arguments
of all calls. So these edits change tokens, and the parser says whether the result is valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from marrow.tree import Branch, Kind, Token, Tree
from marrow.tree.name_spelling import is_name
from marrow.tree.tree_cache import kept

#: What becomes of tokens, by their numbers: the texts in their place; none if they go.
TokenChanges: TypeAlias = dict[int, tuple[bytes, ...]]

_CLOSES: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENS: Final = {closing: opening for opening, closing in _CLOSES.items()}
# What never occurs between angle brackets.
_NO_ARGUMENT: Final = frozenset({b";", b"{", b"}", b")", b"]"})
_ANGLES: Final = {b"<": 1, b">": -1, b">>": -2}

#: What ends a statement or a declaration, or begins its body.
ENDS: Final = frozenset({b";", b"{", b"}"})


@dataclass(frozen=True)
class TokenText:
    """The tokens of a tree."""

    tokens: Sequence[Token]

    @cached_property
    def texts(self) -> list[bytes]:
        """Their texts."""
        return [token.text for token in self.tokens]

    @cached_property
    def named(self) -> list[bool]:
        """Which of them are names."""
        return [is_name(token) for token in self.tokens]

    @cached_property
    def mentions(self) -> dict[bytes, list[int]]:
        """Where each name occurs."""
        found: dict[bytes, list[int]] = {}
        for at, name in enumerate(self.named):
            if name:
                found.setdefault(self.texts[at], []).append(at)
        return found

    @cached_property
    def partners(self) -> dict[int, int]:
        """The other bracket of each that has one; angle brackets are not among them."""
        found: dict[int, int] = {}
        opened: list[int] = []
        for at, text in enumerate(self.texts):
            if text in _CLOSES:
                opened.append(at)
            elif text in _OPENS and opened and self.texts[opened[-1]] == _OPENS[text]:
                found[at] = opened.pop()
                found[found[at]] = at
        return found

    @cached_property
    def positions(self) -> dict[bytes, list[int]]:
        """Where each text occurs."""
        found: dict[bytes, list[int]] = {}
        for at, text in enumerate(self.texts):
            found.setdefault(text, []).append(at)
        return found

    @cached_property
    def statement_starts(self) -> list[int]:
        """The tokens that begin a statement or a declaration."""
        before = (b"", *self.texts)
        return [at for at in range(len(self.texts)) if not at or before[at] in ENDS]

    def balanced_ends(self, at: int, barred: frozenset[bytes]) -> Iterator[int]:
        """Yield where runs from a token may end, brackets balanced, the shortest first.

        No run goes past one of the barred texts.
        """
        while at < len(self.texts):
            yield at
            text = self.texts[at]
            if text in barred or text in _OPENS or (text in _CLOSES and at not in self.partners):
                return
            at = self.partners.get(at, at) + 1
        yield at

    def line_end(self, at: int) -> int:
        """Return where the rest of a statement on one line ends, without a semicolon."""
        here = at
        while here < len(self.texts) and self.texts[here] not in ENDS:
            if b"\n" in self.tokens[here].before:
                break
            here = self.partners[here] if self.partners.get(here, 0) > here else here
            here += 1
        return here

    def text(self, at: int) -> bytes:
        """Return the text of a token; nothing beyond the first and the last."""
        return self.texts[at] if 0 <= at < len(self.texts) else b""

    def end_of(self, at: int) -> int | None:
        """Return where the bracket is closed that a token opens; angle brackets count."""
        if self.text(at) != b"<":
            return self.partners.get(at) if self.text(at) in _CLOSES else None
        depth, here = 0, at
        while here < len(self.texts):
            text = self.texts[here]
            if text in _NO_ARGUMENT:
                return None
            if text in _CLOSES:
                closed = self.partners.get(here)
                if closed is None:
                    return None
                here = closed
            depth += _ANGLES.get(text, 0)
            if depth <= 0:
                return here if depth == 0 else None
            here += 1
        return None

    def listed(self, start: int, end: int) -> list[range]:
        """Return the elements between two brackets, without the commas."""
        found: list[range] = []
        at = first = start + 1
        depth = 0
        while at < end:
            text = self.texts[at]
            if text in _CLOSES:
                at = self.partners.get(at, at)
            depth += _ANGLES.get(text, 0) if self.texts[start] == b"<" else 0
            if text == b"," and depth <= 0:
                found.append(range(first, at))
                first = at + 1
            at += 1
        if first < end:
            found.append(range(first, end))
        return found

    def without_element(self, start: int, end: int, position: int) -> set[int]:
        """Return what goes with an element of a list in brackets: its tokens and a comma."""
        elements = self.listed(start, end)
        gone = set(elements[position])
        if position:
            gone.add(elements[position].start - 1)
        elif len(elements) > 1:
            gone.add(elements[position].stop)
        return gone

    def head(self, at: int) -> int:
        """Return where the statement or declaration begins that a token belongs to."""
        here = at - 1
        while here >= 0:
            text = self.texts[here]
            if text in (b")", b"]") and here in self.partners:
                here = self.partners[here]
            elif text in ENDS or text in _CLOSES:
                return here + 1
            here -= 1
        return 0


@kept
def tokens_in(tree: Tree) -> TokenText:
    """Return a tree as its tokens."""
    return TokenText(list(tree.tokens()))


def changed(tree: Tree, changes: Mapping[int, tuple[bytes, ...]]) -> Tree:
    """Return a flat tree with some tokens changed: enough to render, to count and to parse."""
    found: list[Token] = []
    for at, token in enumerate(tokens_in(tree).tokens):
        new = changes.get(at)
        if new is None:
            found.append(token)
        elif len(new) == 1:
            found.append(token.changed(text=new[0]))
        else:
            found.extend(Token("changed", text, indent=token.indent) for text in new)
    placed = [token.placed(key=key, slot=token.slot) for key, token in enumerate(found)]
    return tree.framed(Branch(Kind.REGULAR, "tokens", placed), tree.head, tree.tail)
