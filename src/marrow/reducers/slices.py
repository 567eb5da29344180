"""Slices: keep what a few declarations need, all else away in one test.

For texts of which most is there for the sake of little, such as a program with the headers of the
system in it. A *unit* is a declaration that counts by itself, with its body. A slice keeps some
units and all that they need (`marrow.reducers.needs`); whatever else is kept has its body emptied,
down to a declaration where the language has such.

Which units matter is found by binary reduction: Kalhauge and Palsberg, "Binary Reduction of
Dependency Graphs" (ESEC/FSE 2019). The units stand in an order, the likeliest first: the last
declaration of the text, then what it needs, by distance. The least number of first units is looked
for whose slice is interesting, by galloping (1, 2, 4, ...) and bisection. The last of them is then
known to be needed, together with what comes before it, and the rest never comes back; with the
needed one kept, the search begins anew, until the needed ones suffice. Small slices are tried
first, as their tests are cheap.

Guarantee: none by itself; later stages see every token. In the paper's setting (the test is
monotone on closed sets) no needed unit could be left out. Worst case: 2 log2(n) tests for each of n
units; it gives up after `PATIENCE` failures in a row. Departures from the paper: bodies are parts
of units; units are the declarations, not closures; units whose text is small count as one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from marrow.reducers.line_markers import without_markers
from marrow.reducers.needs import Needs, Reading
from marrow.reducers.stream import Done, Reducer, Stream, attempt, followed, in_turn, while_it_pays
from marrow.tree import Delete, Edit, Replace, Token, Tree
from marrow.tree.outline import DeclarationOutline, SeeOutline

# After so many failures in a row a kind of slices is given up: galloping has come to two thousand
# units by then, which is no slice any more.
PATIENCE: Final = 12

# Units whose text is less than this share of the slice are not told apart: later stages do it with
# fewer tests.
_CHUNK: Final = 0.02

# A round that removed less than this share of the tokens is the last one.
_PAYS: Final = 0.1


class Bodies(Enum):
    """What becomes of the bodies of functions that are no units."""

    WHOLE = "whole"
    #: Nothing is left of a body but what closes the declaration.
    DECLARED = "declared"
    #: Nothing is left in the body.
    EMPTY = "empty"


#: By language, what stands for a body: in a declaration, and as an empty body.
_FORMS: Final[Mapping[str, Mapping[Bodies, bytes]]] = {
    "c": {Bodies.DECLARED: b";", Bodies.EMPTY: b"{}"},
    "cpp": {Bodies.DECLARED: b";", Bodies.EMPTY: b"{}"},
    "python": {Bodies.EMPTY: b"pass"},
}
_BRACES: Final[Mapping[Bodies, bytes]] = {Bodies.EMPTY: b"{}"}

# Words of functions whose bodies are needed where they are called.
_NEED_BODIES: Final = frozenset({b"constexpr", b"consteval", b"auto"})
# Words of functions that are no declarations without a body.
_NEVER_DECLARED: Final = frozenset({b"friend"})


def slices(see: SeeOutline, language: str) -> Reducer:
    """Return the reducer that works on outlines, each kind of slice in its turn."""
    forms = _FORMS.get(language, _BRACES)
    rounds = [
        while_it_pays(_reduction(see, forms, bodies, reading), SlicePace())
        for bodies in (Bodies.WHOLE, *forms)
        for reading in Reading
    ]
    whole = in_turn(without_markers(see), *rounds)

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        removed = before.token_count - after.token_count
        outline = see(after.text) if removed >= _PAYS * before.token_count else None
        return None if outline is None else (slices(see, language), outline.tree)

    rounds_on = followed(whole, again)
    # The tree of a text that is not large is empty.
    return lambda tree, done: rounds_on(tree, done) if tree.token_count else done(tree)


@dataclass(frozen=True, slots=True)
class SlicePace:
    """The pace of slices: good as long as not too many attempts fail in a row."""

    failures: int = 0

    def failed(self, _: Tree, __: Tree) -> SlicePace:
        """Count a failure."""
        return SlicePace(self.failures + 1)

    def succeeded(self, _: Tree, __: Tree) -> SlicePace:
        """Start counting again."""
        return SlicePace()

    def good(self, _: Tree) -> bool:
        """Whether the failures are few."""
        return self.failures < PATIENCE


def _reduction(
    see: SeeOutline, forms: Mapping[Bodies, bytes], bodies: Bodies, reading: Reading
) -> Reducer:
    def run(tree: Tree, done: Done) -> Stream | None:
        outline = see(tree.text)
        if outline is None or not any(one.declares for one in outline.elements):
            return done(tree)  # small by now, or data
        search = BinaryReduction(Slicing(outline, forms, bodies, reading), done)
        return search.gallop(outline.tree, frozenset(), None)

    return run


class Slicing:
    """The slices of an outline."""

    def __init__(
        self,
        outline: DeclarationOutline,
        forms: Mapping[Bodies, bytes],
        bodies: Bodies,
        reading: Reading,
    ) -> None:
        self._outline: Final = outline
        self._needs: Final = Needs(outline.elements)
        self._forms: Final = forms
        self._bodies: Final = bodies
        self._reading: Final = reading
        self._with_bodies: Final = [
            index
            for index, one in enumerate(outline.elements)
            if one.body is not None and not one.mentions & _NEED_BODIES
        ]
        self.units: Final = self._ordered()

    def _ordered(self) -> tuple[int, ...]:
        """Return the units: the last declaration, what it needs by distance, then the others."""
        elements = self._outline.elements
        last = max(index for index, one in enumerate(elements) if one.owner < 0)
        near = self._needs.closure((last,), self._reading)
        far = (index for index in reversed(range(len(elements))) if index not in near)
        return tuple(index for index in (*near, *far) if not elements[index].scope)

    def slice(self, units: Sequence[int]) -> Tree | None:
        """Return the slice of some units; None if it is the whole text."""
        elements, chosen = self._outline.elements, frozenset(units)
        emptied: frozenset[int] = frozenset()
        if self._bodies is not Bodies.WHOLE:
            emptied = frozenset(self._with_bodies) - chosen
        kept = self._needs.closure(units, self._reading, emptied)
        edits: list[Edit] = [
            Delete(one.place)
            for index, one in enumerate(elements)
            if index not in kept and (one.owner < 0 or one.owner in kept)
        ]
        for index in emptied:
            body = elements[index].body
            if index in kept and body is not None:
                edits.append(Replace(body, self._without_body(index)))
        return self._outline.tree.edit(edits) if edits else None

    def _without_body(self, index: int) -> Token:
        bodies = self._bodies
        if self._outline.elements[index].mentions & _NEVER_DECLARED:
            bodies = Bodies.EMPTY
        text = self._forms[bodies]
        return Token(text.decode(), text)


@dataclass(frozen=True, slots=True)
class BinaryReduction:
    """The search for the units that are needed."""

    slicing: Slicing
    done: Done

    def gallop(self, tree: Tree, needed: frozenset[int], most: int | None) -> Stream:
        """Look for a number of first units that suffices beside the needed ones.

        `most` of them are known to suffice; None for all of them.
        """
        units = self.slicing.units
        limit = len(units) if most is None else most
        lower, count = -1, 0 if needed else 1
        before = -1  # the tokens of the last slice: units that were kept anyway change nothing
        while count < limit:
            candidate = self._candidate(needed, count)
            tokens = tree.token_count if candidate is None else candidate.token_count
            if candidate is not None and before != tokens < tree.token_count:
                yield attempt(candidate, _PHASE, self.bisect, candidate, needed, lower, count)
            before = tokens
            lower, count = count, max(1, 2 * count)
        return self.bisect(tree, needed, lower, limit)

    def bisect(self, tree: Tree, needed: frozenset[int], lower: int, upper: int) -> Stream:
        """Look for the least number: `upper` of the first units suffice, `lower` do not."""
        while upper - lower > 1 and not self._small(tree, needed, lower):
            middle = (lower + upper) // 2
            candidate = self._candidate(needed, middle)
            if candidate is not None and candidate.token_count < tree.token_count:
                yield attempt(candidate, _PHASE, self.bisect, candidate, needed, lower, middle)
            lower = middle
        if upper <= 0:
            return self.done(tree)
        chunk = self.slicing.units[max(0, lower) : upper]
        return self.gallop(tree, needed | frozenset(chunk), max(0, lower))

    def _candidate(self, needed: frozenset[int], count: int) -> Tree | None:
        units = self.slicing.units
        first = units[:count]
        later = [one for one in units[count:] if one in needed] if needed else []
        return self.slicing.slice((*first, *later))

    def _small(self, tree: Tree, needed: frozenset[int], lower: int) -> bool:
        """Return whether what is still in question is a small part of the slice."""
        if lower < 0:
            return False
        least = self._candidate(needed, lower)
        rest = tree.token_count if least is None else tree.token_count - least.token_count
        return rest < _CHUNK * tree.token_count


_PHASE: Final = "slicing"
