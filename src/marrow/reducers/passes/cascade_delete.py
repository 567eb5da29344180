"""Orphans: delete an element with everything that it would leave without a partner.

A name that is mentioned once is of no use: it is a use without its definition, or a definition
without a use. So if a deletion leaves a name with one mention, the element around that mention is
deleted too, and so on: a function goes with its imports and the statement that calls it. It does
not matter which mention is the definition.

Each element of a list is the start of such a deletion, the largest first. First all names count,
then only those with two mentions (`int` is a name here, and must not drag in the last declaration),
then all in the outermost element (the function) around the start. Guarantee: none by itself. Worst
case of a pass: six tests for each element that leaves an orphan.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.elements import delete_all, ladder, listed, rung
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Attempts, Done, Reducer, Stream, attempt
from marrow.reducers.streams.sweep import sweep
from marrow.tree import ROOT, Place, Tree
from marrow.tree.names import names_of


@dataclass(frozen=True, slots=True)
class Way:
    """A way to follow names: where they are counted, which count, which element around one goes.

    Level 0 is an argument or operand, level 1 what that is part of, most often a statement.
    """

    level: int
    local: bool = False
    pairs: bool = False


_WAYS: Final = tuple(
    Way(level, **also) for also in ({}, {"pairs": True}, {"local": True}) for level in (0, 1)
)


def cascade_delete(_: PassContext) -> Reducer:
    """Return the pass that deletes elements with their orphans, in all ways."""
    return cascading(_WAYS)


def cascading(ways: Sequence[Way] = _WAYS[:1]) -> Reducer:
    """Return the reducer that deletes elements with their orphans.

    By default it follows names in one way only, which finds most.
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        elements = [place for row in listed(tree) for place in row]
        elements.sort(key=lambda place: -tokens_at(tree, place))
        return sweep(tree, elements, candidates, done, "deleting with what is left alone")

    def candidates(tree: Tree, place: Place) -> Iterator[Tree]:
        seen: set[frozenset[Place]] = set()
        for way in () if tree.at(place) is None else ways:
            doomed = _closure(tree, [place], way)
            fresh = len(doomed) > 1 and doomed not in seen
            seen.add(doomed)
            candidate = delete_all(tree, doomed) if fresh else None
            if candidate is not None and candidate.token_count:
                yield candidate

    return run


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
    return delete_all(parsed, _closure(parsed, elements, _WAYS[0])) if elements else None


def _closure(tree: Tree, first: Sequence[Place], way: Way) -> frozenset[Place]:
    """Return what goes with some elements: the outermost places only."""
    names = names_of(tree)
    around = ladder(tree, first[0])
    scope = around[-1] if way.local and around else ROOT
    doomed = {*first}
    pending = [*first]
    gone: set[Place] = set()
    while pending:
        below = [one for one in names.mentioned_below(pending.pop()) if one[0] not in gone]
        gone.update(place for place, _ in below)
        for name in sorted({name for _, name in below}):
            places = names.mentions_in(name, scope)
            left = [one for one in places if one not in gone]
            element = rung(tree, left[0], way.level) if len(left) == 1 else None
            if element is not None and not (way.pairs and len(places) > 2):
                doomed.add(element)
                pending.append(element)
    return frozenset(
        place
        for place in doomed
        if not any(step in doomed for step in islice(place.upwards(), 1, None))
    )
