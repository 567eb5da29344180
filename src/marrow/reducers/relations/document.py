"""A text as its schema sees it: numbers, what they count, and what refers to what.

A *dimension* is a number and all that it counts: lines, words of lines, letters of strings. To
delete some of its indices is to delete these elements everywhere, and to write a smaller number. A
*reference* is a column whose values are indices of a dimension, as the ends of edges are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from marrow.reducers.relations.schema import (
    Fields,
    Group,
    Item,
    Name,
    Repetition,
    Schema,
    Value,
    Way,
    WordLayout,
    counts_of,
    number_in,
    plain_number,
    rendered,
    walk,
    written,
)

#: The place of a group: the item and the repetition at each level.
Path: TypeAlias = tuple[tuple[int, int], ...]

#: The column of all words of a row.
ROW: Final = -1

#: The number of columns of a table, which is nowhere in the text.
WIDTH: Final[Name] = ((), 0)


class IndexColumn(NamedTuple):
    """What a column refers to: the number of a dimension, and the least index."""

    name: Name
    base: int


def groups_in(group: Group, number: int) -> list[Group]:
    """Return the groups of a repetition."""
    value = group[number]
    assert not isinstance(value, bytes)
    return value


def with_value(group: Group, number: int, value: Value) -> Group:
    """Return a group with another line or repetition."""
    return [*group[:number], value, *group[number + 1 :]]


@dataclass(frozen=True, eq=False)
class Document:
    """A text with its schema, and which columns are references."""

    layout: WordLayout
    schema: Schema
    group: Group
    references: dict[Name, IndexColumn]
    #: How many columns a table has.
    width: int = 0
    #: Numbers that are the sum of a row.
    sums: tuple[tuple[Name, Way], ...] = ()

    @cached_property
    def text(self) -> bytes:
        """The text."""
        return self.layout.text(rendered(self.group))

    def items(self, way: Way) -> Schema:
        """Return the items of the groups at a way."""
        schema = self.schema
        for number in way:
            item = schema[number]
            assert isinstance(item, Repetition)
            schema = item.body
        return schema

    def at(self, path: Path) -> Group:
        """Return the group at a path."""
        group = self.group
        for item, number in path:
            group = groups_in(group, item)[number]
        return group

    def with_group(self, path: Path, group: Group) -> Document:
        """Return the document with another group at a path."""
        for depth in reversed(range(len(path))):
            item, number = path[depth]
            around = self.at(path[:depth])
            groups = [*groups_in(around, item)]
            groups[number] = group
            group = with_value(around, item, groups)
        return replace(self, group=group)

    def scopes(self, way: Way) -> list[Path]:
        """Return the paths of all groups at a way."""
        paths: list[Path] = [()]
        for item in way:
            paths = [(*one, (item, n)) for one in paths for n in range(len(self.at(one)[item]))]
        return paths

    def words(self, path: Path, number: int) -> list[bytes]:
        """Return the words of a line of the group at a path; none if it is not a line."""
        line = self.at(path)[number]
        return self.layout.words(line) if isinstance(line, bytes) else []

    def number(self, path: Path, name: Name) -> int:
        """Return the value of a number of the group at a path; -1 if there is none."""
        if name == WIDTH:
            return self.width
        words = self.words(path, name[0][-1])
        value = number_in(words[name[1]]) if name[1] < len(words) else None
        return -1 if value is None else value

    def with_number(self, path: Path, name: Name, value: int) -> Document:
        """Return the document with another value of a number."""
        if name == WIDTH:
            return replace(self, width=value)
        number = name[0][-1]
        words = self.words(path, number)
        words[name[1]] = written(value, words[name[1]])
        return self.with_group(path, with_value(self.at(path), number, self.layout.line(words)))

    def columns(self, name: Name) -> dict[Way, list[tuple[int, int]]]:
        """Return the columns that refer to a dimension, by their lines, with the least index."""
        found: dict[Way, list[tuple[int, int]]] = {}
        for (way, column), reference in self.references.items():
            if reference.name == name:
                found.setdefault(way, []).append((column, reference.base))
        return found


# -- Edits -----------------------------------------------------------------------------------------

OnWords: TypeAlias = Callable[[Way, Fields, list[bytes]], list[bytes]]
OnGroups: TypeAlias = Callable[[Repetition, list[Group]], list[Group]]


def _edited(
    document: Document,
    path: Path,
    wanted: Callable[[Way, Item], bool],
    on_words: OnWords,
    on_groups: OnGroups = lambda _, groups: groups,
) -> Document:
    """Change the wanted lines below a path, and all repetitions that they or others are in."""
    way, layout = tuple(item for item, _ in path), document.layout
    schema = document.items(way)
    found = [here for here, item in walk(schema, way) if wanted(here, item)]
    touched = {here[:end] for here in found for end in range(len(way) + 1, len(here) + 1)}

    def changed(schema: Schema, group: Group, way: Way) -> Group:
        # It calls itself as deep as the schema is, which is three or four.
        made: Group = []
        for number, (item, value) in enumerate(zip(schema, group, strict=True)):
            here = (*way, number)
            if here not in touched:
                made.append(value)
            elif isinstance(item, Fields):
                assert isinstance(value, bytes)
                made.append(layout.line(on_words(here, item, layout.words(value))))
            else:
                groups = on_groups(item, groups_in(group, number))
                if any((*here, inner) in touched for inner in range(len(item.body))):
                    groups = [changed(item.body, one, here) for one in groups]
                made.append(groups)
        return made

    return document.with_group(path, changed(schema, document.at(path), way))


def with_words(document: Document, path: Path, ways: Container[Way], change: OnWords) -> Document:
    """Change the words of some lines below a path."""
    return _edited(document, path, lambda way, one: isinstance(one, Fields) and way in ways, change)


def without(document: Document, path: Path, name: Name, kept: Sequence[int]) -> Document:
    """Keep some indices of a dimension, and write how many these are."""
    count = document.number(path, name)

    def wanted(_: Way, item: Item) -> bool:
        return any(name in one.names for one in counts_of(item))

    def on_groups(item: Repetition, groups: list[Group]) -> list[Group]:
        if item.count is None or name not in item.count.names:
            return groups
        return [groups[at] for at in item.count.elements(kept) if at < len(groups)]

    def on_words(_: Way, item: Fields, words: list[bytes]) -> list[bytes]:
        width = item.width or 0
        if item.row is not None and name in item.row.names:
            rest = words[width:]
            if len(item.row.names) == 1:
                rest = [rest[at] for at in item.row.elements(kept) if at < len(rest)]
            else:
                rest = _of_table(rest, item.row.names, name, kept, count)
            words = words[:width] + rest
        if item.letters is not None and name in item.letters.names:
            word = words[width - 1]
            words[width - 1] = bytes(word[at] for at in kept if at < len(word))
        return words

    smaller = _edited(document, path, wanted, on_words, on_groups)
    return smaller.with_number(path, name, len(kept))


def _of_table(
    words: list[bytes], names: tuple[Name, ...], name: Name, kept: Sequence[int], count: int
) -> list[bytes]:
    """Keep rows or columns of a table whose values are all on one line."""
    staying = set(kept)
    by_row, by_column = names[0] == name, names[1] == name
    columns = len(words) // max(1, count) if by_row and not by_column else count
    return [
        word
        for at, word in enumerate(words)
        if columns
        and (not by_row or at // columns in staying)
        and (not by_column or at % columns in staying)
    ]


#: The new index of an old one; None if it is gone.
Renumber: TypeAlias = Callable[[int], "int | None"]


def renumbered(
    document: Document, path: Path, name: Name, new: Renumber, but: Sequence[Way] = ()
) -> Document:
    """Give other indices to all references to a dimension, but those of some lines."""
    columns = document.columns(name)

    def on_words(way: Way, item: Fields, words: list[bytes]) -> list[bytes]:
        for column, base in columns[way]:
            places = [column] if column != ROW else range(item.width or 0, len(words))
            for at in places:
                value = plain_number(words[at]) if at < len(words) else None
                index = None if value is None or abs(value) < base else new(abs(value) - base)
                if value is not None and index is not None:
                    words[at] = b"%d" % ((index + base) * (-1 if value < 0 else 1))
        return words

    return with_words(document, path, columns.keys() - but, on_words)


def row_sum(document: Document, path: Path, number: int) -> int | None:
    """Return the sum of the words of a line; None if one of them is not a number."""
    values = [plain_number(word) for word in document.words(path, number)]
    numbers = [value for value in values if value is not None]
    return sum(numbers) if len(numbers) == len(values) else None


def settled(document: Document) -> Document:
    """Write the sums that rows have."""
    for name, way in document.sums:
        for path in document.scopes(way[:-1]):
            total = row_sum(document, path, way[-1])
            if total is not None:
                document = document.with_number(path, name, total)
    return document


def rank(kept: Sequence[int]) -> Renumber:
    """Return the new number of an index: that of the last one before it that stays."""
    return lambda index: max(0, bisect_right(kept, index) - 1)


def mentions(layout: WordLayout, columns: list[tuple[int, int]], line: Value) -> Iterator[int]:
    """Yield the indices that a line refers to in some columns."""
    words = layout.words(line) if isinstance(line, bytes) else []
    for column, base in columns:
        for word in words if column == ROW else words[column : column + 1]:
            value = plain_number(word)
            if value is not None and abs(value) >= base:
                yield abs(value) - base
