"""Slices: keep what a few declarations need, and delete everything else in one test.

For texts of which most is there for the sake of little, such as a program with the headers of the
system in it. A slice keeps the last declaration, what the output of the test points to, and all
that they need, at one of four levels of precision (`lookup_precision`).

Most of what a text needs is needed by bodies of functions, and few failures are about more of them
than those of the last page and those that the output points to. So the first slice has no other
bodies, and no assertions. In the next ones constants keep their values: functions that may be
computed at compile time keep their bodies if heads name them. The last slices keep all bodies.

A slice that fails is repaired by what the output of its test says is missing (`slice_repair`), a
few times, at one test each.

Guarantee: none by itself; later stages see every token. Worst case: a few tests for each slice.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from marrow.base.reachability import reached
from marrow.reducers.slicing.declaration_graph import (
    DeclarationGraph,
    Deleted,
    Unit,
    grouped,
    is_check,
)
from marrow.reducers.slicing.dependents import body_form, definition, without_units
from marrow.reducers.slicing.lookup_precision import LookupPrecision, closure
from marrow.reducers.slicing.slice_repair import SliceRepair
from marrow.reducers.streams.stream import Done, Reducer, Stream, heard
from marrow.tree import Tree
from marrow.tree.outline import DeclarationOutline, SeeOutline

# A slice that leaves more than this share of the tokens is not worth a test.
_PAYS: Final = 0.995


# How often a slice that fails is repaired: compilers stop after some errors each time, and the
# cases took at most four repairs. Bodies alone count a third: where functions have to be defined
# that others call, each test names those that the last ones call.
_REPAIRS: Final = 24
_OF_ELEMENTS: Final = 3


def slices(see: SeeOutline, language: str) -> Reducer:
    """Return the reducer that tries the slices of an outline."""
    return if_large(on_outlines(see, sliced(language)))


def if_large(reducer: Reducer) -> Reducer:
    """Return the reducer for large texts; the tree of any other is empty."""
    return lambda tree, done: reducer(tree, done) if tree.token_count else done(tree)


#: Reduces the tree of an outline, as a reducer does.
OutlineReducer: TypeAlias = Callable[[DeclarationOutline, Done], Stream | None]


def on_outlines(see: SeeOutline, reduce: OutlineReducer) -> Reducer:
    """Return the reducer that works on outlines; what is small by now, or data, has none."""

    def run(tree: Tree, done: Done) -> Stream | None:
        outline = with_declarations(see, tree)
        return done(tree) if outline is None else reduce(outline, done)

    return run


def with_declarations(see: SeeOutline, tree: Tree) -> DeclarationOutline | None:
    """Return the outline of a tree's text, if it has one in which something is declared."""
    outline = see(tree.text)
    if outline is None or not any(one.declares for one in outline.elements):
        return None
    return outline


def sliced(language: str) -> OutlineReducer:
    """Return the reducer that tries the slices, those that are likely to be small first.

    Each is repaired a few times by what its test says is missing; the next ones keep that.
    """
    form = body_form(language)

    def run(outline: DeclarationOutline, done: Done) -> Stream:
        slicing = Slicing(outline)
        repair = SliceRepair(slicing.graph, outline.usual)
        tried: set[tuple[int, int]] = set()
        elements = outline.elements
        every = frozenset(map(Unit, range(len(elements))))
        for make in slicing.slices():
            left = _REPAIRS
            while left >= 0:
                part = make()
                size = (len(part.kept), len(part.emptied))
                emptied = {Unit(one, body=True) for one in part.emptied}
                deleted = every.difference(map(Unit, part.kept)) | emptied
                # A definition outside of its class goes whole: a declaration is an error there.
                gone = {definition(elements[one.at], one.at) for one in emptied}
                candidate = None
                if size not in tried:
                    candidate = without_units(outline, form, deleted | gone)
                tried.add(size)
                if candidate is None or candidate.token_count > _PAYS * outline.tree.token_count:
                    break
                one, hearing = heard(candidate, "slicing", done, candidate)
                yield one
                missing = repair.missing(hearing.output, deleted)
                if not missing:
                    break
                slicing.keep(missing)
                left -= 1 if all(one.body for one in missing) else _OF_ELEMENTS
        return done(outline.tree)

    return run


class Slice(NamedTuple):
    """What a slice keeps, and which of that it keeps without the body."""

    kept: Collection[int]
    emptied: Collection[int] = ()


class Slicing:
    """The slices of an outline."""

    def __init__(self, outline: DeclarationOutline) -> None:
        self._elements: Final = outline.elements
        self.graph: Final = DeclarationGraph(outline)
        self._suspects: Final = outline.suspects
        #: What slices keep, with all that it needs.
        self.roots: tuple[int, ...] = outline.roots
        #: The elements that lose their bodies in the first slices.
        self.bodies = self._needless()

    def slices(self) -> Iterator[Callable[[], Slice]]:
        """Yield what makes the slices, those that are likely to be small first."""
        yield partial(self.without_bodies, LookupPrecision.LEAN)
        for precision in (LookupPrecision.LEAN, LookupPrecision.STRICT):
            yield partial(self._with_constants, precision)
        for precision in (LookupPrecision.LEAN, LookupPrecision.STRICT, LookupPrecision.GENEROUS):
            yield partial(self.whole, precision)

    def keep(self, missing: Deleted) -> None:
        """Keep more in all slices from now on."""
        self.roots += tuple(sorted(one.at for one in missing if not one.body))
        bodies = frozenset(one.at for one in missing if one.body)
        self.bodies -= bodies | self._called(bodies)

    def _called(self, bodies: Iterable[int]) -> frozenset[int]:
        """Return what may be computed at compile time and some bodies call by name, and so on.

        A compiler that runs one of them needs the others, and names them one by one.
        """
        elements = self._elements
        constant = [one for one in self.bodies if self.graph.is_constant(elements[one])]
        by_name = grouped((name, one) for one in constant for name in elements[one].declares)

        def called(index: int) -> Iterator[int]:
            for name in elements[index].inside.words & by_name.keys():
                yield from by_name[name]

        first = (one for one in bodies if self.graph.is_constant(elements[one]))
        return frozenset(reached(first, called))

    def _needless(self) -> frozenset[int]:
        """Return the elements whose bodies the failure is not likely to be about."""
        return frozenset(
            index
            for index in self.graph.bodies - self._suspects
            # Not a conversion.
            if self._elements[index].declares or not self.graph.is_constant(self._elements[index])
        )

    def whole(self, precision: LookupPrecision) -> Slice:
        """Return the slice in which all bodies stay."""
        return Slice(closure(self.graph, self.roots, precision))

    def without_bodies(
        self, precision: LookupPrecision, emptied: frozenset[int] | None = None
    ) -> Slice:
        """Return the slice in which some bodies do not stay: all that can go, if none are named."""
        emptied = self.bodies if emptied is None else emptied
        kept = closure(self.graph, self.roots, precision, emptied)
        checks = {
            one for one in kept if is_check(self._elements[one]) and one not in self._suspects
        }
        return Slice(kept.keys() - checks, emptied & kept.keys())

    def _with_constants(self, precision: LookupPrecision) -> Slice:
        """Return the slice in which functions keep their bodies whose values heads may need."""
        elements, emptied = self._elements, self.bodies
        while True:
            found = self.without_bodies(precision, emptied)
            kept = map(elements.__getitem__, found.kept)
            words = {word for one in kept for word in one.mentions.words - one.declares}
            back = {
                one
                for one in found.emptied
                if self.graph.is_constant(elements[one])
                and not words.isdisjoint(elements[one].called)
            }
            if not back:
                return found
            emptied -= back
