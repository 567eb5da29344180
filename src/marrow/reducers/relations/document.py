"""A text as its schema sees it: numbers, what they count, and what refers to what.

A *dimension* is a number and all that it counts: lines, words of lines, letters of strings. To
delete some of its indices is to delete these elements everywhere, and to write a smaller number. A
*reference* is a column whose values are indices of a dimension, as the ends of edges are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from marrow.reducers.relations.schema import (
    Count,
    Fields,
    Group,
    Item,
    Name,
    Repetition,
    Schema,
    Value,
    rendered,
)
from marrow.reducers.relations.word_lines import WordLayout, number_in, plain_number, written

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
    sums: tuple[tuple[Name, tuple[int, ...]], ...] = ()

    @cached_property
    def text(self) -> bytes:
        """The text."""
        return self.layout.text(rendered(self.group))

    def items(self, way: Sequence[int]) -> Schema:
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
            value = group[item]
            assert not isinstance(value, bytes)
            group = value[number]
        return group

    def with_group(self, path: Path, group: Group) -> Document:
        """Return the document with another group at a path."""
        passed = [self.at(path[:depth]) for depth in range(len(path))]
        for around, (item, number) in zip(reversed(passed), reversed(path), strict=True):
            value = around[item]
            assert not isinstance(value, bytes)
            groups = [*value[:number], group, *value[number + 1 :]]
            group = [*around[:item], groups, *around[item + 1 :]]
        return replace(self, group=group)

    def scopes(self, way: Sequence[int]) -> Iterator[Path]:
        """Yield the paths of all groups at a way."""
        paths: list[Path] = [()]
        for item in way:
            following = []
            for path in paths:
                value = self.at(path)[item]
                assert not isinstance(value, bytes)
                following += [(*path, (item, number)) for number in range(len(value))]
            paths = following
        yield from paths

    def number(self, path: Path, name: Name) -> int:
        """Return the value of a number of the group at a path; -1 if there is none."""
        if name == WIDTH:
            return self.width
        return number_at(self.layout, self.at(path), name)

    def with_number(self, path: Path, name: Name, value: int) -> Document:
        """Return the document with another value of a number."""
        if name == WIDTH:
            return replace(self, width=value)
        group = self.at(path)
        line = group[name[0][-1]]
        assert isinstance(line, bytes)
        words = self.layout.words(line)
        words[name[1]] = written(value, words[name[1]])
        changed: list[Value] = list(group)
        changed[name[0][-1]] = self.layout.line(words)
        return self.with_group(path, changed)

    def columns(self, name: Name) -> dict[tuple[int, ...], list[tuple[int, int]]]:
        """Return the columns that refer to a dimension, by their lines, with the least index."""
        found: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for (way, column), reference in self.references.items():
            if reference.name == name:
                found.setdefault(way, []).append((column, reference.base))
        return found


def number_at(layout: WordLayout, group: Group, name: Name) -> int:
    """Return the value of a number of a group; -1 if there is none."""
    line = group[name[0][-1]]
    words = layout.words(line) if isinstance(line, bytes) else []
    value = number_in(words[name[1]]) if name[1] < len(words) else None
    return -1 if value is None else value


def counts_of(item: Item) -> Iterator[Count]:
    """Yield the counts of an item, not those of its body."""
    if isinstance(item, Fields):
        yield from (one for one in (item.row, item.letters) if one is not None)
    elif item.count is not None:
        yield item.count


def walk(schema: Schema, way: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Item]]:
    """Yield all items, with their ways."""
    pending = [((*way, number), item) for number, item in enumerate(schema)]
    for here, item in pending:
        yield here, item
        if isinstance(item, Repetition):
            pending += [((*here, number), one) for number, one in enumerate(item.body)]


OnLine: TypeAlias = Callable[[tuple[int, ...], Fields, bytes], bytes]
OnGroups: TypeAlias = Callable[[tuple[int, ...], Repetition, "list[Group]"], "list[Group]"]


def rewritten(
    schema: Schema,
    group: Group,
    way: tuple[int, ...],
    touched: frozenset[tuple[int, ...]],
    on_line: OnLine,
    on_groups: OnGroups,
) -> Group:
    """Return a group with lines and repetitions changed, where an item at a way is touched.

    It calls itself as deep as the schema is, which is three or four.
    """
    changed: Group = []
    for number, (item, value) in enumerate(zip(schema, group, strict=True)):
        here = (*way, number)
        if here not in touched:
            changed.append(value)
        elif isinstance(item, Fields):
            assert isinstance(value, bytes)
            changed.append(on_line(here, item, value))
        else:
            assert not isinstance(value, bytes)
            groups = on_groups(here, item, value)
            below = [(*here, inner) in touched for inner in range(len(item.body))]
            if any(below):
                groups = [
                    rewritten(item.body, one, here, touched, on_line, on_groups) for one in groups
                ]
            changed.append(groups)
    return changed


def touched_ways(
    schema: Schema, way: tuple[int, ...], wanted: Callable[[tuple[int, ...], Item], bool]
) -> frozenset[tuple[int, ...]]:
    """Return the ways of the wanted items below a way, and of all that are around them."""
    found = [here for here, item in walk(schema, way) if wanted(here, item)]
    return frozenset(here[:end] for here in found for end in range(len(way) + 1, len(here) + 1))


# -- Edits -----------------------------------------------------------------------------------------


def without(document: Document, path: Path, name: Name, kept: Sequence[int]) -> Document:
    """Keep some indices of a dimension, and write how many these are."""
    layout, way = document.layout, tuple(item for item, _ in path)
    count = document.number(path, name)
    schema = document.items(way)

    def counted(one: Count | None) -> bool:
        return one is not None and name in one.names

    def wanted(_: tuple[int, ...], item: Item) -> bool:
        return any(map(counted, counts_of(item)))

    def on_groups(_: tuple[int, ...], item: Repetition, groups: list[Group]) -> list[Group]:
        if item.count is None or name not in item.count.names:
            return groups
        return [groups[at] for at in item.count.elements(kept) if at < len(groups)]

    def on_line(_: tuple[int, ...], item: Fields, line: bytes) -> bytes:
        words = layout.words(line)
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
        return layout.line(words)

    touched = touched_ways(schema, way, wanted)
    group = rewritten(schema, document.at(path), way, touched, on_line, on_groups)
    return document.with_group(path, group).with_number(path, name, len(kept))


def _of_table(
    words: list[bytes], names: tuple[Name, ...], name: Name, kept: Sequence[int], count: int
) -> list[bytes]:
    """Keep rows or columns of a table whose values are all on one line."""
    staying = set(kept)
    columns = len(words) // max(1, count) if names[0] == name else count
    if names[0] == names[1]:
        columns = count
    by_row, by_column = names[0] == name, names[1] == name
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
    document: Document,
    path: Path,
    name: Name,
    new: Renumber,
    but: frozenset[tuple[int, ...]] = frozenset(),
) -> Document:
    """Give other indices to all references to a dimension, but those of some lines."""

    columns = document.columns(name)

    def on_words(way: tuple[int, ...], item: Fields, words: list[bytes]) -> list[bytes]:
        for column, base in columns[way]:
            places = [column] if column != ROW else range(item.width or 0, len(words))
            for at in places:
                if at < len(words):
                    words[at] = _renumbered_word(words[at], base, new)
        return words

    return with_words(document, path, lambda way, _: way in columns and way not in but, on_words)


def _renumbered_word(word: bytes, base: int, new: Renumber) -> bytes:
    value = plain_number(word)
    if value is None or abs(value) < base:
        return word
    found = new(abs(value) - base)
    return word if found is None else b"%d" % ((found + base) * (-1 if value < 0 else 1))


def with_words(
    document: Document,
    path: Path,
    wanted: Callable[[tuple[int, ...], Item], bool],
    change: Callable[[tuple[int, ...], Fields, list[bytes]], list[bytes]],
) -> Document:
    """Change the words of some lines below a path."""
    way, layout = tuple(item for item, _ in path), document.layout
    schema = document.items(way)
    touched = touched_ways(schema, way, lambda at, one: isinstance(one, Fields) and wanted(at, one))

    def on_line(here: tuple[int, ...], item: Fields, line: bytes) -> bytes:
        return layout.line(change(here, item, layout.words(line)))

    group = rewritten(schema, document.at(path), way, touched, on_line, lambda _, __, one: one)
    return document.with_group(path, group)


def row_sum(document: Document, path: Path, number: int) -> int | None:
    """Return the sum of the words of a line; None if one of them is not a number."""
    line = document.at(path)[number]
    words = document.layout.words(line) if isinstance(line, bytes) else []
    values = [plain_number(word) for word in words]
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
