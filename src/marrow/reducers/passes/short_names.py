"""Shorten names to a, b, c and so on, consistently, where the test allows it.

Every name that can be shorter gets the smallest name that is free in the text: all of them at once,
then those with several mentions (a name that is mentioned once mostly belongs to a library), then
halves of each group that fails. That some names must stay says nothing about the others. So if a
group fails and its first half does not, the second half need not be tried as a whole. Then the
short names that can change close the gaps, all at once; if that fails, another round gives them the
names that are free.

Guarantee: no single name can get the name that is free for it. Worst case of a round: two tests for
each of n names, 2k log2(n) if k of them must stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from marrow.reducers.passes.pass_context import PassContext
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import ChangeText, Tree
from marrow.tree.names import names_of
from marrow.tree.order import smaller_text

# The names that this pass gives, up to 702 of them. Longer ones get a free name.
_SHORT: Final = re.compile(rb"[a-z]{1,2}")

_PHASE: Final = "shortening names"

_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"


def short_names(context: PassContext) -> Reducer:
    """Return the pass that shortens names, unless names are to be kept."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return done(tree) if context.options.keep_names else _ranks(done, frozenset(), tree)

    return run


def _ranks(done: Done, fixed: frozenset[bytes], tree: Tree) -> Stream:
    """Move short names up to free ones, all at once; then go on with a round."""
    moved = _moved_up(tree, fixed)
    if moved:
        candidate = _given(tree, moved)
        yield attempt(candidate, _PHASE, _round, done, fixed, candidate)
    return _round(done, fixed, tree)


def _moved_up(tree: Tree, fixed: frozenset[bytes]) -> dict[bytes, bytes]:
    """Return new names for the short ones, in the same order: none is larger, none is taken."""
    places = names_of(tree).places
    short = [name for name in places if name not in fixed and _SHORT.fullmatch(name)]
    short.sort(key=lambda name: (len(name), name))
    free = _free({token.text for token in tree.tokens()} - set(short))
    return {name: target for name, target in zip(short, free, strict=False) if name != target}


def _round(done: Done, fixed: frozenset[bytes], tree: Tree) -> Stream | None:
    """Give all names but the fixed ones the smallest names that are free, while there are any."""
    renamed = _assigned(tree, fixed)
    if not renamed:
        return done(tree)
    places = names_of(tree).places
    often = tuple(name for name in renamed if len(places[name]) > 1)
    once = tuple(name for name in renamed if len(places[name]) == 1)
    whole = _Group(often + once, tuple(some for some in (often, once) if some))
    return _Halving(renamed, done).run(tree, (whole,), fixed)


@dataclass(frozen=True, slots=True)
class _Group:
    """Names to try together, and what to try instead if they fail.

    `first`: the next group is the other part of a group that failed. `failing`: it is known to fail
    as a whole.
    """

    names: tuple[bytes, ...]
    parts: tuple[tuple[bytes, ...], ...]
    first: bool = False
    failing: bool = False


@dataclass(frozen=True, slots=True)
class _Halving:
    """A round under way: the names to give, and what follows."""

    renamed: Mapping[bytes, bytes]
    done: Done

    def run(self, tree: Tree, groups: tuple[_Group, ...], fixed: frozenset[bytes]) -> Stream:
        """Try groups of names, the last one first; those that fail in parts."""
        while groups:
            group, groups = groups[-1], groups[:-1]
            if not group.failing:
                candidate = _given(tree, {name: self.renamed[name] for name in group.names})
                yield attempt(candidate, _PHASE, self._given_to, group, candidate, groups, fixed)
            if len(group.names) == 1:
                fixed |= set(group.names)
            else:
                groups += _parts(group)
        return _ranks(self.done, fixed, tree)

    def _given_to(
        self, group: _Group, tree: Tree, groups: tuple[_Group, ...], fixed: frozenset[bytes]
    ) -> Stream:
        """Go on after a group got its names: one of the other part must stay."""
        if group.first and len(groups[-1].names) > 1:
            groups = (*groups[:-1], replace(groups[-1], failing=True))
        return self.run(tree, groups, fixed)


def _given(tree: Tree, renamed: Mapping[bytes, bytes]) -> Tree:
    places = names_of(tree).places
    return tree.edit(
        ChangeText(place, target) for name, target in renamed.items() for place in places[name]
    )


def _parts(group: _Group) -> tuple[_Group, ...]:
    """Return the parts of a group, the first one last."""
    parts = group.parts
    if len(parts) != 2:
        half = len(group.names) // 2
        parts = group.names[:half], group.names[half:]
    first, second = parts
    return _Group(second, ()), _Group(first, (), first=True)


def _assigned(tree: Tree, fixed: frozenset[bytes]) -> dict[bytes, bytes]:
    """Give the names, in the order of the text, the smallest names that are free."""
    taken = {token.text for token in tree.tokens()}
    free = _free(taken)
    target = next(free)
    renamed = {}
    for name in names_of(tree).places:
        if name not in fixed and smaller_text(target, name):
            renamed[name] = target
            target = next(free)
    return renamed


def _free(taken: set[bytes]) -> Iterator[bytes]:
    for number in count():
        name = _spelled(number)
        if name not in taken:
            yield name


def _spelled(number: int) -> bytes:
    """Return a, b, ..., z, aa, ab and so on."""
    letters = bytearray()
    number += 1
    while number:
        number, digit = divmod(number - 1, len(_LETTERS))
        letters.append(_LETTERS[digit])
    letters.reverse()
    return bytes(letters)
