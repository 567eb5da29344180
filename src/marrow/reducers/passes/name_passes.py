"""Passes over names: what mentions one is deleted, two become one, all become short.

None knows what a name means: the test does, and the total order ends what goes round in circles.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, islice, product
from string import ascii_lowercase
from typing import Final, NamedTuple

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.elements import delete_all, elements_above, ladder, listed, rung
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Attempts, Done, Reducer, Stream, attempt
from marrow.reducers.streams.sweep import sweep
from marrow.tree import (
    ChangeText,
    Delete,
    Place,
    Tree,
)
from marrow.tree.names import NameIndex, names_of
from marrow.tree.order import smaller_text

# -- Deletion by name -----------------------------------------------------------------------------

# How many elements around a mention are tried: an operand, its statement, the block of that, the
# function. Larger ones hold more than one name.
_LEVELS: Final = 4


def delete_names(_: PassContext) -> Reducer:
    """Return the pass that deletes everything that mentions a name in one attempt.

    Deleting one by one cannot remove a variable whose declaration and uses need each other. For
    every name, the one with the most around it first, all list elements that mention it go
    (statements, members, imports, operands), the outer ones first; a string that says the name
    mentions it too. Guarantee: none by itself. Worst case of a pass: O(names × levels) tests. A
    parameter goes with its arguments in the pass `together`.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        weights = {
            name: sum(tokens_at(tree, place) for place in elements_above(tree, places, 0))
            for name, places in names_of(tree).places.items()
        }
        names = sorted(weights, key=lambda name: (-weights[name], name))
        return sweep(tree, names, _deleted, done, "deleting by name")

    return run


def _deleted(tree: Tree, name: bytes) -> Iterator[Tree]:
    if name not in names_of(tree).places:
        return
    places = names_of(tree).mentions(name)
    doomed = dict.fromkeys(elements_above(tree, places, level) for level in range(_LEVELS))
    found = [delete_all(tree, some) for some in doomed if some]
    yield from sorted((one for one in found if one is not None), key=lambda one: one.token_count)


# -- One name for two -----------------------------------------------------------------------------

# How many other names are tried for a name: the nearest before it. They are more often of the same
# scope than those further away.
_NEAREST: Final = 6


def merge(context: PassContext) -> Reducer:
    """Return the pass that makes one name of two, unless names are to be kept.

    For every pair of names of the same kind, one becomes the other everywhere and its definition
    is deleted; if that fails, it only becomes the other, if that one is smaller. So more of what
    they name can be deleted. Guarantee: none by itself. Worst case of a pass: O(names²) tests.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        if context.options.keep_names:
            return done(tree)
        names, most = names_of(tree), None if context.options.thorough else _NEAREST
        pairs = [(name, other) for name in names.places for other in _others(names, name)[:most]]
        return sweep(tree, pairs, _merged, done, "merging names")

    return run


def _others(names: NameIndex, name: bytes) -> list[bytes]:
    """Return the names of the same kind, those before it first, nearest first."""
    same = [one for one in names.places if names.kinds[one] & names.kinds[name]]
    at = same.index(name)
    return [*reversed(same[:at]), *same[at + 1 :]]


def _merged(tree: Tree, pair: tuple[bytes, bytes]) -> Iterator[Tree]:
    name, other = pair
    names = names_of(tree).places
    places = names.get(name, ())
    if not places or other not in names:
        return
    renamed = [ChangeText(place, other) for place in places]
    if len(places) > 1:
        for own in ladder(tree, places[0])[:1]:
            yield tree.edit([*renamed, Delete(own)])
    if smaller_text(other, name):
        yield tree.edit(renamed)


# -- Short names ----------------------------------------------------------------------------------

# The names that this pass gives, up to 702 of them. Longer ones get a free name.
_SHORT: Final = re.compile(rb"[a-z]{1,2}")

_PHASE: Final = "shortening names"


def short_names(context: PassContext) -> Reducer:
    """Return the pass that makes names a, b, c and so on, unless names are to be kept.

    Every name that can be shorter gets the smallest name that is free in the text: all of them at
    once, then those with several mentions (a name that is mentioned once mostly belongs to a
    library), then halves of each group that fails. That some names must stay says nothing about
    the others: if a group fails and its first half does not, the second half need not be tried as
    a whole. Then the short names that can change close the gaps, all at once; if that fails,
    another round gives them the names that are free.

    Guarantee: no single name can get the name that is free for it. Worst case of a round: two
    tests for each of n names, 2k log2(n) if k of them must stay.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        return done(tree) if context.options.keep_names else _ranks(done, frozenset(), tree)

    return run


def _ranks(done: Done, fixed: frozenset[bytes], tree: Tree) -> Stream:
    """Move short names up to free ones, in the same order, all at once; then start a round."""
    short = [name for name in names_of(tree).places if name not in fixed and _SHORT.fullmatch(name)]
    short.sort(key=lambda name: (len(name), name))
    free = _free({token.text for token in tree.tokens()} - set(short))
    moved = {name: target for name, target in zip(short, free, strict=False) if name != target}
    if moved:
        candidate = _renamed(tree, moved)
        yield attempt(candidate, _PHASE, _round, done, fixed, candidate)
    return _round(done, fixed, tree)


class _Group(NamedTuple):
    """Names to try together; if they fail, those up to a number and the others by themselves.

    `first`: the next group is the other part of a group that failed. `failing`: it is known to fail
    as a whole.
    """

    names: Sequence[bytes]
    split: int
    first: bool = False
    failing: bool = False


def _round(done: Done, fixed: frozenset[bytes], tree: Tree) -> Stream | None:
    """Give all names but the fixed ones the smallest names that are free, while there are any."""
    free = _free({token.text for token in tree.tokens()})
    target, renamed = next(free), dict[bytes, bytes]()
    for name in names_of(tree).places:
        if name not in fixed and smaller_text(target, name):
            renamed[name] = target
            target = next(free)
    if not renamed:
        return done(tree)
    places = names_of(tree).places
    names = sorted(renamed, key=lambda name: len(places[name]) == 1)
    often = sum(len(places[name]) > 1 for name in names)
    whole = _Group(names, often if 0 < often < len(names) else len(names) // 2)
    return _in_groups(done, renamed, [whole], fixed, tree)


def _in_groups(
    done: Done,
    renamed: Mapping[bytes, bytes],
    groups: Sequence[_Group],
    fixed: frozenset[bytes],
    tree: Tree,
) -> Stream:
    """Try groups of names, the last one first; those that fail in parts."""
    while groups:
        *rest, group = groups
        if not group.failing:
            left = rest
            if group.first and len(rest[-1].names) > 1:  # one of the other part must stay
                left = [*rest[:-1], rest[-1]._replace(failing=True)]
            candidate = _renamed(tree, {name: renamed[name] for name in group.names})
            yield attempt(candidate, _PHASE, _in_groups, done, renamed, left, fixed, candidate)
        if len(group.names) == 1:
            fixed |= set(group.names)
        else:
            first, second = group.names[: group.split], group.names[group.split :]
            parts = _Group(second, len(second) // 2), _Group(first, len(first) // 2, first=True)
            rest = [*rest, *parts]
        groups = rest
    return _ranks(done, fixed, tree)


def _renamed(tree: Tree, renamed: Mapping[bytes, bytes]) -> Tree:
    places = names_of(tree).places
    return tree.edit(
        ChangeText(place, target) for name, target in renamed.items() for place in places[name]
    )


def _free(taken: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a, b, ..., z, aa, ab and so on, but those that are taken."""
    letters = ascii_lowercase.encode()
    names = (bytes(one) for length in count(1) for one in product(letters, repeat=length))
    return (name for name in names if name not in taken)


# -- Orphans --------------------------------------------------------------------------------------


def cascade_delete(tree: Tree, done: Done) -> Stream:
    """Delete elements with everything that they would leave without a partner.

    A name that is mentioned once is of no use: it is a use without its definition, or a definition
    without a use. So if a deletion leaves a name with one mention, the innermost element around
    that is deleted too, and so on: a function goes with its imports and the arguments that it was.
    It does not matter which mention is the definition.

    Each element of a list is the start of such a deletion, the largest first. Guarantee: none by
    itself. Worst case: a test for each element that leaves an orphan.
    """

    def candidates(tree: Tree, place: Place) -> Iterator[Tree]:
        doomed = [] if tree.at(place) is None else _closure(tree, [place])
        candidate = delete_all(tree, doomed) if len(doomed) > 1 else None
        if candidate is not None and candidate.token_count:
            yield candidate

    elements = [place for row in listed(tree) for place in row]
    elements.sort(key=lambda place: -tokens_at(tree, place))
    return sweep(tree, elements, candidates, done, "deleting with what is left alone")


def without_orphans(context: PassContext, reducer: Reducer) -> Reducer:
    """Delete what each candidate of a reducer leaves alone: its import, its local variable.

    A candidate that leaves something alone is itself unlikely to be interesting.
    """

    def followed(tree: Tree, done: Done, stream: Stream | None) -> Stream:
        attempts = Attempts(stream)
        for one in attempts:
            alone = None if one.detour else _tidied(context, tree, one.tree)
            if alone is not None:
                yield attempt(alone, one.phase, again, alone, done)
                one = replace(one, unlikely=True)
            after = tree if one.detour else one.tree
            yield one.mapped(partial(followed, after, done))
        return attempts.end

    def again(tree: Tree, done: Done) -> Stream | None:
        return followed(tree, done, reducer(tree, done))

    return again


def _tidied(context: PassContext, before: Tree, after: Tree) -> Tree | None:
    """Return a tree without what an edit has left alone; None if that is nothing."""
    old = names_of(before)
    parsed = context.reparsed(after)
    new = names_of(parsed)
    lonely = [
        places[0]
        for name in old.places
        if len(places := new.mentions(name)) == 1 and len(old.mentions(name)) > 1
    ]
    elements = [one for place in lonely if (one := rung(parsed, place, 0)) is not None]
    return delete_all(parsed, _closure(parsed, elements)) if elements else None


def _closure(tree: Tree, first: Sequence[Place]) -> list[Place]:
    """Return what goes with some elements: the outermost places only."""
    names = names_of(tree)
    doomed = {*first}
    pending = [*first]
    gone: set[Place] = set()
    while pending:
        below = [one for one in names.mentioned_below(pending.pop()) if one[0] not in gone]
        gone.update(place for place, _ in below)
        for name in sorted({name for _, name in below}):
            left = [one for one in names.mentions(name) if one not in gone]
            element = rung(tree, left[0], 0) if len(left) == 1 else None
            if element is not None:
                doomed.add(element)
                pending.append(element)
    return [
        place
        for place in doomed
        if not any(step in doomed for step in islice(place.upwards(), 1, None))
    ]
