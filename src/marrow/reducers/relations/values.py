"""Smaller values in a document: all of a column, all together, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.reducers.relations.dimensions import dimensions
from marrow.reducers.relations.document import ROW, Document, walk, with_words
from marrow.reducers.relations.schema import Fields, Name
from marrow.reducers.relations.word_lines import plain_number

# Values are changed one by one if there are at most this number.
_MOST_SINGLE: Final = 120


@dataclass(frozen=True, slots=True)
class ValueChange:
    """A document with other values, and which of all changes it is."""

    document: Document
    label: str
    number: int


def changes(document: Document, start: int = 0) -> Iterator[ValueChange]:
    """Yield smaller values: of all columns together, of one, of one place; from a number on."""
    for number, (label, make) in enumerate(_edits(document)):
        candidate = make() if number >= start else None
        if candidate is not None:
            yield ValueChange(candidate, label, number)


def _columns(document: Document) -> list[Name]:
    counts = set(dimensions(document))
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
    for column in columns:
        for label, change in _TOGETHER:
            yield f"a column {label}", partial(_mapped, document, [column], change)


def _mapped(
    document: Document, columns: list[Name], change: Callable[[list[int]], Callable[[int], int]]
) -> Document | None:
    values = list(_values(document, columns))
    if not values:
        return None
    new = change(values)
    chosen = set(columns)

    def on_words(way: tuple[int, ...], item: Fields, words: list[bytes]) -> list[bytes]:
        first = item.width or 0
        for at, word in enumerate(words):
            column = at if at < first else ROW
            if (way, column) in chosen:
                value = plain_number(word)
                if value is not None:
                    words[at] = b"%d" % new(value)
        return words

    ways = {way for way, _ in columns}
    return with_words(document, (), lambda way, _: way in ways, on_words)


def _values(document: Document, columns: list[Name]) -> Iterator[int]:
    chosen = set(columns)
    found: list[int] = []

    def on_words(way: tuple[int, ...], item: Fields, words: list[bytes]) -> list[bytes]:
        for at, word in enumerate(words):
            if (way, at if at < (item.width or 0) else ROW) in chosen:
                value = plain_number(word)
                if value is not None:
                    found.append(value)
        return words

    ways = {way for way, _ in columns}
    with_words(document, (), lambda way, _: way in ways, on_words)
    return iter(found)


def _to(value: int) -> Callable[[list[int]], Callable[[int], int]]:
    return lambda _: lambda __: value


def _ranks(base: int) -> Callable[[list[int]], Callable[[int], int]]:
    def made(values: list[int]) -> Callable[[int], int]:
        order = {value: at + base for at, value in enumerate(sorted(set(values)))}
        return lambda value: order[value]

    return made


_TOGETHER: Final[tuple[tuple[str, Callable[[list[int]], Callable[[int], int]]], ...]] = (
    ("to 0", _to(0)),
    ("to 1", _to(1)),
    ("by their ranks from 0", _ranks(0)),
    ("by their ranks", _ranks(1)),
    ("without signs", lambda _: abs),
    ("by their last digits", lambda _: lambda value: value % 10),
    ("halved", lambda _: lambda value: value // 2),
)
