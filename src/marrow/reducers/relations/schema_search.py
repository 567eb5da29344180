"""Finds the schema of a text: the shortest that explains all lines, without tests.

Best first search with a limit. At each line, an item is a repetition of lines or groups by a number
that was read before, a line with that many words or letters, or a plain line. A relation costs less
than a plain line, a number that has not counted anything yet less than one that has. What no
relation explains is repeated lines up to the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import combinations_with_replacement, count
from typing import Final, NamedTuple

from marrow.reducers.relations.dimensions import with_references
from marrow.reducers.relations.document import WIDTH, Document
from marrow.reducers.relations.schema import (
    Count,
    Fields,
    Item,
    Lines,
    Name,
    Repetition,
    Schema,
    Way,
    WordLayout,
    counts_of,
    layout_of,
    number_in,
    numbers_of,
    plain_number,
    walk,
)

# What items cost: the least sum is the schema. A relation is worth more than a line by itself, and
# a line that is explained by nothing costs more than any relation. They were chosen by hand.
_RELATION: Final = 1.0
_OFFSET: Final = 0.5
_PRODUCT: Final = 0.6
_USED: Final = 0.1
_INSIDE: Final = 0.1
_INLINE: Final = 1.1
_ANY_LINES: Final = 4.0
_LINE: Final = 2.0
_WORD: Final = 0.1
_GROUP: Final = 1.0
_UNCOUNTED: Final = 2.5

# How many items are looked at in all, and how deep.
_MOST_STEPS: Final = 300
_MOST_SEARCHES: Final = 6
_MOST_ITEMS: Final = 7
_NEAREST: Final = 8
_LONGEST_NUMBER: Final = 19

#: Numbers read so far, the last one last.
_Known = tuple[tuple[Name, int], ...]


class _Partial(NamedTuple):
    """Items of a schema or of a group (at a way) from some line up to another.

    `known` are the numbers read so far, `used` those that have counted something.
    """

    way: Way
    at: int
    known: _Known = ()
    used: frozenset[Name] = frozenset()
    cost: float = 0.0
    items: Schema = ()

    @property
    def here(self) -> Way:
        """The way of the next item."""
        return (*self.way, len(self.items))

    def then(self, item: Item, price: float, at: int, numbers: _Known = ()) -> _Partial:
        """Return it with another item."""
        counts = (count for _, one in walk((item,)) for count in counts_of(one))
        used = self.used.union(*(count.names for count in counts))
        known, cost = (*self.known, *numbers), self.cost + price
        return _Partial(self.way, at, known, used, cost, (*self.items, item))

    def counts(self) -> Iterator[tuple[Count, int, float]]:
        """Yield what may be a count, with its value and its price."""
        near = [one for one in self.known[-_NEAREST:] if one[1] >= 0]
        for name, value in near:
            price = _RELATION + _USED * (name in self.used)
            yield Count((name,)), value, price
            for offset in (-1, 1):
                yield Count((name,), offset), value + offset, price + _OFFSET
            for factor in (2, 3):
                yield Count((name,), 0, factor), value * factor, price + _PRODUCT + _OFFSET
            yield Count((name, name)), value * value, price + _PRODUCT + _OFFSET
        for (one, left), (two, right) in combinations_with_replacement(near, 2):
            if one != two and min(left, right) > 1:
                yield Count((one, two)), left * right, _RELATION + _PRODUCT


@dataclass(slots=True)
class _Search:
    lines: Lines
    #: Whether groups of several lines are looked for.
    groups: bool = False
    searches: int = 0

    def whole(self) -> Schema | None:
        """Find the schema of all lines, the cheapest first."""
        end = len(self.lines.lines)
        return self._cheapest(_Partial((), 0), lambda one: one.at == end)

    def _cheapest(self, start: _Partial, complete: Callable[[_Partial], bool]) -> Schema | None:
        """Extend what is cheapest until something is complete."""
        heap = [(start.cost, 0, start)]
        made = count(1)
        for _ in range(_MOST_STEPS):
            if not heap:
                break
            _, _, one = heappop(heap)
            if one.items and complete(one):
                return one.items
            if one.at < len(self.lines.lines) and len(one.items) < _MOST_ITEMS:
                for following in self._options(one):
                    heappush(heap, (following.cost, next(made), following))
        return None

    def _options(self, one: _Partial) -> Iterator[_Partial]:
        """Yield it with each item that matches the next lines."""
        lines, at, here, top = self.lines, one.at, one.here, not one.way
        width, end = lines.counts[at], len(lines.lines)
        least = 2 if top else 1
        plain = numbers_of(lines.layout, lines.lines[at], None)
        numbers = tuple(((here, column), value) for column, value in plain)
        for counted, value, price in one.counts():
            if value == width >= least:
                yield one.then(Fields(0, counted), price, at + 1)
            if len(counted.names) > 1 or counted.factor > 1:
                continue
            if width == 1 and counted.plain and _spelled(lines.lines[at], value):
                yield one.then(Fields(1, None, counted), price, at + 1)
            if least <= value <= end - at:
                for body, extra in self._bodies(one, value):
                    yield one.then(Repetition(counted, (body,)), price + extra, at + value)
                # What is repeated up to the end, and starts with a line.
                if counted.plain and counted.names[0] not in one.used and value > 1:
                    group = self._repeated(Repetition(counted, ()), one) if top else None
                    if group is not None:
                        yield one.then(group, price + _GROUP, end)
        if width > 1 and plain and plain[0] == (0, width - 1):
            yield one.then(Fields(1, Count(((here, 0),))), _INLINE, at + 1, numbers[:1])
        if top and self.groups:
            yield from self._uncounted(one)
        yield one.then(Fields(width), _LINE + _WORD * width, at + 1, numbers)

    def _bodies(self, one: _Partial, times: int) -> Iterator[tuple[Fields, float]]:
        """Yield the lines that may be repeated that number of times, with their price."""
        lines, at = self.lines, one.at
        width, some = lines.counts[at], lines.lines[at : at + times]
        own = Count((((*one.here, 0), 0),))

        def every(holds: Callable[[list[bytes]], bool]) -> bool:
            return all(holds(lines.layout.words(line)) for line in some)

        if lines.ends[at] >= at + times:
            continues = 0.2 * (lines.ends[at] > at + times)
            first = lines.layout.words(some[0])
            for counted, value, price in one.counts():
                inside = _INSIDE * price + continues
                if value == width > 1 and len(counted.names) == 1:
                    yield Fields(0, counted), inside
                equal = width == 1 and _spelled(first[0], value) and counted.plain
                if equal and all(len(line) == value for line in some):
                    yield Fields(1, None, counted), inside
            if width == 2 and every(lambda words: plain_number(words[0]) == len(words[1])):
                yield Fields(2, None, own), 0.3
            if width > 1 and every(_counts_itself):
                yield Fields(1, own), 0.2
            yield Fields(width), 0.3 + continues
        elif every(_counts_itself):
            yield Fields(1, own), 0.2
        elif at + times == len(lines.lines):
            yield Fields(None), _ANY_LINES

    def _repeated(self, item: Repetition, start: _Partial) -> Repetition | None:
        """Find the cheapest body of two items or more; the first group shows what may be."""
        if not self.groups:
            return None
        self.searches += 1
        if self.searches > _MOST_SEARCHES:
            return None
        end, values = len(self.lines.lines) - item.tail, dict(start.known)

        def complete(one: _Partial) -> bool:
            if len(one.items) < 2 or one.at > end:
                return False
            whole = replace(item, body=one.items)
            found = self.lines.repeated(whole, start.here, start.at, values, kept=False)
            return found is not None and found[1] == end

        first = _Partial(start.here, start.at, start.known, start.used, _GROUP)
        body = self._cheapest(first, complete)
        return None if body is None else replace(item, body=body)

    def _uncounted(self, one: _Partial) -> Iterator[_Partial]:
        """Yield groups up to the end, or to a line of zeros."""
        lines, layout = self.lines.lines, self.lines.layout
        last = layout.words(lines[-1])
        tail = int(bool(last) and all(word in (b"0", b"-1") for word in last))
        end = len(lines) - tail
        some = lines[one.at : end]
        # Lines that start with their own counts.
        if len(some) > 1 and all(_counts_itself(layout.words(line)) for line in some):
            row = Fields(1, Count((((*one.here, 0), 0),)))
            yield one.then(Repetition(None, (row,), tail), _UNCOUNTED, end)
        if tail or not one.at:
            group = self._repeated(Repetition(None, (), tail), one)
            if group is not None and any(map(_relates, group.body)):
                yield one.then(group, _UNCOUNTED, end)


def _spelled(word: bytes, length: int) -> bool:
    """Whether a word is a string of some length: more than a number has."""
    return len(word) == length > 1 and (length > _LONGEST_NUMBER or plain_number(word) is None)


def _counts_itself(words: list[bytes]) -> bool:
    """Whether the first of some words is the number of the others."""
    return bool(words) and number_in(words[0]) == len(words) - 1


def _relates(item: Item) -> bool:
    if isinstance(item, Fields):
        return item.row is not None or item.letters is not None
    return item.count is not None or any(map(_relates, item.body))


# The share of the lines of a table that have as many words.
_ALIKE: Final = 0.8


def _table(lines: Lines) -> Schema | None:
    """Return the schema of lines of which most have as many words, if there is nothing else."""
    width, often = Counter(lines.counts).most_common(1)[0]
    if width < 2 or often < _ALIKE * len(lines.lines):
        return None
    found: list[Item] = []
    for words in lines.counts:
        offset = words - width
        if abs(offset) > 1 or len(found) > _MOST_ITEMS:
            return None
        if not offset and lines.ends[len(found)] == len(lines.lines):
            rest = Repetition(None, (Fields(0, Count((WIDTH,))),))
            return (*found, rest)
        found.append(Fields(0, Count((WIDTH,), offset)))
    return None


def schema_of(text: bytes) -> tuple[WordLayout, Schema] | None:
    """Find the schema of a text; None if it has no relations."""
    layout = layout_of(text)
    lines = Lines.of(layout, text)
    found = _Search(lines).whole() or _Search(lines, groups=True).whole() or _table(lines)
    if found is None or not any(map(_relates, found)):
        return None
    return layout, found


def document_of(text: bytes, layout: WordLayout, schema: Schema) -> Document | None:
    """Return a text as a schema sees it; None if it does not match."""
    lines = Lines.of(replace(layout, ended=text.endswith(layout.newline)), text)
    width = Counter(lines.counts).most_common(1)[0][0]
    matched = lines.match(schema, 0, {WIDTH: width})
    if matched is None or matched[1] != len(lines.lines):
        return None
    return with_references(Document(lines.layout, schema, matched[0], {}, width))
