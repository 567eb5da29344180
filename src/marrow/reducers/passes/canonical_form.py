"""Canonical form: of all texts that fail alike and are as small, the first one in a fixed order.

So two inputs of one bug end in the same text as often as can be; triage then takes them for one
without a test (`marrow.bugs.canonical` compares what is still left to chance). Every step makes a
text earlier in the total order, in which texts of the same size compare by their bytes:

- short names in the order of their first mention: `b(a)` becomes `a(b)`;
- the characters of strings become `0`, and the marks around them the first that will do;
- elements of lists that may be swapped are sorted by their texts.

- runs of bytes become zero, where there are bytes alone;
- in a text without syntax, short words are a, b, c in the order of their first mention, digits and
  the characters between quotes the smallest that will do.

It comes last and once: the steps before it would look again at every text that it makes. Its own
steps repeat until none makes a text earlier: then reducing the result again changes nothing.
Guarantee: none. Worst case of a round: a test for the names, a few for each string and each list,
31 for bytes; in a text without syntax nine for each of some digits, and a few for words and
strings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from marrow.reducers.passes.canonical_text import canonical_text
from marrow.reducers.passes.literals import CHARACTER
from marrow.reducers.passes.pass_context import PassContext, PassOptions
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt, in_turn
from marrow.reducers.streams.sweep import sweep
from marrow.tree import SEPARATOR, ChangeText, EditError, Kind, Place, Replace, Token, Tree
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
        places = [place for place, node in tree.walk() if isinstance(node, Token)]
        if len(places) != len(tree.text):
            return done(tree)
        if b"\0" in tree.text:
            return _zeroed(tree, places, done)
        if len(places) > _LARGEST:
            return done(tree)
        return canonical_text(keep_names=options.keep_names)(tree, done)

    return run


def _zeroed(tree: Tree, places: Sequence[Place], done: Done) -> Stream:
    zero = b"\0"
    runs: list[Sequence[Place]] = []
    length, least = len(places), -(-len(places) // _RUNS)
    while length >= least:
        runs += [places[at : at + length] for at in range(0, len(places), length)]
        length = 0 if length == least else max(least, length // 2)

    def zeroed(tree: Tree, run: Sequence[Place]) -> Iterator[Tree]:
        tokens = [(place, tree.at(place)) for place in run]
        edits = [ChangeText(place, zero) for place, one in tokens if one and one.text > zero]
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


def _characters(tree: Tree, done: Done) -> Stream:
    """Make the characters of strings 0, and their marks the first that will do."""
    strings = [
        place for place, node in tree.walk() if isinstance(node, Token) and quote_of(node.text)[0]
    ]
    return sweep(tree, strings, _plainer, done, "canonical strings")


def _plainer(tree: Tree, place: Place) -> Iterator[Tree]:
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


def _order(tree: Tree, done: Done) -> Stream:
    """Put the elements of lists into the order of their texts."""
    lists = [
        place
        for place, node in tree.walk()
        if node.kind in (Kind.STAR, Kind.PLUS) and len(node.elements) > 1
    ]
    return sweep(tree, lists, _sorted, done, "canonical order")


def _sorted(tree: Tree, place: Place) -> Iterator[Tree]:
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
