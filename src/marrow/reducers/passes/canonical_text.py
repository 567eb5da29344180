"""The canonical form of a text without syntax: plain words, digits and strings.

Inputs in languages that no parser knows end as a few bytes, each of which is needed. Which letter a
name has, which digits a number and which characters a string is chance all the same. Every step
makes the text shorter, or earlier in the order of texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from marrow.reducers.streams.stream import Done, Reducer, Stream, in_turn
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ChangeText, Delete, Place, Token, Tree

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_DIGITS: Final = re.compile(rb"\d+")
_STRING: Final = re.compile(rb"(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")

_GROUP: Final = re.compile(rb"\[[^][(){}]*\]|\([^][(){}]*\)|\{[^][(){}]*\}|" + _STRING.pattern)

# Of more words, digits or characters only all at once are tried: each of these tests saves nothing
# but chance, and what is left of most inputs has fewer.
_MOST: Final = 16


# Names of at most so many letters are what is left of a name that does not matter.
_SHORT: Final = 2


def canonical_words(*, keep_names: bool) -> Reducer:
    """Return the reducer for a tree of words: plain numbers and strings, names of one letter."""
    return _plain_words if keep_names else in_turn(_plain_words, _short_names)


def _plain_words(tree: Tree, done: Done) -> Stream:
    """Make numbers 0 or 1, and strings empty or a letter."""

    def candidates(tree: Tree, place: Place) -> Iterator[Tree]:
        token = tree.at(place)
        if not isinstance(token, Token):
            return
        plain: tuple[bytes, ...] = ()
        if _DIGITS.match(token.text):
            plain = (b"0", b"1", b"9")
        elif _STRING.fullmatch(token.text):
            quote = token.text[:1]
            plain = (quote * 2, quote + b"a" + quote)
        for one in plain:
            if (len(one), one) < (len(token.text), token.text):
                yield tree.edit([ChangeText(place, one)])

    return sweep(tree, _places(tree), candidates, done, "canonical values")


def _short_names(tree: Tree, done: Done) -> Stream:
    """Give each long name that may be another one a letter that is free."""
    words = [token.text for token in tree.tokens() if _WORD.fullmatch(token.text)]
    long = [one for one in dict.fromkeys(words) if len(one) > _SHORT]
    letters = [bytes([one]) for one in range(ord("a"), ord("z") + 1)]

    def candidates(tree: Tree, name: bytes) -> Iterator[Tree]:
        taken = {token.text for token in tree.tokens()}
        free = next((one for one in letters if one not in taken), None)
        places = [
            place for place, node in tree.walk() if isinstance(node, Token) and node.text == name
        ]
        if free is not None and places:
            yield tree.edit(ChangeText(place, free) for place in places)

    return sweep(tree, long, candidates, done, "canonical names")


def canonical_text(*, keep_names: bool) -> Reducer:
    """Return the reducer for a tree of bytes that are a text."""
    steps = in_turn(_values, _fewer_digits, _digits, _characters)
    return steps if keep_names else in_turn(_words, steps)


def _places(tree: Tree) -> list[Place]:
    """Return the places of all bytes."""
    return [place for place, node in tree.walk() if isinstance(node, Token)]


def _changed(tree: Tree, new: bytes) -> Iterator[Tree]:
    """Yield the tree of another text of the same length, if that comes earlier."""
    if new < tree.text:
        pairs = zip(_places(tree), zip(tree.text, new, strict=True), strict=True)
        yield tree.edit(
            ChangeText(place, bytes([two])) for place, (one, two) in pairs if one != two
        )


def _values(tree: Tree, done: Done) -> Stream:
    """Put 0 in the place of a string, and of brackets with what is in them."""
    places = _places(tree)
    groups = [places[slice(*found.span())] for found in _GROUP.finditer(tree.text)]

    def candidates(tree: Tree, group: list[Place]) -> Iterator[Tree]:
        if all(tree.at(place) is not None for place in group):
            yield tree.edit([ChangeText(group[0], b"0"), *map(Delete, group[1:])])

    items = groups if len(groups) <= _MOST else []
    return sweep(tree, items, candidates, done, "canonical values")


def _fewer_digits(tree: Tree, done: Done) -> Stream:
    """Make numbers one digit shorter: 10 may be 2, and neither 1 nor 0."""
    places = _places(tree)
    numbers = [places[slice(*found.span())] for found in _DIGITS.finditer(tree.text)]

    def candidates(tree: Tree, number: list[Place]) -> Iterator[Tree]:
        left = [place for place in number if tree.at(place) is not None]
        if 1 < len(left) <= _MOST:
            yield tree.edit([Delete(left[0]), *(ChangeText(place, b"9") for place in left[1:])])

    items = numbers if len(numbers) <= _MOST else []
    return sweep(tree, items, candidates, done, "canonical numbers")


def _words(tree: Tree, done: Done) -> Stream:
    """Make words of one letter a, b, c, in the order of their first mention."""
    names = list(dict.fromkeys(one for one in _WORD.findall(tree.text) if len(one) == 1))
    letters = [bytes([one]) for one in range(ord("a"), ord("z") + 1)]
    renamed = dict(zip(names, letters, strict=False))
    swaps = [renamed]
    if len(names) <= _MOST:
        # A name may mean something: then the others go by themselves, each as far as it can.
        swaps += [{name: new, new: name} for name in names for new in letters[: len(names)]]

    def candidates(tree: Tree, names: dict[bytes, bytes]) -> Iterator[Tree]:
        new = _WORD.sub(lambda found: names.get(found[0], found[0]), tree.text)
        return _changed(tree, new)

    return sweep(tree, swaps, candidates, done, "canonical names")


def _digits(tree: Tree, done: Done) -> Stream:
    """Make digits as small as can be; a number of several begins with no 0."""
    spans = [found.span() for found in _DIGITS.finditer(tree.text)]
    least = {start: b"1" if end - start > 1 else b"0" for start, end in spans}
    digits = [at for start, end in spans for at in range(start, end)]
    items = [digits, *([at] for at in digits if len(digits) <= _MOST)]

    def candidates(tree: Tree, some: list[int]) -> Iterator[Tree]:
        text = bytearray(tree.text)
        if len(some) > 1:
            for at in some:
                text[at : at + 1] = min(tree.text[at : at + 1], least.get(at, b"0"))
            yield from _changed(tree, bytes(text))
            return
        for at in some:
            for smaller in range(ord(least.get(at, b"0")), tree.text[at]):
                text[at] = smaller
                yield from _changed(tree, bytes(text))

    return sweep(tree, items, candidates, done, "canonical numbers")


def _characters(tree: Tree, done: Done) -> Stream:
    """Make the characters of strings 0, those of each at once or some of them."""
    runs: list[tuple[int, int]] = []
    for found in _STRING.finditer(tree.text):
        start, end = found.start() + 1, found.end() - 1
        runs.append((start, end))
        if 1 < end - start <= _MOST and b"\\" not in found[0]:
            runs += pairwise(range(start, end + 1))

    def candidates(tree: Tree, run: tuple[int, int]) -> Iterator[Tree]:
        start, end = run
        plain = b"0" * (end - start)
        return _changed(tree, tree.text[:start] + plain + tree.text[end:])

    return sweep(tree, runs, candidates, done, "canonical strings")
