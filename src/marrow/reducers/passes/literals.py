"""Shorten literals: numbers to 0, 1 or fewer digits, strings to nothing or fewer characters.

Numbers: all to 0 by ddmin, then one by one to 1, without prefix and suffix, with half of the
digits, with one digit less. Other tokens with many possible texts (strings, characters, header
names): empty, then ddmin on the characters between the quotes. Guarantee: no single character of a
string can go. Worst case: ddmin's over the characters of every string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from marrow.reducers.ddmin import Configuration, ddmin
from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.stream import Done, Reducer, Stream
from marrow.reducers.sweep import sweep
from marrow.tree import Place, Retext, Token, Tree
from marrow.tree.name_spelling import may_be_name
from marrow.tree.order import smaller_text
from marrow.tree.token_spelling import is_name, is_number, quote_of

_DIGITS: Final = re.compile(rb"[0-9]+")

# One character of a string, as languages count: an escape or a UTF-8 sequence is one.
_CHARACTER: Final = re.compile(
    rb"\\(?:x[0-9a-fA-F]+|u\{?[0-9a-fA-F]+\}?|[0-7]{1,3}|.)|[\xc0-\xff][\x80-\xbf]*|.", re.DOTALL
)


def numbers(_: PassContext) -> Reducer:
    """Return the pass that makes numbers smaller."""

    def run(tree: Tree, done: Done) -> Stream | None:
        places = tuple(
            place
            for place, node in tree.walk()
            if isinstance(node, Token) and is_number(node) and smaller_text(b"0", node.text)
        )
        if not places:
            return done(tree)
        configuration = Configuration(tree, places, _zero, phase="shortening numbers")
        return ddmin(
            configuration,
            lambda left: sweep(left.tree, left.elements, _numbers, done, "shortening numbers"),
        )

    return run


def _zero(tree: Tree, places: Sequence[Place], _: Sequence[Place]) -> Tree:
    return tree.edit(Retext(place, b"0") for place in places)


def _numbers(tree: Tree, place: Place) -> Iterator[Tree]:
    token = tree.at(place)
    if not isinstance(token, Token):
        return
    text = token.text
    found = max(_DIGITS.findall(text), key=len, default=b"")
    texts = [b"1", found, found[: len(found) // 2], found[:-1], text[:-1], text[1:]]
    for shorter in dict.fromkeys(texts):
        if shorter and smaller_text(shorter, text):
            yield tree.retext(place, shorter)


def strings(context: PassContext) -> Reducer:
    """Return the pass that makes strings, and other tokens with contents, shorter."""

    def run(tree: Tree, done: Done) -> Stream | None:
        places = [
            place
            for place, node in tree.walk()
            if isinstance(node, Token) and _long(node) and not kept(node)
        ]
        return _next(tuple(places), done, tree)

    def kept(token: Token) -> bool:
        # What this pass takes for text may be a name: `compute-total`, `x.y`, `f'`.
        return context.options.keep_names and may_be_name(token)

    return run


def _long(token: Token) -> bool:
    """Whether there is something inside a token that could go."""
    if token.symbol.encode() == token.text or is_name(token) or is_number(token):
        return False
    return len(_inside(token.text)) > 0


def _inside(text: bytes) -> bytes:
    opening, closing = quote_of(text)
    return text[opening : len(text) - closing]


def _next(places: tuple[Place, ...], done: Done, tree: Tree) -> Stream | None:
    """Shorten the first of the tokens, then the others."""
    for index, place in enumerate(places):
        token = tree.at(place)
        if isinstance(token, Token):
            return _shorten(place, token, places[index + 1 :], done, tree)
    return done(tree)


def _shorten(
    place: Place, token: Token, rest: tuple[Place, ...], done: Done, tree: Tree
) -> Stream | None:
    """Shorten a token by ddmin on its characters: those that stay make the new text."""
    text = token.text
    opening, closing = quote_of(text)
    first, last = text[:opening], text[len(text) - closing :]

    def only(tree: Tree, _: Sequence[bytes], kept: Sequence[bytes]) -> Tree:
        return tree.retext(place, first + b"".join(kept) + last)

    characters = tuple(_CHARACTER.findall(_inside(text)))
    configuration = Configuration(tree, characters, only, 0 if opening else 1, "shortening strings")
    return ddmin(configuration, lambda result: _next(rest, done, result.tree))
