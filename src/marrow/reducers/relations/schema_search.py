"""Finds the schema of a text: the shortest that explains all lines.

Best first search with a limit. At each line, an item is one of: a repetition of lines or groups by
a number that was read before, a line with that many words or letters, or a plain line. A relation
costs less than a plain line, a number that has not counted anything yet less than one that has.
What no relation explains is repeated lines up to the end. Without tests, and in one pass over most
texts: a wrong schema fails after a few lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import combinations_with_replacement
from typing import Final

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
    numbers_of,
)
from marrow.reducers.relations.word_lines import WordLayout, layout_of, number_in, plain_number

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

#: Numbers read so far, the last first, and those that have counted something.
_Known = tuple[tuple[Name, int], ...]


@dataclass(frozen=True, slots=True)
class FoundSchema:
    """A schema with its cost."""

    schema: Schema
    cost: float


@dataclass(frozen=True, slots=True)
class _Partial:
    """Items from some line up to another: numbers read, and those that have counted something."""

    items: Schema
    at: int
    known: _Known
    used: frozenset[Name] = frozenset()
    cost: float = 0.0

    def then(
        self, item: Item, price: float, at: int, numbers: _Known, names: frozenset[Name]
    ) -> _Partial:
        """Return it with another item."""
        known = (*self.known, *numbers)
        return _Partial((*self.items, item), at, known, self.used | names, self.cost + price)


@dataclass(slots=True)
class _Search:
    lines: Lines
    #: Whether groups of several lines are looked for.
    groups: bool = False
    searches: int = 0

    def whole(self, known: _Known = ()) -> FoundSchema | None:
        """Find the schema of all lines, the cheapest first."""
        end = len(self.lines.lines)
        return self._cheapest(_Partial((), 0, known), (), lambda one: one.at == end, top=True)

    def _cheapest(
        self,
        start: _Partial,
        way: tuple[int, ...],
        complete: Callable[[_Partial], bool],
        *,
        top: bool,
    ) -> FoundSchema | None:
        """Extend what is cheapest until something is complete."""
        heap = [(start.cost, 0, start)]
        made = 0
        for _ in range(_MOST_STEPS):
            if not heap:
                break
            _, _, one = heappop(heap)
            if one.items and complete(one):
                return FoundSchema(one.items, one.cost)
            if one.at >= len(self.lines.lines) or len(one.items) >= _MOST_ITEMS:
                continue
            here = (*way, len(one.items))
            for option in self._options(one.at, one.known, one.used, here, top=top):
                made += 1
                following = one.then(*option)
                heappush(heap, (following.cost, made, following))
        return None

    def _options(
        self, at: int, known: _Known, used: frozenset[Name], here: tuple[int, ...], *, top: bool
    ) -> Iterator[tuple[Item, float, int, _Known, frozenset[Name]]]:
        """Yield the items that match from a line on: price, end, numbers read, numbers used."""
        lines, count = self.lines, self.lines.counts[at]
        least = 2 if top else 1
        plain = numbers_of(lines.layout, lines.lines[at], None)
        numbers = tuple(((here, column), value) for column, value in plain)
        for counted, value, price in self._counts(known, used):
            names = frozenset(counted.names)
            if value == count and value >= least:
                yield Fields(0, counted), price, at + 1, (), names
            if len(counted.names) > 1 or counted.factor > 1:
                continue
            if count == 1 and counted.plain and _spelled(lines.lines[at], value):
                yield Fields(1, None, counted), price, at + 1, (), names
            if least <= value <= len(lines.lines) - at:
                for body, extra, more in self._bodies(at, value, known, used, here):
                    yield Repetition(counted, body), price + extra, at + value, (), names | more
                group = self._group(at, counted, value, known, used, here, top=top)
                if group is not None:
                    item = Repetition(counted, group.schema)
                    yield item, price + _GROUP, len(lines.lines), (), names
        if count > 1 and plain and plain[0] == (0, count - 1):
            inline = Fields(1, Count(((here, 0),)))
            yield inline, _INLINE, at + 1, numbers[:1], frozenset(((here, 0),))
        if top and self.groups:
            yield from self._uncounted(at, known, used, here)
        yield Fields(count), _LINE + _WORD * count, at + 1, numbers, frozenset()

    def _counts(self, known: _Known, used: frozenset[Name]) -> Iterator[tuple[Count, int, float]]:
        """Yield what may be a count, with its value and its price."""
        near = [one for one in known[-_NEAREST:] if one[1] >= 0]
        for name, value in near:
            price = _RELATION + _USED * (name in used)
            yield Count((name,)), value, price
            for offset in (-1, 1):
                yield Count((name,), offset), value + offset, price + _OFFSET
            for factor in (2, 3):
                yield Count((name,), 0, factor), value * factor, price + _PRODUCT + _OFFSET
            yield Count((name, name)), value * value, price + _PRODUCT + _OFFSET
        for (one, left), (two, right) in combinations_with_replacement(near, 2):
            if one != two and min(left, right) > 1:
                yield Count((one, two)), left * right, _RELATION + _PRODUCT

    def _bodies(
        self, at: int, count: int, known: _Known, used: frozenset[Name], here: tuple[int, ...]
    ) -> Iterator[tuple[Schema, float, frozenset[Name]]]:
        """Yield the lines that may be repeated that number of times."""
        lines, width = self.lines, self.lines.counts[at]
        inner = (*here, 0)
        own = Count(((inner, 0),))
        layout, some = lines.layout, lines.lines[at : at + count]
        first = lines.layout.words(some[0])
        if lines.ends[at] >= at + count:
            continues = 0.2 * (lines.ends[at] > at + count)
            for counted, value, price in self._counts(known, used):
                simple = len(counted.names) == 1
                inside = _INSIDE * price + continues
                if value == width > 1 and simple:
                    yield (Fields(0, counted),), inside, frozenset(counted.names)
                equal = width == 1 and _spelled(first[0], value) and counted.plain
                if equal and all(len(line) == value for line in some):
                    yield (Fields(1, None, counted),), inside, frozenset(counted.names)
            if width == 2 and _all(some, lambda line: _length_first(layout.words(line))):
                yield (Fields(2, None, own),), 0.3, frozenset(own.names)
            if width > 1 and _all(some, lambda line: number_in(layout.words(line)[0]) == width - 1):
                yield (Fields(1, own),), 0.2, frozenset(own.names)
            yield (Fields(width),), 0.3 + continues, frozenset()
        elif _all(some, lambda line: _count_first(layout.words(line))):
            yield (Fields(1, own),), 0.2, frozenset(own.names)
        elif at + count == len(lines.lines):
            yield (Fields(None),), _ANY_LINES, frozenset()

    def _group(
        self,
        at: int,
        counted: Count,
        count: int,
        known: _Known,
        used: frozenset[Name],
        here: tuple[int, ...],
        *,
        top: bool,
    ) -> FoundSchema | None:
        """Find what is repeated that number of times up to the end, starting with a line."""
        if not counted.plain or counted.names[0] in used or count < 2 or not (top and self.groups):
            return None
        return self._repeated(Repetition(counted, ()), at, known, used, here)

    def _repeated(
        self, item: Repetition, at: int, known: _Known, used: frozenset[Name], here: tuple[int, ...]
    ) -> FoundSchema | None:
        """Find the cheapest body of two items or more; the first group shows what may be."""
        self.searches += 1
        if self.searches > _MOST_SEARCHES:
            return None
        end, values = len(self.lines.lines) - item.tail, dict(known)

        def complete(one: _Partial) -> bool:
            if len(one.items) < 2 or one.at > end:
                return False
            whole = replace(item, body=one.items)
            found = self.lines.repeated(whole, here, at, values, kept=False)
            return found is not None and found[1] == end

        return self._cheapest(_Partial((), at, known, used, _GROUP), here, complete, top=False)

    def _uncounted(
        self, at: int, known: _Known, used: frozenset[Name], here: tuple[int, ...]
    ) -> Iterator[tuple[Item, float, int, _Known, frozenset[Name]]]:
        """Yield groups up to the end, or to a line of zeros."""
        lines = self.lines
        last = lines.layout.words(lines.lines[-1])
        tail = int(bool(last) and all(word in (b"0", b"-1") for word in last))
        single = self._single(at, tail, here)
        if single is not None:
            yield single, _UNCOUNTED, len(lines.lines) - tail, (), frozenset()
        if tail or not at:
            item = Repetition(None, (), tail)
            group = self._repeated(item, at, known, used, here)
            if group is not None and any(_relates(one) for one in group.schema):
                whole = replace(item, body=group.schema)
                yield whole, _UNCOUNTED, len(lines.lines) - tail, (), frozenset()

    def _single(self, at: int, tail: int, here: tuple[int, ...]) -> Repetition | None:
        """Return lines that start with their own counts, up to the end."""
        layout, some = self.lines.layout, self.lines.lines[at : len(self.lines.lines) - tail]
        if len(some) > 1 and _all(some, lambda line: _count_first(layout.words(line))):
            return Repetition(None, (Fields(1, Count((((*here, 0), 0),))),), tail)
        return None


def _spelled(word: bytes, length: int) -> bool:
    """Whether a word is a string of some length: more than a number has."""
    return len(word) == length > 1 and (length > _LONGEST_NUMBER or plain_number(word) is None)


def _all(lines: list[bytes], holds: Callable[[bytes], bool]) -> bool:
    return all(map(holds, lines))


def _count_first(words: list[bytes]) -> bool:
    return bool(words) and number_in(words[0]) == len(words) - 1


def _length_first(words: list[bytes]) -> bool:
    return plain_number(words[0]) == len(words[1])


def _relates(item: Item) -> bool:
    if isinstance(item, Fields):
        return item.row is not None or item.letters is not None
    return item.count is not None or any(map(_relates, item.body))


# The share of the lines of a table that have as many words.
_ALIKE: Final = 0.8


def _table(lines: Lines) -> FoundSchema | None:
    """Return the schema of lines of which most have as many words, if there is nothing else."""
    width, often = Counter(lines.counts).most_common(1)[0]
    if width < 2 or often < _ALIKE * len(lines.lines):
        return None
    found: list[Item] = []
    for count in lines.counts:
        offset = count - width
        if abs(offset) > 1 or len(found) > _MOST_ITEMS:
            return None
        if not offset and lines.ends[len(found)] == len(lines.lines):
            rest = Repetition(None, (Fields(0, Count((WIDTH,))),))
            return FoundSchema((*found, rest), 0.0)
        found.append(Fields(0, Count((WIDTH,), offset)))
    return None


def schema_of(text: bytes) -> tuple[WordLayout, Schema] | None:
    """Find the schema of a text; None if it has no relations."""
    layout = layout_of(text)
    lines = Lines.of(layout, text)
    found = _Search(lines).whole() or _Search(lines, groups=True).whole() or _table(lines)
    if found is None or not any(map(_relates, found.schema)):
        return None
    return layout, found.schema


def document_of(text: bytes, layout: WordLayout, schema: Schema) -> Document | None:
    """Return a text as a schema sees it; None if it does not match."""
    lines = Lines.of(replace(layout, ended=text.endswith(layout.newline)), text)
    width = Counter(lines.counts).most_common(1)[0][0]
    matched = lines.match(schema, 0, {WIDTH: width})
    if matched is None or matched[1] != len(lines.lines):
        return None
    return with_references(Document(lines.layout, schema, matched[0], {}, width))
