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
from functools import partial
from itertools import islice
from typing import Final, TypeAlias

from marrow.reducers.relations.document import (
    ROW,
    WIDTH,
    Document,
    IndexColumn,
    Path,
    counts_of,
    mentions,
    number_at,
    rank,
    renumbered,
    row_sum,
    settled,
    walk,
    with_words,
    without,
)
from marrow.reducers.relations.list_runs import Elements
from marrow.reducers.relations.schema import Fields, Group, Item, Name, Repetition
from marrow.reducers.relations.word_lines import plain_number

#: Returns the document with some elements of a list kept; None if that cannot be.
Keep: TypeAlias = Callable[[Document, Sequence[int]], "Document | None"]

# As many lines of a column are looked at to see what they refer to.
_SAMPLE: Final = 2000

# A larger number that counts nothing is a value, not a dimension.
_LARGEST: Final = 200_000

# Other numbers go down in proportion to a list; with one that is this short, by as much.
_PROPORTION: Final = "with other numbers"
_FEW: Final = 16

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


def _sums(document: Document) -> Iterator[tuple[Name, tuple[int, ...]]]:
    """Yield numbers that are the sum of a row, in all groups."""
    for name in _scalars(document):
        for number, item in enumerate(document.items(name[0][:-1])):
            if isinstance(item, Fields) and item.row is not None and not item.width:
                way = (*name[0][:-1], number)
                paths = list(document.scopes(way[:-1]))
                totals = [row_sum(document, path, number) for path in paths]
                if totals == [document.number(path, name) for path in paths] and any(totals):
                    yield name, way


def _scalars(document: Document) -> list[Name]:
    """Return the numbers of the first lines of groups that count nothing."""
    known = set(dimensions(document))
    found = []
    for way, item in walk(document.schema):
        if isinstance(item, Fields) and item.width and len(way) < 3:
            in_body = len(way) > 1 and len(document.items(way[:-1])) == 1
            if not in_body:
                found += [(way, at) for at in range(min(item.width, 8)) if (way, at) not in known]
    return found


def _reference(
    document: Document, way: tuple[int, ...], item: Fields, column: int, names: list[Name]
) -> IndexColumn | None:
    """Return the dimension whose indices a column has: the one it comes nearest to."""
    best: tuple[float, Name, int] | None = None
    for name in names:
        if name == WIDTH or (way, column) == name or name[0][:-1] != way[: len(name[0]) - 1]:
            continue
        if name[0] == way and column != ROW and column < name[1]:
            continue  # what comes before a number does not refer to it
        found = _fits(document, way, item, column, name)
        if found is not None and (best is None or found[0] > best[0]):
            best = found[0], name, found[1]
    return None if best is None else IndexColumn(best[1], best[2])


def _fits(
    document: Document, way: tuple[int, ...], item: Fields, column: int, name: Name
) -> tuple[float, int] | None:
    """Return how near the largest values of a column come to a number, and the least value."""
    nearness, groups, least, exact = 0.0, 0, 1, True
    inside = way[len(name[0]) - 1 :]
    for path in islice(document.scopes(name[0][:-1]), 200):
        scope = document.at(path)
        bound = number_at(document.layout, scope, name)
        low, high, signed = 1 << 62, -1, False
        for line in islice(_lines(scope, inside), _SAMPLE):
            words = document.layout.words(line)
            some = words[item.width or 0 :] if column == ROW else words[column : column + 1]
            for word in some[: 4 * _SAMPLE]:
                value = plain_number(word)
                if value is None:
                    return None
                signed = signed or value < 0
                low, high = min(low, abs(value)), max(high, abs(value))
        if high < 0:
            continue
        if signed and item.width is not None and column != ROW and high > bound:
            return None
        exact = exact and high < bound
        if high > bound:
            return None
        least = min(least, low)
        nearness, groups = nearness + high / max(1, bound), groups + 1
    if not groups or nearness / groups < _NEAR:
        return None
    base = 0 if least == 0 and exact else 1
    return nearness / groups, base


def _lines(group: Group, way: Sequence[int]) -> Iterator[bytes]:
    """Yield the lines at a way below a group."""
    pending: list[tuple[Group, Sequence[int]]] = [(group, way)]
    while pending:
        one, rest = pending.pop()
        value = one[rest[0]]
        if isinstance(value, bytes):
            yield value
        else:
            pending.extend((inner, rest[1:]) for inner in reversed(value))


# -- Ways to keep some indices ---------------------------------------------------------------------


def lists_of(document: Document, name: Name, path: Path) -> Iterator[Elements[Document]]:
    """Yield the lists of a dimension: its indices, and edges that can be contracted."""

    def length(now: Document) -> int:
        return now.number(path, name)

    if length(document) > max(_LARGEST, 2 * len(document.text)):
        return
    ways = _ways(document, name, path)
    if len(document.text) > _LARGE_TEXT:
        yield Elements(_label(document, name), length, ways[::-1])
        return
    yield from _contractions(document, name, path)
    yield Elements(_label(document, name), length, ways)


def uncounted(document: Document) -> Iterator[Elements[Document]]:
    """Yield the repetitions that no number counts."""
    for number, item in enumerate(document.schema):
        if isinstance(item, Repetition) and item.count is None:
            plain = partial(_rows_kept, number=number, item=item)
            length = partial(_groups_at, path=(), number=number)
            yield Elements("rows" if len(item.body) == 1 else "cases", length, (("", plain),))


def _rows_kept(
    document: Document, kept: Sequence[int], number: int, item: Repetition
) -> Document | None:
    return without_rows(document, (), (number,), item, list(kept))


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
    referring = [way for (way, _), one in document.references.items() if one.name == name]
    own = [way for way in referring if _counts_words(document, way, name)]

    def plain(now: Document, kept: Sequence[int]) -> Document | None:
        return without(now, path, name, kept)

    def squeeze(now: Document, kept: Sequence[int]) -> Document:
        return renumbered(without(now, path, name, kept), path, name, rank(kept))

    def drop(now: Document, kept: Sequence[int]) -> Document | None:
        return squeeze(_without_mentions(now, path, name, set(kept)), kept)

    def proportional(now: Document, kept: Sequence[int]) -> Document | None:
        smaller, before = squeeze(now, kept), max(1, now.number(path, name))
        for one in scalars:
            value = smaller.number(path, one)
            smaller = smaller.with_number(
                path, one, max(min(value, 1), value * len(kept) // before)
            )
        return smaller

    def ranks(now: Document, kept: Sequence[int]) -> Document | None:
        smaller = _ranked(without(now, path, name, kept), path, name)
        return renumbered(smaller, path, name, rank(kept), frozenset(own))

    way = name[0][:-1]
    scalars = [
        one for one in _scalars(document) if one[0][:-1] == way and one not in document.references
    ]
    if document.sums:
        return (("with their sum", lambda now, kept: settled(squeeze(now, kept))), ("", plain))
    if not referring:
        return (("", plain), *((_PROPORTION, proportional),) * bool(scalars))
    rest = [way for way in referring if way not in own]
    found: list[tuple[str, Keep]] = []
    if own:
        found.append(("with ranks", ranks))
    if any(way[:-1] != name[0][:-1] for way in rest):
        found.append(("with what refers to them", drop))
    return (*found, ("renumbered", squeeze), ("", plain))


def _counts_words(document: Document, way: tuple[int, ...], name: Name) -> bool:
    item = document.items(way[:-1])[way[-1]]
    return isinstance(item, Fields) and item.row is not None and name in item.row.names


def _ranked(document: Document, path: Path, name: Name) -> Document:
    """Replace the values of rows that refer to their own dimension by their ranks."""

    columns = document.columns(name)

    def on_words(way: tuple[int, ...], item: Fields, words: list[bytes]) -> list[bytes]:
        if not _counts_words(document, way, name):
            return words
        base = next((base for column, base in columns[way] if column == ROW), None)
        values = [plain_number(word) for word in words[item.width or 0 :]]
        if base is None or None in values:
            return words
        order = {value: at for at, value in enumerate(sorted({v for v in values if v is not None}))}
        return words[: item.width or 0] + [
            b"%d" % (order[v] + base) for v in values if v is not None
        ]

    return with_words(document, path, lambda way, _: way in columns, on_words)


def _without_mentions(document: Document, path: Path, name: Name, kept: set[int]) -> Document:
    """Delete the lines and words that refer to indices that go, with their counts."""
    for way, item in walk(document.items(name[0][:-1]), name[0][:-1]):
        lines = isinstance(item, Repetition) and len(item.body) == 1
        own = any(name in count.names for count in counts_of(item))
        if lines and not own and (*way, 0) in document.columns(name):
            document = _without_rows(document, path, way, item, name, kept)
    return document


def _without_rows(
    document: Document, path: Path, way: tuple[int, ...], item: Item, name: Name, kept: set[int]
) -> Document:
    assert isinstance(item, Repetition)
    columns, start = document.columns(name)[*way, 0], len(path)
    for scope in [one for one in document.scopes(way[:-1]) if one[:start] == path]:
        groups = document.at(scope)[way[-1]]
        assert not isinstance(groups, bytes)
        staying = [
            at
            for at, group in enumerate(groups)
            if kept.issuperset(mentions(document.layout, columns, group[0]))
        ]
        if len(staying) == len(groups):
            continue
        document = without_rows(document, scope, way, item, staying)
    return document


def without_rows(
    document: Document, scope: Path, way: tuple[int, ...], item: Repetition, staying: list[int]
) -> Document:
    """Keep some groups of a repetition, with its count if that is a number by itself."""
    count = item.count
    if count is not None and count.plain:
        above = scope[: len(count.names[0][0]) - 1]
        return without(document, above, count.names[0], staying)
    group = document.at(scope)
    groups = group[way[-1]]
    assert not isinstance(groups, bytes)
    changed = [*group[: way[-1]], [groups[at] for at in staying], *group[way[-1] + 1 :]]
    return document.with_group(scope, changed)


# -- Contraction -----------------------------------------------------------------------------------


def _contractions(document: Document, name: Name, path: Path) -> Iterator[Elements[Document]]:
    """Yield the lists of edges between indices of a dimension."""
    columns = document.columns(name)
    for way, item in walk(document.items(name[0][:-1]), name[0][:-1]):
        ends = [column for column, _ in columns.get((*way, 0), [])][:2]
        if (
            isinstance(item, Repetition)
            and len(item.body) == 1
            and item.count is not None
            and ends == [0, 1]
            and len(way) == len(name[0])
        ):
            contract = partial(contracted, path=path, way=way, item=item, name=name)
            length = partial(_groups_at, path=path, number=way[-1])
            yield Elements("edges", length, (("contracted", contract),))


def _groups_at(document: Document, path: Path, number: int) -> int:
    return len(document.at(path)[number])


def contracted(
    document: Document,
    kept: Sequence[int],
    path: Path,
    way: tuple[int, ...],
    item: Repetition,
    name: Name,
) -> Document | None:
    """Let the ends of all other edges become one vertex each."""
    count = document.number(path, name)
    above = list(range(count))

    def top(one: int) -> int:
        while above[one] != one:
            above[one] = above[above[one]]
            one = above[one]
        return one

    groups = document.at(path)[way[-1]]
    assert not isinstance(groups, bytes)
    staying, columns = set(kept), document.columns(name)[*way, 0][:2]
    for at, group in enumerate(groups):
        if at not in staying:
            ends = list(mentions(document.layout, columns, group[0]))
            if len(ends) < 2 or max(ends) >= count:
                return None
            low, high = sorted((top(ends[0]), top(ends[1])))
            above[high] = low
    classes = [one for one in range(count) if top(one) == one]
    place = {one: at for at, one in enumerate(classes)}
    assert item.count is not None
    if name in item.count.names:
        if len(kept) != len(classes) + item.count.offset:
            return None
        smaller = without(document, path, name, classes)
        group = smaller.at(path)
        staying_edges = [groups[at] for at in kept]
        group = [*group[: way[-1]], staying_edges, *group[way[-1] + 1 :]]
        smaller = smaller.with_group(path, group)
    else:
        # An edge whose ends are one vertex now is a loop.
        tops = (
            {top(one) for one in mentions(document.layout, columns, groups[at][0])} for at in kept
        )
        edges = [at for at, ends in zip(kept, tops, strict=True) if len(ends) > 1]
        smaller = without(without_rows(document, path, way, item, edges), path, name, classes)
    return renumbered(smaller, path, name, lambda one: place[top(one)] if one < count else None)
