"""What the numbers of a text count, in words."""

from __future__ import annotations

from collections.abc import Iterator

from marrow.reducers.relations.document import walk
from marrow.reducers.relations.schema import Count, Fields, Name, Repetition, Schema
from marrow.reducers.relations.schema_search import schema_of


def relations_in_words(text: bytes) -> list[str]:
    """Say what the numbers of a text count: `number 1 of line 1 is the number of lines`."""
    found = schema_of(text)
    return [] if found is None else list(dict.fromkeys(_sentences(found[1])))


def _sentences(schema: Schema) -> Iterator[str]:
    for way, item in walk(schema):
        if isinstance(item, Repetition):
            if item.count is not None and item.count.names:
                what = "lines" if len(item.body) == 1 else "cases"
                yield f"{_numbers(item.count, schema)} is the number of {what}{_after(way, schema)}"
            continue
        if item.row is not None and item.row.names[0][0]:
            yield f"{_numbers(item.row, schema)} is the number of words on {_line(way, schema)}"
        if item.letters is not None:
            words = f"letters of {_line(way, schema)}"
            yield f"{_numbers(item.letters, schema)} is the number of {words}"


def _numbers(count: Count, schema: Schema) -> str:
    words = " times ".join(_number(name, schema) for name in count.names)
    words = words if count.factor == 1 else f"{count.factor} times {words}"
    return words if not count.offset else f"{words} {'plus' if count.offset > 0 else 'less'} 1"


def _number(name: Name, schema: Schema) -> str:
    return f"number {name[1] + 1} of {_line(name[0], schema)}"


def _line(way: tuple[int, ...], schema: Schema) -> str:
    """Return where a line is: by its number as long as nothing before it is repeated."""
    if len(way) > 1:
        item = schema[way[0]]
        single = isinstance(item, Repetition) and len(item.body) == 1
        return "each of these lines" if single else f"line {way[-1] + 1} of each case"
    before = all(isinstance(one, Fields) for one in schema[: way[0]])
    return f"line {way[0] + 1}" if before else "the line after these"


def _after(way: tuple[int, ...], schema: Schema) -> str:
    if len(way) > 1:
        return f" after line {way[-1]} of each case"
    before = all(isinstance(one, Fields) for one in schema[: way[0]])
    return f" after line {way[0]}" if before else " after these"
