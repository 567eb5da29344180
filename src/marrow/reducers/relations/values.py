"""Smaller values in a document: of all columns, of one, of one value everywhere, of one place.

Ranks keep order and what is distinct. What comes first changes most at once; single values come
when few are left. Worst case: eight tests for each column, and seven for each single value and for
each that occurs more than once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, islice, permutations
from typing import Final, TypeAlias

from marrow.reducers.relations.dimensions import counted_names
from marrow.reducers.relations.document import ROW, Document, Path, with_words, without
from marrow.reducers.relations.schema import Count, Fields, Name, Way, plain_number, walk

# Values are changed one by one if there are at most this number of them.
_MOST_SINGLE: Final = 60

# Two different values are lowered by as much, of this number of pairs.
_MOST_PAIRS: Final = 10

# Two values of a list this long become their sum, whichever they are.
_MOST_MERGED: Final = 6

# Larger values go down by shares, not by 1.
_FEW: Final = 20

#: The new value of an old one, given all values.
Map: TypeAlias = Callable[[list[int]], Callable[[int], int]]


def changes(document: Document, start: int = 0) -> Iterator[tuple[int, str, Document]]:
    """Yield the changes of a document from a number on: its number, what it is, the result."""
    for number, (label, make) in enumerate(_edits(document)):
        candidate = make() if number >= start else None
        if candidate is not None:
            yield number, label, candidate


def _columns(document: Document) -> list[Name]:
    counts = counted_names(document)
    found: list[Name] = []
    for way, item in walk(document.schema):
        if isinstance(item, Fields):
            width = range(min(item.width or 0, 12))
            found += [(way, at) for at in width if (way, at) not in counts]
            if item.row is not None or item.width is None:
                found.append((way, ROW))
    return found


def _edits(document: Document) -> Iterator[tuple[str, Callable[[], Document | None]]]:
    columns = _columns(document)
    for label, change in _TOGETHER:
        yield f"all values {label}", partial(_mapped, document, columns, change)
    for column in columns if len(columns) > 1 else ():
        for label, change in _TOGETHER:
            yield f"a column {label}", partial(_mapped, document, [column], change)
    values = _values(document, columns)
    if len(values) > _MOST_SINGLE:
        return
    yield from _merged(document)
    for value, often in sorted(Counter(values).items(), reverse=True):
        for target in _lower(value) if often > 1 else ():
            change = _to(target, (value,))
            yield f"{value} to {target}", partial(_mapped, document, columns, change)
    for one, two in islice(combinations(sorted({v for v in values if v > 1}), 2), _MOST_PAIRS):
        for by in dict.fromkeys((one - 1, one // 2, 1) if one <= _FEW else (one - 1, one // 2)):
            change = _less(by, (one, two))
            yield f"{one} and {two} less {by}", partial(_mapped, document, columns, change)
    for place, value in enumerate(values):
        for target in _lower(value):
            yield f"{value} to {target}", partial(_single, document, columns, place, target)


def _lower(value: int) -> list[int]:
    """Return smaller values to try, the smallest first."""
    near = [value // 10, value // 2, value - value // 4, value - value // 16]
    last = [value - 1] if value <= _FEW else []
    below = [0, 1, *near, *last] if value > 0 else [0, 1, -1, -(-value // 2)]
    return [one for one in dict.fromkeys(below) if (abs(one), one < 0) < (abs(value), value < 0)]


def _merged(document: Document) -> Iterator[tuple[str, Callable[[], Document | None]]]:
    """Let two values of a short list become their sum."""
    for way, item in walk(document.schema):
        if (
            not isinstance(item, Fields)
            or item.row is None
            or item.row != Count(item.row.names[:1])
        ):
            continue
        name = item.row.names[0]
        for path in document.scopes(name[0][:-1]):
            count = document.number(path, name)
            if len(way) == len(path) + 1 and 1 < count <= _MOST_MERGED:
                for one, two in permutations(range(count), 2):
                    yield "two values as their sum", partial(_added, document, path, way, one, two)


def _added(document: Document, path: Path, way: Way, one: int, two: int) -> Document | None:
    def on_words(_: Way, item: Fields, words: list[bytes]) -> list[bytes]:
        first = item.width or 0
        left, right = (plain_number(words[first + at]) for at in (one, two))
        if left is not None and right is not None:
            words[first + two] = b"%d" % (left + right)
        return words

    item = document.items(way[:-1])[way[-1]]
    assert isinstance(item, Fields)
    assert item.row is not None
    larger = with_words(document, path, {way}, on_words)
    kept = [at for at in range(document.number(path, item.row.names[0])) if at != one]
    return without(larger, path, item.row.names[0], kept)


def _changed(document: Document, columns: list[Name], new: Callable[[int], int | None]) -> Document:
    """Change the numbers in some columns, in the order of the text."""
    chosen = set(columns)

    def on_words(way: Way, item: Fields, words: list[bytes]) -> list[bytes]:
        first = item.width or 0
        for at, word in enumerate(words):
            if (way, at if at < first else ROW) in chosen:
                value = plain_number(word)
                found = None if value is None else new(value)
                if found is not None:
                    words[at] = b"%d" % found
        return words

    return with_words(document, (), {way for way, _ in columns}, on_words)


def _values(document: Document, columns: list[Name]) -> list[int]:
    found: list[int] = []
    _changed(document, columns, found.append)
    return found


def _mapped(document: Document, columns: list[Name], change: Map) -> Document | None:
    values = _values(document, columns)
    return _changed(document, columns, change(values)) if values else None


def _single(document: Document, columns: list[Name], place: int, target: int) -> Document:
    numbers = iter(range(len(document.text)))
    return _changed(document, columns, lambda _: target if next(numbers) == place else None)


def _to(target: int, some: tuple[int, ...] = ()) -> Map:
    """Return the change of all values, or some, into one."""
    return lambda _: lambda value: target if value in some or not some else value


def _less(by: int, some: tuple[int, ...]) -> Map:
    return lambda _: lambda value: value - by if value in some else value


def _ranks(base: int) -> Map:
    def made(values: list[int]) -> Callable[[int], int]:
        order = {value: at + base for at, value in enumerate(sorted(set(values)))}
        return lambda value: order[value]

    return made


_TOGETHER: Final[tuple[tuple[str, Map], ...]] = (
    ("to 0", _to(0)),
    ("to 1", _to(1)),
    ("by their ranks from 0", _ranks(0)),
    ("by their ranks", _ranks(1)),
    ("without signs", lambda _: abs),
    ("by their last digits", lambda _: lambda value: value % 10),
    ("less the least", lambda values: _less(min(values), tuple(values))(values)),
    ("halved", lambda _: lambda value: value // 2),
)
