"""Schemas: what follows what in the lines and words of a text, and which number counts it.

A schema is a sequence of items. `Fields` is a line: some words, then as many as a count says; the
last word may be a string whose length is counted. `Repetition` is a sequence of items, as often as
a count says. A count names a number that was read before, on a line of this group or of one around
it. So `T` cases of `N M` and `M` edges are a line, and a repetition of a line and a repetition of
a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

# A number may have a name before it, as in `rows=150`, and a base or zeros, as in `0x1F` or `007`.
_NUMBER: Final = re.compile(rb"([^\d\s]*[=:#@(\[])?([-+]?)(0[xX][0-9a-fA-F]+|\d+)")
# Longer ones do not count anything, and cost time.
_LONGEST: Final = 30


def plain_number(word: bytes) -> int | None:
    """Return the value of a word that is nothing but a decimal number."""
    if word.isdigit() or (word[:1] == b"-" and word[1:].isdigit()):
        return int(word) if len(word) < _LONGEST else None
    return None


def number_in(word: bytes) -> int | None:
    """Return the value of the number at the end of a word, whatever its base."""
    found = _NUMBER.fullmatch(word) if len(word) < _LONGEST else None
    if found is None:
        return None
    value = int(found[3], 16 if found[3][:2] in (b"0x", b"0X") else 10)
    return -value if found[2] == b"-" else value


def written(value: int, like: bytes) -> bytes:
    """Write a number as it was in a word: with its name, its base and its zeros."""
    found = _NUMBER.fullmatch(like)
    if found is None:
        return b"%d" % value
    name, digits = found[1] or b"", found[3]
    sign = b"-" if value < 0 else b"+" if found[2] == b"+" else b""
    if digits[:2] in (b"0x", b"0X"):
        return name + sign + digits[:2] + b"%0*x" % (len(digits) - 2, abs(value))
    width = len(digits) if digits[0] == ord("0") and len(digits) > 1 else 1
    return name + sign + b"%0*d" % (width, abs(value))


@dataclass(frozen=True, slots=True)
class WordLayout:
    """How lines are cut into words, and put together again."""

    separator: bytes = b" "
    newline: bytes = b"\n"
    #: Whether the last line has an end.
    ended: bool = True

    def lines(self, text: bytes) -> list[bytes]:
        """Return the lines of a text, without their ends."""
        return text.removesuffix(self.newline).split(self.newline)

    def text(self, lines: Iterable[bytes]) -> bytes:
        """Return the text of lines."""
        return self.newline.join(lines) + (self.newline if self.ended else b"")

    def words(self, line: bytes) -> list[bytes]:
        """Return the words of a line."""
        return line.split(self.separator) if line else []

    def line(self, words: Iterable[bytes]) -> bytes:
        """Return the line of words."""
        return self.separator.join(words)

    def count(self, line: bytes) -> int:
        """Return how many words a line has."""
        return line.count(self.separator) + 1 if line else 0


def layout_of(text: bytes) -> WordLayout:
    """Return the layout of a text: commas, tabs or spaces between words."""
    newline = b"\r\n" if text.count(b"\r\n") == text.count(b"\n") > 0 else b"\n"
    end = text.find(newline, 1 << 12)
    sample = text[: end if end >= 0 else 1 << 16]
    kinds = (b", ", b",", b"\t", b"; ", b";")
    most = max(kinds, key=lambda one: sample.count(one) * len(one))
    separator = most if sample.count(most) > sample.count(b" ") - sample.count(b", ") else b" "
    return WordLayout(separator, newline, text.endswith(newline))


#: A number in a schema: the numbers of the items on the way to its line, and the word in the line.
Name: TypeAlias = tuple[tuple[int, ...], int]

#: What a schema matched: a line, or the groups of a repetition.
Value: TypeAlias = "bytes | list[Group]"
Group: TypeAlias = "list[Value]"
Values: TypeAlias = Mapping[Name, int]

#: The place of an item in a schema: the numbers of the items on the way to it.
Way: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Count:
    """The product of some numbers and a factor, plus an offset."""

    names: tuple[Name, ...]
    offset: int = 0
    factor: int = 1

    def of(self, values: Values) -> int:
        """Return the count, given the numbers read so far."""
        product = self.factor
        for name in self.names:
            product *= values.get(name, -1)
        return product + self.offset

    @property
    def plain(self) -> bool:
        """Whether it is a number by itself."""
        return self == Count(self.names[:1])

    def elements(self, kept: Sequence[int]) -> list[int]:
        """Return the elements that stay with some indices."""
        if self.offset < 0:
            return [one - 1 for one in kept[1:]]
        if self.offset > 0:
            return [0, *(one + 1 for one in kept)]
        return [one * self.factor + part for one in kept for part in range(self.factor)]


@dataclass(frozen=True, slots=True)
class Fields:
    """A line of `width` words (any number if None), then `row` more of them.

    `letters` counts the letters of the last of the first words.
    """

    width: int | None
    row: Count | None = None
    letters: Count | None = None


@dataclass(frozen=True, slots=True)
class Repetition:
    """Items that are repeated; without a count up to the last `tail` lines of the text."""

    count: Count | None
    body: Schema
    tail: int = 0


Item: TypeAlias = Fields | Repetition
Schema: TypeAlias = tuple[Item, ...]


def counts_of(item: Item) -> Iterator[Count]:
    """Yield the counts of an item, not those of its body."""
    counts = (item.row, item.letters) if isinstance(item, Fields) else (item.count,)
    return (one for one in counts if one is not None)


def walk(schema: Schema, way: Way = ()) -> Iterator[tuple[Way, Item]]:
    """Yield all items, with their ways."""
    pending = [((*way, number), item) for number, item in enumerate(schema)]
    for here, item in pending:
        yield here, item
        if isinstance(item, Repetition):
            pending += [((*here, number), one) for number, one in enumerate(item.body)]


#: Words of a line that may be counts: the first ones, as a long line is a list.
MOST_FIELDS: Final = 12


def numbers_of(layout: WordLayout, line: bytes, width: int | None) -> list[tuple[int, int]]:
    """Return the words of a line that are numbers, with their values."""
    most = MOST_FIELDS if width is None else min(width, MOST_FIELDS)
    words = layout.words(line[: 40 * MOST_FIELDS])[:most]
    found = ((at, number_in(word)) for at, word in enumerate(words))
    return [(at, value) for at, value in found if value is not None]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines to match, with how many words each has, and where the lines like it end."""

    layout: WordLayout
    lines: list[bytes]
    counts: list[int]
    #: Where the run of lines ends that have as many words.
    ends: list[int]

    @classmethod
    def of(cls, layout: WordLayout, text: bytes) -> Lines:
        """Cut a text into lines."""
        lines = layout.lines(text)
        counts = [layout.count(line) for line in lines]
        ends, end = [0] * len(lines), len(lines)
        for at in range(len(lines) - 1, -1, -1):
            if at + 1 < len(lines) and counts[at] != counts[at + 1]:
                end = at + 1
            ends[at] = end
        return cls(layout, lines, counts, ends)

    def fields(self, item: Fields, way: Way, at: int, values: dict[Name, int]) -> bytes | None:
        """Match a line, and read its numbers; None if it does not match."""
        if at >= len(self.lines):
            return None
        line, count = self.lines[at], self.counts[at]
        if item.width is not None and item.row is None and count != item.width:
            return None
        if item.width != 0:
            for column, value in numbers_of(self.layout, line, item.width):
                values[way, column] = value
        if item.row is not None and count != (item.width or 0) + item.row.of(values):
            return None
        if item.letters is not None:
            word = self.layout.words(line)[(item.width or 1) - 1]
            if len(word) != item.letters.of(values):
                return None
        return line

    def match(
        self,
        schema: Schema,
        at: int,
        values: dict[Name, int],
        way: Way = (),
        *,
        kept: bool = True,
    ) -> tuple[Group, int] | None:
        """Match items from a line on; return the group, unless it is not kept, and its end."""
        group: Group = []
        for number, item in enumerate(schema):
            here = (*way, number)
            if isinstance(item, Fields):
                line = self.fields(item, here, at, values)
                if line is None:
                    return None
                group.append(line)
                at += 1
                continue
            found = self.repeated(item, here, at, values, kept=kept)
            if found is None:
                return None
            group.append(found[0])
            at = found[1]
        return group, at

    def repeated(
        self, item: Repetition, way: Way, at: int, values: Values, *, kept: bool = True
    ) -> tuple[list[Group], int] | None:
        """Match a repetition."""
        last = len(self.lines) - item.tail
        most = last if item.count is None else item.count.of(values)
        if most < 0 or (item.count is not None and at + most > last):
            return None
        first = item.body[0]
        if len(item.body) == 1 and isinstance(first, Fields) and not (first.row or first.letters):
            # Lines without counts of their own, all at once.
            end = last if item.count is None else at + most
            if at < end and first.width is not None:
                same = self.counts[at] == first.width
                if item.count is None:
                    end = min(end, self.ends[at]) if same else at
                elif not same or self.ends[at] < end:
                    return None
            return [[line] for line in self.lines[at:end]] if kept else [], end
        groups: list[Group] = []
        for _ in range(most):
            if item.count is None and at >= last:
                break
            found = self.match(item.body, at, dict(values), way, kept=kept)
            if found is None:
                return None
            if kept:
                groups.append(found[0])
            at = found[1]
        return groups, at


def rendered(group: Group) -> Iterator[bytes]:
    """Yield the lines of a group."""
    stack: list[Value] = list(reversed(group))
    while stack:
        value = stack.pop()
        if isinstance(value, bytes):
            yield value
        else:
            for one in reversed(value):
                stack.extend(reversed(one))
