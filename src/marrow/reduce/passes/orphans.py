"""Orphans: an element goes with all that it would leave alone.

A name that is mentioned once is of no use: it is a use without its definition, or a definition
without a use, which compilers of Go or Rust do not take either. So whatever goes, the names that it
leaves with one mention take the element around that mention with them, and so on until no name is
left alone: a function goes with its imports and the statement that calls it, a variable with what
computes it. Which mention is the definition need not be known.

What goes first is each element of a list, the largest first. Names are counted in the whole text,
then in the outermost element (the function) around what goes first, as other functions have names
that are spelt alike. Guarantee: none by itself. Worst case of a pass: four tests an element; only
elements that leave something alone cost any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from marrow.reduce.attempt import Done, Reducer, Stream
from marrow.reduce.passes.context import Context
from marrow.reduce.passes.elements import delete_all, ladder, listed
from marrow.reduce.passes.sweep import sweep
from marrow.reduce.passes.words import mentions_of
from marrow.reduce.phi import tokens_at
from marrow.tree import ROOT, Place, Tree

# Which of the elements around the last mention of a name goes: an argument or operand, or what
# that is part of, most often a statement.
_LEVELS: Final = (0, 1)


def orphans(_: Context) -> Reducer:
    """Return the pass that deletes elements with what they would leave alone."""

    def run(tree: Tree, done: Done) -> Stream | None:
        elements = [place for row in listed(tree) for place in row]
        elements.sort(key=lambda place: -tokens_at(tree, place))
        return sweep(tree, elements, _candidates, done, "deleting with what is left alone")

    return run


def _candidates(tree: Tree, place: Place) -> Iterator[Tree]:
    if tree.at(place) is None:
        return
    rungs = ladder(tree, place)
    seen: set[frozenset[Place]] = set()
    for scope in dict.fromkeys((ROOT, rungs[-1] if rungs else ROOT)):
        for level in _LEVELS:
            doomed = _closure(tree, place, scope, level)
            if len(doomed) > 1 and doomed not in seen:
                seen.add(doomed)
                candidate = delete_all(tree, doomed)
                if candidate is not None:
                    yield candidate


def _closure(tree: Tree, first: Place, scope: Place, level: int) -> frozenset[Place]:
    """Return what goes with an element: the outermost places only."""
    mentions = mentions_of(tree)
    doomed = {first}
    pending = [first]
    gone: set[Place] = set()
    while pending:
        touched: set[bytes] = set()
        for place, name in mentions.below(pending.pop()):
            if place not in gone:
                gone.add(place)
                touched.add(name)
        for name in sorted(touched):
            left = [one for one in mentions.inside(name, scope) if one not in gone]
            if len(left) == 1:
                rungs = ladder(tree, left[0])
                if rungs:
                    place = rungs[min(level, len(rungs) - 1)]
                    doomed.add(place)
                    pending.append(place)
    return frozenset(place for place in doomed if not _covered(place, doomed))


def _covered(place: Place, doomed: set[Place]) -> bool:
    """Whether something above a place goes anyway."""
    step = place.parent
    while step is not None:
        if step in doomed:
            return True
        step = step.parent
    return False
