"""Slices: keep what a few declarations need, all else away in one test.

For texts of which most is there for the sake of little, such as a program with the headers of the
system in it. A *unit* is a declaration, or the body of one. A slice keeps some units and all that
they need (`marrow.reducers.needs`); whatever else is kept has its body emptied, down to a
declaration where the language has such.

Which units matter is found by binary reduction: Kalhauge and Palsberg, "Binary Reduction of
Dependency Graphs" (ESEC/FSE 2019). The units stand in an order, the likeliest first: the last
declaration of the text, then what it needs in the barest reading, by distance, then what each more
generous reading adds, at last the others. The least number of first units is looked for whose slice
is interesting, in steps (the readings, then 1, 2, 4, ... more) and by bisection. The last of them
is then known to be needed, together with what comes before it, and the rest never comes back; with
the needed one kept, the search begins anew, until the needed ones suffice. Small slices are tried
first, as their tests are cheap.

Guarantee: none by itself; later stages see every token. In the paper's setting (the test is
monotone on closed sets) no needed unit could be left out. Worst case: 2 log2(n) tests for each of n
units; it gives up after `PATIENCE` failures in a row. Departures from the paper: bodies are units
of their own; units are the declarations, not closures; units whose text is small count as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from marrow.reducers.line_markers import without_markers
from marrow.reducers.needs import Needs, Reading
from marrow.reducers.stream import Done, Reducer, Stream, attempt, followed, in_turn, while_it_pays
from marrow.tree import Delete, Edit, Replace, Token, Tree
from marrow.tree.outline import DeclarationOutline, Element, SeeOutline

# After so many failures in a row a kind of slices is given up: that is a search through all of a
# hundred thousand units, with the steps before it.
PATIENCE: Final = 24

# Units whose text is less than this share of the slice are not told apart: later stages do it with
# fewer tests.
_CHUNK: Final = 0.02

# A round that removed less than this share of the tokens is the last one.
_PAYS: Final = 0.1

#: By language, what stands for a body: what ends a declaration, or an empty body.
_FORMS: Final[Mapping[str, bytes]] = {"c": b";", "cpp": b";", "python": b"pass"}
_BRACES: Final = b"{}"

# Words of functions whose bodies are needed where they are called, or that are no declarations
# without one.
_NEED_BODIES: Final = frozenset({b"auto", b"consteval", b"friend"})


def slices(see: SeeOutline, language: str) -> Reducer:
    """Return the reducer that works on outlines: with bodies, then without."""
    form = _FORMS.get(language, _BRACES)
    rounds = [while_it_pays(_reduction(see, one), SlicePace()) for one in (None, form)]
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


def _reduction(see: SeeOutline, form: bytes | None) -> Reducer:
    def run(tree: Tree, done: Done) -> Stream | None:
        outline = see(tree.text)
        if outline is None or not any(one.declares for one in outline.elements):
            return done(tree)  # small by now, or data
        search = BinaryReduction(Slicing(outline, form), done)
        return search.gallop(outline.tree, frozenset(), None)

    return run


class Unit(NamedTuple):
    """An element that stays, or the body of one (with the element)."""

    at: int
    body: bool = False


class Slicing:
    """The slices of an outline. With a `form`, bodies that are no units are exchanged for it."""

    def __init__(self, outline: DeclarationOutline, form: bytes | None) -> None:
        self._outline: Final = outline
        self._needs: Final = Needs(outline.elements)
        self._form: Final = form
        self._with_bodies: Final = frozenset(
            index
            for index, one in enumerate(outline.elements)
            if form is not None and one.body is not None and not self._needs_body(one)
        )
        self.units: Final[list[Unit]] = []
        #: How many first units there are in each reading.
        self.steps: Final[list[int]] = []
        self._order()

    def _needs_body(self, element: Element) -> bool:
        """Return whether a function is of little use without its body."""
        words, owner = element.mentions.free, element.owner
        creates = owner >= 0 and bool(element.declares & self._outline.elements[owner].declares)
        return bool(words & _NEED_BODIES) or (creates and b"constexpr" in words)

    def _order(self) -> None:
        """Find the units, in their order."""
        elements = self._outline.elements
        last = max(index for index, one in enumerate(elements) if one.owner < 0)
        near: dict[Unit, None] = {}
        emptied = self._with_bodies - {last}
        root = Unit(last, body=last in self._with_bodies)
        near[root] = None
        for reading in Reading:
            for index in self._needs.closure((last,), reading, emptied):
                if index != last and not elements[index].scope:
                    near[Unit(index)] = None
            self.steps.append(len(near))
            if self._form is not None and reading is Reading.STRICT:
                break  # what else is there is as likely needed as a body
        bodies = self._needs.closure((last,), Reading.STRICT)
        near.update((Unit(one, body=True), None) for one in bodies if one in emptied)
        for index in reversed(range(len(elements))):
            if not elements[index].scope and Unit(index) not in near and index != last:
                near[Unit(index, body=index in emptied)] = None
        self.units.extend(near)

    def slice(self, units: Sequence[Unit]) -> Tree | None:
        """Return the slice of some units; None if it is the whole text."""
        elements = self._outline.elements
        emptied = self._with_bodies.difference(one.at for one in units if one.body)
        roots = dict.fromkeys(one.at for one in units)
        kept = self._needs.closure(roots, Reading.BARE, emptied)
        edits: list[Edit] = [
            Delete(one.place)
            for index, one in enumerate(elements)
            if index not in kept and (one.owner < 0 or one.owner in kept)
        ]
        form = self._form or b""
        for index in sorted(emptied):
            body = elements[index].body
            if index in kept and body is not None:
                edits.append(Replace(body, Token(form.decode(), form)))
        return self._outline.tree.edit(edits) if edits else None


@dataclass(frozen=True, slots=True)
class BinaryReduction:
    """The search for the units that are needed."""

    slicing: Slicing
    done: Done

    def gallop(self, tree: Tree, needed: frozenset[Unit], most: int | None) -> Stream:
        """Look for a number of first units that suffices beside the needed ones.

        `most` of them are known to suffice; None for all of them.
        """
        limit = len(self.slicing.units) if most is None else most
        lower = -1
        before = -1  # the tokens of the last slice: units that were kept anyway change nothing
        for count in self._counts(limit, first=0 if needed else 1):
            candidate = self._candidate(needed, count)
            tokens = tree.token_count if candidate is None else candidate.token_count
            if candidate is not None and before != tokens < tree.token_count:
                yield attempt(candidate, _PHASE, self.bisect, candidate, needed, lower, count)
            before = tokens
            lower = count
        return self.bisect(tree, needed, lower, limit)

    def _counts(self, limit: int, first: int) -> Iterator[int]:
        """Yield the numbers to try: those of the readings, then ever more."""
        steps = [first, *self.slicing.steps]
        yield from (one for one in steps if one < limit)
        count, more = steps[-1], 1
        while count + more < limit:
            yield count + more
            more *= 2

    def bisect(self, tree: Tree, needed: frozenset[Unit], lower: int, upper: int) -> Stream:
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

    def _candidate(self, needed: frozenset[Unit], count: int) -> Tree | None:
        units = self.slicing.units
        first = units[:count]
        later = [one for one in units[count:] if one in needed] if needed else []
        return self.slicing.slice((*first, *later))

    def _small(self, tree: Tree, needed: frozenset[Unit], lower: int) -> bool:
        """Return whether what is still in question is a small part of the slice."""
        if lower < 0:
            return False
        least = self._candidate(needed, lower)
        rest = tree.token_count if least is None else tree.token_count - least.token_count
        return rest < _CHUNK * tree.token_count


_PHASE: Final = "slicing"
