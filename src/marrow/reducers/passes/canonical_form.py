"""Canonical form: of all texts that fail alike and are as small, the first one in a fixed order.

So two inputs of one bug end in the same text as often as can be; triage then takes them for one
without a test (`marrow.bugs.canonical` compares what is still left to chance). Every step makes a
text earlier in the total order: short names come in the order of their first mention, characters of
strings become `0`, elements of lists are sorted, runs of bytes become zero. In a text without
syntax, words are a, b, c, digits and characters the smallest that will do.

It comes last and once: the steps before it would look again at every text that it makes. Its own
steps repeat until none makes a text earlier: then reducing the result again changes nothing.
Guarantee: none. Worst case of a round: a test for the names, a few for each string and each list,
31 for bytes; in a text without syntax nine for each of some digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from string import ascii_lowercase
from typing import Final, TypeVar

from marrow.reducers.passes.literals import CHARACTER
from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt, in_turn
from marrow.reducers.streams.sweep import Candidates, sweep
from marrow.tree import SEPARATOR, ChangeText, Delete, EditError, Kind, Place, Replace, Token, Tree
from marrow.tree.name_spelling import quote_of
from marrow.tree.names import names_of

_SHORT: Final = re.compile(rb"[a-z]{1,2}")

# Longer strings are tried as a whole only, and longer lists sorted as a whole only: what is left
# of a reduction is there for a reason, and each of these tests saves nothing but chance.
_MOST_CHARACTERS: Final = 4
_MOST_SWAPS: Final = 4

# Larger texts are not results of a reduction.
_LARGEST: Final = 500

_MARKS: Final = (b'"', b"'", b"`")

T = TypeVar("T")


def _sweeping(
    items: Callable[[Tree], Sequence[T]], candidates: Candidates[T], phase: str
) -> Reducer:
    return lambda tree, done: sweep(tree, items(tree), candidates, done, f"canonical {phase}")


def _places(tree: Tree) -> list[Place]:
    """Return the places of all tokens."""
    return [place for place, node in tree.walk() if isinstance(node, Token)]


def canonical_form(context: PassContext) -> Reducer:
    """Return the pass that gives results their canonical form."""
    steps = in_turn(_characters, _order)
    if not context.options.keep_names:
        steps = in_turn(_names, steps)

    def run(tree: Tree, done: Done) -> Stream | None:
        if tree.token_count > _LARGEST:
            return done(tree)

        def again(after: Tree) -> Stream | None:
            # Elements that were swapped mention names in another order.
            return done(after) if after.text == tree.text else run(after, done)

        return steps(tree, again)

    return run


# Runs of bytes are zeroed down to this part of a text: a test for every byte would be too many.
_RUNS: Final = 16


def canonical_bytes(options: PassOptions) -> Reducer:
    """Return the canonical form of bytes: runs of them are zero; a text stays one."""

    def run(tree: Tree, done: Done) -> Stream | None:
        places = _places(tree)
        if len(places) != len(tree.text):
            return done(tree)
        if b"\0" in tree.text:
            return _zeroed(tree, places, done)
        if len(places) > _LARGEST:
            return done(tree)
        return text(tree, done)

    text = in_turn(_values, _fewer_digits, _digits, _plain_characters)
    if not options.keep_names:
        text = in_turn(_letters, text)
    return run


def _zeroed(tree: Tree, places: Sequence[Place], done: Done) -> Stream:
    runs: list[Sequence[Place]] = []
    length, least = len(places), -(-len(places) // _RUNS)
    while length >= least:
        runs += [places[at : at + length] for at in range(0, len(places), length)]
        length = 0 if length == least else max(least, length // 2)

    def zeroed(tree: Tree, run: Sequence[Place]) -> Iterator[Tree]:
        tokens = [(place, tree.at(place)) for place in run]
        edits = [ChangeText(place, b"\0") for place, one in tokens if one and one.text > b"\0"]
        if edits:
            yield tree.edit(edits)

    return sweep(tree, runs, zeroed, done, "canonical bytes")


def _names(tree: Tree, done: Done) -> Stream:
    """Give short names in the order of their first mentions."""
    places = names_of(tree).places
    renamed: dict[bytes, bytes] = {}
    for length in (1, 2):
        some = [name for name in places if len(name) == length and _SHORT.fullmatch(name)]
        renamed.update(zip(some, sorted(some), strict=True))
    changes = {name: other for name, other in renamed.items() if name != other}
    if changes:
        edits = (ChangeText(place, new) for name, new in changes.items() for place in places[name])
        candidate = tree.edit(edits)
        yield attempt(candidate, "canonical names", done, candidate)
    return done(tree)


def _strings(tree: Tree) -> list[Place]:
    tokens = ((place, node) for place, node in tree.walk() if isinstance(node, Token))
    return [place for place, token in tokens if quote_of(token.text)[0]]


def _plainer(tree: Tree, place: Place) -> Iterator[Tree]:
    """Yield trees with 0 for the characters of a string, and with the first marks that will do."""
    token = tree.at(place)
    if not isinstance(token, Token):
        return
    text = token.text
    opening, closing = quote_of(text)
    first, last = text[:opening], text[len(text) - closing :]
    inside = text[opening : len(text) - closing]
    for mark in _MARKS:
        if first == last and mark < first and mark not in inside and b"\\" not in inside:
            yield tree.retext(place, mark + inside + mark)
    pieces: Sequence[bytes] = CHARACTER.findall(inside)
    if not any(one > b"0" for one in pieces):
        return
    yield tree.retext(place, first + b"0" * len(pieces) + last)
    if 1 < len(pieces) <= _MOST_CHARACTERS:
        for at, piece in enumerate(pieces):
            if piece > b"0":
                plain = b"".join((*pieces[:at], b"0", *pieces[at + 1 :]))
                yield tree.retext(place, first + plain + last)


def _lists(tree: Tree) -> list[Place]:
    kinds = (Kind.STAR, Kind.PLUS)
    return [one for one, node in tree.walk() if node.kind in kinds and len(node.elements) > 1]


def _sorted(tree: Tree, place: Place) -> Iterator[Tree]:
    """Yield trees with the elements of a list in the order of their texts."""
    node = tree.at(place)
    if node is None:
        return
    elements = [one for one in node.elements if one.slot != SEPARATOR]
    order = sorted(elements, key=lambda one: one.text)
    moves = [list(zip(elements, order, strict=True))]
    if 2 < len(elements) <= _MOST_SWAPS:
        moves += [
            [(one, two), (two, one)] for one, two in pairwise(elements) if two.text < one.text
        ]
    for pairs in moves:
        edits = [Replace(place.child(old.key), new) for old, new in pairs if old.text != new.text]
        if edits:
            try:
                yield tree.edit(edits)
            except EditError:
                continue


_characters: Final = _sweeping(_strings, _plainer, "strings")
_order: Final = _sweeping(_lists, _sorted, "order")


# -- Texts without syntax -------------------------------------------------------------------------

_WORD: Final = re.compile(rb"[A-Za-z_]\w*")
_DIGITS: Final = re.compile(rb"\d+")
_STRING: Final = re.compile(rb"(?<!\\)(?:\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')")

_GROUP: Final = re.compile(rb"\[[^][(){}]*\]|\([^][(){}]*\)|\{[^][(){}]*\}|" + _STRING.pattern)

# Of more words, digits or characters only all at once are tried: each of these tests saves nothing
# but chance, and what is left of most inputs has fewer.
_MOST: Final = 16

_LETTERS: Final = [letter.encode() for letter in ascii_lowercase]


def canonical_words(*, keep_names: bool) -> Reducer:
    """Return the reducer for a tree of words: plain numbers and strings, names of one letter."""
    return _plain_words if keep_names else in_turn(_plain_words, _short_names)


def _plain_word(tree: Tree, place: Place) -> Iterator[Tree]:
    """Make a number 0 or 1, and a string empty or a letter."""
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
            yield tree.retext(place, one)


def _long_names(tree: Tree) -> list[bytes]:
    """Return the names that are longer than those that do not matter, of two letters."""
    words = (token.text for token in tree.tokens() if _WORD.fullmatch(token.text))
    return [one for one in dict.fromkeys(words) if len(one) > 2]


def _shortened(tree: Tree, name: bytes) -> Iterator[Tree]:
    """Give a name a letter that is free."""
    taken = {token.text for token in tree.tokens()}
    free = next((one for one in _LETTERS if one not in taken), None)
    found = ((place, tree.at(place)) for place in _places(tree))
    places = [place for place, node in found if node is not None and node.text == name]
    if free is not None and places:
        yield tree.edit(ChangeText(place, free) for place in places)


_plain_words: Final = _sweeping(_places, _plain_word, "values")
_short_names: Final = _sweeping(_long_names, _shortened, "names")


def _changed(tree: Tree, new: bytes) -> Iterator[Tree]:
    """Yield the tree of another text of the same length, if that comes earlier."""
    if new < tree.text:
        pairs = zip(_places(tree), zip(tree.text, new, strict=True), strict=True)
        yield tree.edit(
            ChangeText(place, bytes([two])) for place, (one, two) in pairs if one != two
        )


def _found(pattern: re.Pattern[bytes]) -> Callable[[Tree], list[list[Place]]]:
    """Return what finds the bytes of each part of a text that matches; none if there are many."""

    def found(tree: Tree) -> list[list[Place]]:
        places = _places(tree)
        spans = [one.span() for one in pattern.finditer(tree.text)]
        return [places[slice(*one)] for one in spans] if len(spans) <= _MOST else []

    return found


def _as_zero(tree: Tree, group: list[Place]) -> Iterator[Tree]:
    """Put 0 in the place of a string, or of brackets with what is in them."""
    if all(tree.at(place) is not None for place in group):
        yield tree.edit([ChangeText(group[0], b"0"), *map(Delete, group[1:])])


def _one_digit_less(tree: Tree, number: list[Place]) -> Iterator[Tree]:
    """Make a number one digit shorter: 10 may be 2, and neither 1 nor 0."""
    left = [place for place in number if tree.at(place) is not None]
    if 1 < len(left) <= _MOST:
        yield tree.edit([Delete(left[0]), *(ChangeText(place, b"9") for place in left[1:])])


_values: Final = _sweeping(_found(_GROUP), _as_zero, "values")
_fewer_digits: Final = _sweeping(_found(_DIGITS), _one_digit_less, "numbers")


def _swaps(tree: Tree) -> list[dict[bytes, bytes]]:
    """Return the new names of words of one letter: a, b, c, in the order of their first mention."""
    names = list(dict.fromkeys(one for one in _WORD.findall(tree.text) if len(one) == 1))
    swaps = [dict(zip(names, _LETTERS, strict=False))]
    if len(names) <= _MOST:
        # A name may mean something: then the others go by themselves, each as far as it can.
        swaps += [{name: new, new: name} for name in names for new in _LETTERS[: len(names)]]
    return swaps


def _swapped(tree: Tree, names: dict[bytes, bytes]) -> Iterator[Tree]:
    return _changed(tree, _WORD.sub(lambda found: names.get(found[0], found[0]), tree.text))


_letters: Final = _sweeping(_swaps, _swapped, "names")


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


def _inside_strings(tree: Tree) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for found in _STRING.finditer(tree.text):
        start, end = found.start() + 1, found.end() - 1
        runs.append((start, end))
        if 1 < end - start <= _MOST and b"\\" not in found[0]:
            runs += pairwise(range(start, end + 1))
    return runs


def _zeros(tree: Tree, run: tuple[int, int]) -> Iterator[Tree]:
    """Make characters of strings 0."""
    start, end = run
    return _changed(tree, tree.text[:start] + b"0" * (end - start) + tree.text[end:])


_plain_characters: Final = _sweeping(_inside_strings, _zeros, "strings")
