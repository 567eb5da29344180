"""The dimensions of a document, and the ways to delete indices of one.

There are four: *plain* leaves all other values alone; *drop* deletes the lines that refer to what
is gone, and renumbers the rest (a vertex with its edges); *squeeze* keeps these lines, and lets
them refer to the next index below (a range that reaches to the end still does); *ranks* is for
permutations. Edges can also be *contracted*: their ends become one vertex, so that a tree stays a
tree and what is connected stays connected. Which of them a text bears, only tests can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, TypeAlias

from marrow.reducers.relations.document import (
    ROW,
    WIDTH,
    Document,
    IndexColumn,
    Path,
    groups_in,
    mentions,
    rank,
    renumbered,
    row_sum,
    settled,
    with_value,
    with_words,
    without,
)
from marrow.reducers.relations.list_runs import Elements
from marrow.reducers.relations.schema import (
    Fields,
    Group,
    Name,
    Repetition,
    Way,
    counts_of,
    plain_number,
    walk,
)

#: Returns the document with some elements of a list kept; None if that cannot be.
Keep: TypeAlias = Callable[[Document, Sequence[int]], "Document | None"]

# As many lines of a column are looked at to see what they refer to.
_SAMPLE: Final = 2000

# A larger number that counts nothing is a value, not a dimension.
_LARGEST: Final = 200_000

# In a larger text what costs least time comes first: to leave all values alone.
_LARGE_TEXT: Final = 8_000_000

# A column refers to a dimension if its largest values come near to it.
_NEAR: Final = 0.5


def counted_names(document: Document) -> set[Name]:
    """Return the numbers that count something."""
    counts = (one for _, item in walk(document.schema) for one in counts_of(item))
    return {name for one in counts for name in one.names}


def dimensions(document: Document) -> list[Name]:
    """Return the numbers that count something, or that something refers to."""
    referred = {one.name for one in document.references.values()}
    return sorted(counted_names(document) | referred, key=lambda one: (len(one[0]), one))


def with_references(document: Document) -> Document:
    """Find out which columns refer to which dimension."""
    counted = counted_names(document)
    names = dimensions(document) + _scalars(document)
    for way, item in walk(document.schema):
        if not isinstance(item, Fields):
            continue
        columns = [ROW] if item.width is None else list(range(min(item.width, 8)))
        for column in [*columns, ROW] if item.row is not None else columns:
            known = (way, column) in counted
            found = None if known else _reference(document, way, item, column, names)
            if found is not None:
                document.references[way, column] = found
    return replace(document, sums=tuple(_sums(document)))


def _sums(document: Document) -> Iterator[tuple[Name, Way]]:
    """Yield numbers that are the sum of a row, in all groups."""
    for name in _scalars(document):
        for number, item in enumerate(document.items(name[0][:-1])):
            if isinstance(item, Fields) and item.row is not None and not item.width:
                paths = document.scopes(name[0][:-1])
                totals = [row_sum(document, path, number) for path in paths]
                if totals == [document.number(path, name) for path in paths] and any(totals):
                    yield name, (*name[0][:-1], number)


def _scalars(document: Document) -> list[Name]:
    """Return the numbers of the first lines of groups that count nothing."""
    known = set(dimensions(document))
    return [
        (way, at)
        for way, item in walk(document.schema)
        if isinstance(item, Fields) and item.width and len(way) < 3
        if len(way) == 1 or len(document.items(way[:-1])) > 1
        for at in range(min(item.width, 8))
        if (way, at) not in known
    ]


def _reference(
    document: Document, way: Way, item: Fields, column: int, names: list[Name]
) -> IndexColumn | None:
    """Return the dimension whose indices a column has: the one it comes nearest to."""
    best: tuple[float, IndexColumn] | None = None
    for name in names:
        if name == WIDTH or (way, column) == name or name[0][:-1] != way[: len(name[0]) - 1]:
            continue
        if name[0] == way and column != ROW and column < name[1]:
            continue  # what comes before a number does not refer to it
        found = _fits(document, way, item, column, name)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else best[1]


def _fits(
    document: Document, way: Way, item: Fields, column: int, name: Name
) -> tuple[float, IndexColumn] | None:
    """Return how near the largest values of a column come to a number, and the reference."""
    nearness, groups, least, exact = 0.0, 0, 1, True
    for path in document.scopes(name[0][:-1])[:200]:
        bound = document.number(path, name)
        low, high = 1 << 62, -1
        for line in islice(_lines(document.at(path), way[len(name[0]) - 1 :]), _SAMPLE):
            words = document.layout.words(line)
            some = words[item.width or 0 :] if column == ROW else words[column : column + 1]
            for word in some[: 4 * _SAMPLE]:
                value = plain_number(word)
                if value is None:
                    return None
                low, high = min(low, abs(value)), max(high, abs(value))
        if high < 0:
            continue
        if high > bound:
            return None
        exact, least = exact and high < bound, min(least, low)
        nearness, groups = nearness + high / max(1, bound), groups + 1
    if not groups or nearness / groups < _NEAR:
        return None
    return nearness / groups, IndexColumn(name, 0 if least == 0 and exact else 1)


def _lines(group: Group, way: Way) -> Iterator[bytes]:
    """Yield the lines at a way below a group."""
    pending = [(group, way)]
    while pending:
        one, (number, *rest) = pending.pop()
        value = one[number]
        if isinstance(value, bytes):
            yield value
        else:
            pending.extend((inner, tuple(rest)) for inner in reversed(value))


# -- Ways to keep some indices ---------------------------------------------------------------------


def lists_of(document: Document, name: Name, path: Path) -> Iterator[Elements]:
    """Yield the lists of a dimension: its indices, and edges that can be contracted."""

    def length(now: Document) -> int:
        return now.number(path, name)

    if length(document) > max(_LARGEST, 2 * len(document.text)):
        return
    ways = _ways(document, name, path)
    if len(document.text) > _LARGE_TEXT:
        ways = ways[::-1]
    else:
        yield from _contractions(document, name, path)
    yield Elements(_label(document, name), length, ways)


def uncounted(document: Document) -> Iterator[Elements]:
    """Yield the repetitions that no number counts."""
    for number, item in enumerate(document.schema):
        if isinstance(item, Repetition) and item.count is None:
            label = "rows" if len(item.body) == 1 else "cases"
            yield _groups(label, (), (number,), "", _rows_kept((), (number,), item))


def _rows_kept(path: Path, way: Way, item: Repetition) -> Keep:
    return lambda now, kept: _without_rows(now, path, way, item, kept)


def _groups(label: str, path: Path, way: Way, name: str, keep: Keep) -> Elements:
    """Return the groups of a repetition as a list with one way to keep some."""
    return Elements(label, lambda now: len(now.at(path)[way[-1]]), ((name, keep),))


def _label(document: Document, name: Name) -> str:
    """Return what the indices of a dimension are, for people."""
    for _, item in walk(document.schema):
        for count in counts_of(item):
            if name in count.names:
                if isinstance(item, Repetition):
                    return "rows" if len(item.body) == 1 else "cases"
                return "values" if item.row is count else "letters"
    return "indices"


def _ways(document: Document, name: Name, path: Path) -> tuple[tuple[str, Keep], ...]:
    def plain(now: Document, kept: Sequence[int]) -> Document:
        return without(now, path, name, kept)

    def squeeze(now: Document, kept: Sequence[int]) -> Document:
        return renumbered(plain(now, kept), path, name, rank(kept))

    def drop(now: Document, kept: Sequence[int]) -> Document:
        return squeeze(_without_mentions(now, path, name, set(kept)), kept)

    def ranks(now: Document, kept: Sequence[int]) -> Document:
        return renumbered(_ranked(plain(now, kept), path, name, own), path, name, rank(kept), own)

    scope = name[0][:-1]
    referring = list(document.columns(name))
    items = dict(walk(document.schema))
    rows = ((way, item) for way in referring if isinstance(item := items[way], Fields))
    own = [way for way, item in rows if item.row is not None and name in item.row.names]
    if document.sums:
        return (("with their sum", lambda now, kept: settled(squeeze(now, kept))), ("", plain))
    if not referring:
        return (("", plain),)
    found: list[tuple[str, Keep]] = []
    if own:
        found.append(("with ranks", ranks))
    if any(way[:-1] != scope for way in referring if way not in own):
        found.append(("with what refers to them", drop))
    return (*found, ("renumbered", squeeze), ("", plain))


def _ranked(document: Document, path: Path, name: Name, ways: list[Way]) -> Document:
    """Replace the values of rows that refer to their own dimension by their ranks."""
    columns = document.columns(name)

    def on_words(way: Way, item: Fields, words: list[bytes]) -> list[bytes]:
        first = item.width or 0
        base = next((base for column, base in columns[way] if column == ROW), None)
        values = [value for word in words[first:] if (value := plain_number(word)) is not None]
        if base is None or len(values) < len(words) - first:
            return words
        order = {value: at for at, value in enumerate(sorted(set(values)), base)}
        return words[:first] + [b"%d" % order[value] for value in values]

    return with_words(document, path, ways, on_words)


def _without_mentions(document: Document, path: Path, name: Name, kept: set[int]) -> Document:
    """Delete the lines and words that refer to indices that go, with their counts."""
    all_columns = document.columns(name)
    for way, item in walk(document.items(name[0][:-1]), name[0][:-1]):
        columns = all_columns.get((*way, 0), [])
        if not isinstance(item, Repetition) or len(item.body) > 1 or not columns:
            continue
        if any(name in count.names for count in counts_of(item)):
            continue
        for scope in document.scopes(way[:-1]):
            if scope[: len(path)] != path:
                continue
            groups = groups_in(document.at(scope), way[-1])
            staying = [
                at
                for at, group in enumerate(groups)
                if kept.issuperset(mentions(document.layout, columns, group[0]))
            ]
            if len(staying) < len(groups):
                document = _without_rows(document, scope, way, item, staying)
    return document


def _without_rows(
    document: Document, scope: Path, way: Way, item: Repetition, staying: Sequence[int]
) -> Document:
    """Keep some groups of a repetition, with its count if that is a number by itself."""
    count = item.count
    if count is not None and count.plain:
        above = scope[: len(count.names[0][0]) - 1]
        return without(document, above, count.names[0], staying)
    group = document.at(scope)
    groups = groups_in(group, way[-1])
    changed = with_value(group, way[-1], [groups[at] for at in staying])
    return document.with_group(scope, changed)


def _contractions(document: Document, name: Name, path: Path) -> Iterator[Elements]:
    """Yield the lists of edges between indices of a dimension."""
    columns = document.columns(name)
    for way, item in walk(document.items(name[0][:-1]), name[0][:-1]):
        ends = columns.get((*way, 0), [])[:2]
        if (
            isinstance(item, Repetition)
            and len(item.body) == 1
            and item.count is not None
            and [column for column, _ in ends] == [0, 1]
            and len(way) == len(name[0])
        ):
            keep = _contracted(path, way, item, ends, name)
            yield _groups("edges", path, way, "contracted", keep)


def _contracted(
    path: Path, way: Way, item: Repetition, columns: list[tuple[int, int]], name: Name
) -> Keep:
    """Return what lets the ends of all other edges become one vertex each."""

    def contracted(document: Document, kept: Sequence[int]) -> Document | None:
        count = document.number(path, name)
        above = list(range(count))

        def top(one: int) -> int:
            while above[one] != one:
                above[one] = above[above[one]]
                one = above[one]
            return one

        groups = groups_in(document.at(path), way[-1])
        edges = [list(mentions(document.layout, columns, group[0])) for group in groups]
        staying = set(kept)
        for at in (at for at in range(len(groups)) if at not in staying):
            if len(edges[at]) < 2 or max(edges[at]) >= count:
                return None
            low, high = sorted(map(top, edges[at]))
            above[high] = low
        classes = [one for one in range(count) if top(one) == one]
        place = {one: at for at, one in enumerate(classes)}
        assert item.count is not None
        if name in item.count.names:
            if len(kept) != len(classes) + item.count.offset:
                return None
            smaller = without(document, path, name, classes)
            rows = [groups[at] for at in kept]
            smaller = smaller.with_group(path, with_value(smaller.at(path), way[-1], rows))
        else:
            # An edge whose ends are one vertex now is a loop.
            left = [at for at in kept if len({top(one) for one in edges[at]}) > 1]
            smaller = _without_rows(document, path, way, item, left)
            smaller = without(smaller, path, name, classes)
        return renumbered(smaller, path, name, lambda one: place[top(one)] if one < count else None)

    return contracted
