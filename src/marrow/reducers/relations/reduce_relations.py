"""Reduces a text with its relations: what is deleted takes its count along, as one attempt.

The schema is found in the input, once. Then the dimensions lose indices, the outermost first: runs
of half of them, then of a quarter, down to single ones, the last first. Each run is tried in every
way that a dimension has; the way that worked last comes first, and once one has worked, only that
one is tried on short runs. Values follow (`values`). All is repeated as long as something goes.

Guarantee: none by itself; the whole pipeline follows. Worst case: for a dimension of n indices 2n
tests for each of its ways, but no runs shorter than a 64th of it if none of that length could go.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from marrow.reducers.relations.dimensions import Elements, dimensions, lists_of, uncounted
from marrow.reducers.relations.document import Document
from marrow.reducers.relations.schema_search import document_of, schema_of
from marrow.reducers.relations.values import ValueChange, changes
from marrow.reducers.streams.stream import Attempt, Done, Reducer, Stream, attempt
from marrow.tree import Tree
from marrow.tree.outline import as_one_piece

# Runs shorter than this share of a list are not tried if no run of the length before could go.
_MOST_RUNS: Final = 64

# Once a way has worked, runs shorter than this share are tried in that way alone.
_COARSE: Final = 8

# How many elements are kept alone at either end.
_FEW: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 64, 128)

# At most this number of groups is looked at one by one.
_MOST_GROUPS: Final = 12


def relations(first: bytes) -> Reducer:
    """Return the reducer by the relations that a text has; it is for what is left of that text."""

    def run(tree: Tree, done: Done) -> Stream | None:
        found = schema_of(first)
        document = None if found is None else document_of(tree.text, *found)
        if document is None or document.text != tree.text:
            return done(tree)
        return _Run(done).round(document)

    return run


@dataclass(frozen=True, slots=True)
class _Place:
    """How far a round has come: a dimension, a group, a list of it."""

    name: int = 0
    group: int = 0
    list: int = 0


@dataclass(frozen=True, slots=True)
class _Run:
    done: Done
    #: A list is left once it is cut into this number of runs, and none of them could go.
    most_runs: int = _COARSE

    def round(self, document: Document) -> Stream | None:
        """Delete elements of all lists, then lower values."""
        return self._lists(document, document.text, _Place(-1))

    def _lists(self, document: Document, before: bytes, place: _Place) -> Stream | None:
        """Minimise the list at a place of the round, and those that follow."""
        if place.name < 0:
            lists = list(uncounted(document))
            following = _Place(-1, 0, place.list + 1)
            if place.list < len(lists):
                return _Runs(self, lists[place.list], before, following).start(document)
            place = _Place()
        names = dimensions(document)
        while place.name < len(names):
            name = names[place.name]
            paths = list(document.scopes(name[0][:-1]))[:_MOST_GROUPS]
            if place.group >= len(paths):
                place = _Place(place.name + 1)
                continue
            lists = list(lists_of(document, name, paths[place.group]))
            if place.list >= len(lists):
                place = _Place(place.name, place.group + 1)
                continue
            elements = lists[place.list]
            following = _Place(place.name, place.group, place.list + 1)
            return _Runs(self, elements, before, following).start(document)
        return self._values(document, before)

    def _values(self, document: Document, before: bytes) -> Stream | None:
        return self._changes(document, before, changes(document))

    def _changes(self, document: Document, before: bytes, todo: Iterator[ValueChange]) -> Stream:
        seen = {document.text}
        for change in todo:
            candidate = change.document
            if candidate.text in seen or not _smaller(candidate.text, document.text):
                continue
            seen.add(candidate.text)
            tree = as_one_piece(candidate.text)
            yield attempt(tree, change.label, self._changed, candidate, before, change)
        if document.text != before:
            return _Run(self.done).round(document)
        if self.most_runs < _MOST_RUNS:
            return _Run(self.done, _MOST_RUNS).round(document)
        return self.done(as_one_piece(document.text))

    def _changed(self, document: Document, before: bytes, change: ValueChange) -> Stream | None:
        return self._changes(document, before, changes(document, change.number))

    def continued(self, document: Document, before: bytes, place: _Place) -> Stream | None:
        """Continue with the next list."""
        return self._lists(document, before, place)


def _smaller(one: bytes, two: bytes) -> bool:
    return (len(one), one) < (len(two), two)


@dataclass(frozen=True, slots=True)
class _Runs:
    """Deletes runs of a list, from halves down to single elements."""

    run: _Run
    elements: Elements
    before: bytes
    following: _Place

    def start(self, document: Document) -> Stream | None:
        """Begin with halves."""
        length = self.elements.length(document)
        if length < 1:
            return self._end(document)
        order = tuple(range(len(self.elements.ways)))
        return self._of_size(
            document, max(1, length // 2), length, order, trusted=False, any_went=True
        )

    def _end(self, document: Document) -> Stream | None:
        return self.run.continued(document, self.before, self.following)

    def _of_size(
        self,
        document: Document,
        size: int,
        end: int,
        order: tuple[int, ...],
        *,
        trusted: bool,
        any_went: bool,
    ) -> Stream:
        """Try runs of a length that end at or before a position, then shorter ones."""
        length = self.elements.length(document)
        runs = -(-length // size)
        ways = order[:1] if trusted and runs > _COARSE else order
        if 2 < runs <= _COARSE and end == length:
            yield from self._only(document, size, order)
        while end > 0:
            start = max(0, end - size)
            if end - start < length or length == 1:
                kept = [*range(start), *range(end, length)]
                phase = self._phase(start, end, length)
                for way in ways:
                    one = self._attempt(document, kept, way, order, phase, size, start)
                    if one is not None:
                        yield one
            end = start
        if size == 1 or (not any_went and runs >= self.run.most_runs):
            if size > 1 or not any_went:
                yield from self._few(document, ways)
            return self._end(document)
        return self._of_size(document, size // 2, length, order, trusted=trusted, any_went=False)

    def _only(self, document: Document, size: int, order: tuple[int, ...]) -> Iterator[Attempt]:
        """Try to keep a single run."""
        length = self.elements.length(document)
        for start in range(0, length, size):
            kept = range(start, min(start + size, length))
            yield from self._kept(document, kept, order)

    def _few(self, document: Document, order: tuple[int, ...]) -> Iterator[Attempt]:
        """Try to keep a few elements at either end: what needs a balance seldom bears halves."""
        length = self.elements.length(document)
        for count in _FEW:
            if 4 * count < length:
                yield from self._kept(document, range(count), order)
                yield from self._kept(document, range(length - count, length), order)

    def _kept(self, document: Document, kept: range, order: tuple[int, ...]) -> Iterator[Attempt]:
        length = self.elements.length(document)
        phase = f"keeping {len(kept)} of {length} {self.elements.label} with their count"
        for way in order:
            one = self._attempt(document, kept, way, order, phase, max(1, len(kept) // 2), None)
            if one is not None:
                yield one

    def _phase(self, start: int, end: int, length: int) -> str:
        label = self.elements.label
        if end - start == 1:
            return f"deleting {label[:-1]} {end} with its count"
        return f"deleting {label} {start + 1} to {end} of {length} with their count"

    def _attempt(
        self,
        document: Document,
        kept: Sequence[int],
        way: int,
        order: tuple[int, ...],
        phase: str,
        size: int,
        end: int | None,
    ) -> Attempt | None:
        label, keep = self.elements.ways[way]
        candidate = keep(document, kept)
        if candidate is None or candidate.text == document.text:
            return None
        tree = as_one_piece(candidate.text)
        following = (way, *(one for one in order if one != way))
        phase = f"{phase}, {label}" if label else phase
        return attempt(tree, phase, self._went, candidate, size, end, following)

    def _went(
        self, document: Document, size: int, end: int | None, order: tuple[int, ...]
    ) -> Stream | None:
        length = self.elements.length(document)
        if length < 1:
            return self._end(document)
        size = max(1, min(size, length // 2))
        at = length if end is None or end <= 0 else min(end, length)
        return self._of_size(document, size, at, order, trusted=True, any_went=True)
