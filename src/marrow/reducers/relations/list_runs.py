"""Minimises a list in a text whose other parts change with it: runs from halves to single elements.

Each run is tried in every way that the list has; the way that worked last comes first, and once one
has worked, only that one is tried on short runs. Guarantee: none. Worst case: 2n tests for each way
of a list of n elements, but no runs shorter than a 64th of it if none of that length could go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from marrow.reducers.relations.document import Document
from marrow.reducers.streams.stream import Attempt, Stream, attempt
from marrow.tree.outline import as_one_piece

#: Runs shorter than this share of a list are not tried if no run of the length before could go.
MOST_RUNS: Final = 64

#: The same as long as other lists have something to lose; and once a way has worked, runs shorter
#: than this share are tried in that way alone.
COARSE: Final = 8

# A list of which all runs are tried.
_SHORT: Final = 10

# How many elements are kept alone at either end.
_FEW: Final = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 64, 128)


@dataclass(frozen=True, slots=True)
class Elements:
    """A list: what its elements are called, how many it has, and ways to keep some of them.

    A way returns None where nothing can be written without the others.
    """

    label: str
    length: Callable[[Document], int]
    ways: tuple[tuple[str, Callable[[Document, Sequence[int]], Document | None]], ...]


@dataclass(frozen=True, slots=True)
class ListRuns:
    """Deletes runs of a list, from halves down to single elements."""

    elements: Elements
    #: What follows, with what is left.
    ended: Callable[[Document], Stream | None]
    #: The list is left once it is cut into this number of runs, and none of them could go.
    most_runs: int = MOST_RUNS

    def start(self, document: Document) -> Stream | None:
        """Begin with halves."""
        length = self.elements.length(document)
        if length < 1:
            return self.ended(document)
        order = tuple(range(len(self.elements.ways)))
        return self._of_size(document, max(1, length // 2), length, order, went=True)

    def _of_size(
        self,
        document: Document,
        size: int,
        end: int,
        order: tuple[int, ...],
        *,
        trusted: bool = False,
        went: bool = False,
    ) -> Stream:
        """Try runs of a length that end at or before a position, then shorter ones.

        `trusted`: the first way has worked before. `went`: a run of this length could go.
        """
        length, label = self.elements.length(document), self.elements.label
        runs = -(-length // size)
        ways = order[:1] if trusted and runs > COARSE else order
        if 2 < runs <= COARSE and end == length:
            for start in range(0, length, size):
                yield from self._kept(document, range(start, min(start + size, length)), order)
        while end > 0:
            start = max(0, end - size)
            if end - start < length or length == 1:
                phase = f"deleting {label} {start + 1} to {end} of {length} with their count"
                if end - start == 1:
                    phase = f"deleting {label[:-1]} {end} with its count"
                kept = [*range(start), *range(end, length)]
                yield from self._tried(document, kept, ways, order, phase, size, start)
            # Of few elements, runs that overlap are tried too.
            end = end - 1 if length <= _SHORT and start else start
        if size > 1 and (went or runs < self.most_runs):
            finer = size // 2 if size > _SHORT // 2 else size - 1
            return self._of_size(document, finer, length, order, trusted=trusted)
        # A few elements at either end: what needs a balance seldom bears halves.
        for count in _FEW if size > 1 or not went else ():
            if 4 * count < length:
                yield from self._kept(document, range(count), ways)
                yield from self._kept(document, range(length - count, length), ways)
        return self.ended(document)

    def _kept(self, document: Document, kept: range, order: tuple[int, ...]) -> Iterator[Attempt]:
        """Try to keep a single run."""
        length = self.elements.length(document)
        phase = f"keeping {len(kept)} of {length} {self.elements.label} with their count"
        return self._tried(document, kept, order, order, phase, max(1, len(kept) // 2), 0)

    def _tried(
        self,
        document: Document,
        kept: Sequence[int],
        ways: tuple[int, ...],
        order: tuple[int, ...],
        phase: str,
        size: int,
        end: int,
    ) -> Iterator[Attempt]:
        """Keep elements in each of some ways; what follows is tried with runs of a size."""
        for way in ways:
            label, keep = self.elements.ways[way]
            candidate = keep(document, kept)
            if candidate is not None and candidate.text != document.text:
                tree = as_one_piece(candidate.text)
                following = (way, *(one for one in order if one != way))
                named = f"{phase}, {label}" if label else phase
                yield attempt(tree, named, self._went, candidate, size, end, following)

    def _went(
        self, document: Document, size: int, end: int, order: tuple[int, ...]
    ) -> Stream | None:
        length = self.elements.length(document)
        if length < 1:
            return self.ended(document)
        size = max(1, min(size, length // 2))
        at = min(end, length) if end > 0 else length
        return self._of_size(document, size, at, order, trusted=True, went=True)
