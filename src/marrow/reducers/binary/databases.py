"""SQLite databases: tables and indexes with their rows and values, read and written by pages.

The format is described in "Database File Format" of SQLite's documentation
(https://www.sqlite.org/fileformat2.html). Nothing of SQLite itself is asked: the files that people
reduce are often such that crash it. Writing makes every tree anew: no free pages, no pointer map,
overflow pages where a payload needs them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NamedTuple

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError

_MAGIC: Final = b"SQLite format 3\0"

# Types of pages (section 1.6): inner pages of indexes and tables, and what leaves have in addition.
_INDEX: Final = 2
_TABLE: Final = 5
_LEAF: Final = 8

#: The first page holds the header of the file as well.
HEADER: Final = 100

#: Where the header has what changes: the size of a page and the bytes at its end, the number of
#: pages, the free ones, and whether pages move by themselves.
_SIZE: Final = slice(16, 18)
_RESERVED: Final = 20
_PAGES: Final = slice(28, 32)
_FREE: Final = slice(32, 40)
_MOVES: Final = (slice(52, 56), slice(64, 68))

#: The smallest page.
_LEAST_PAGE: Final = 512

#: More pages than this are not taken apart: every candidate would write all of them.
_MOST_PAGES: Final = 1 << 14

#: How many bytes an integer of each serial type has.
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_BY_LENGTH: Final = {length: serial for serial, length in _INTEGERS.items()}
_FLOAT: Final = 7
#: Types from here on are blobs and texts, in turn, of any length.
_FIRST_BLOB: Final = 12

#: The columns of the schema.
_TYPE, _NAME, _OWNER, _ROOT, _SQL = range(5)


class Cell(NamedTuple):
    """A row of a table with its number, or an entry of an index, whose number is None."""

    number: int | None
    payload: bytes


def read_number(cursor: Cursor) -> int:
    """Return the next number of seven bits a byte, the highest first; the ninth byte is whole."""
    value = 0
    for _ in range(8):
        byte = cursor.take(1)[0]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value
    return value << 8 | cursor.take(1)[0]


def written_number(value: int) -> bytes:
    """Return a number of seven bits a byte, the highest first."""
    if value >> 56:
        head = bytes((value >> shift) & 0x7F | 0x80 for shift in range(57, 7, -7))
        return head + bytes((value & 0xFF,))
    made = [value & 0x7F]
    while value := value >> 7:
        made.append(value & 0x7F | 0x80)
    return bytes(reversed(made))


# -- Pages ----------------------------------------------------------------------------------------


class _Paging(NamedTuple):
    """How large a page is, and how much of it is used."""

    size: int
    usable: int

    def local(self, length: int, *, table: bool) -> int:
        """Return how many bytes of a payload are in its cell; the others are on overflow pages."""
        most = self.usable - 35 if table else (self.usable - 12) * 64 // 255 - 23
        if length <= most:
            return length
        least = (self.usable - 12) * 32 // 255 - 23
        kept = least + (length - least) % (self.usable - 4)
        return kept if kept <= most else least


def _paging(header: bytes) -> _Paging:
    size = int.from_bytes(header[_SIZE])
    size = 1 << 16 if size == 1 else size
    if size < _LEAST_PAGE or size & (size - 1) or size - header[_RESERVED] < 480:
        raise NotThisFormatError
    return _Paging(size, size - header[_RESERVED])


class _Reader:
    """Reads trees of pages; a page that is met twice is none of a sound file."""

    def __init__(self, data: bytes) -> None:
        self._data: Final = data
        self._paging: Final = _paging(data)
        self._seen: Final[set[int]] = set()
        if len(data) > self._paging.size * _MOST_PAGES:
            raise NotThisFormatError

    def _page(self, number: int) -> bytes:
        if number in self._seen or number < 1:
            raise NotThisFormatError
        self._seen.add(number)
        size = self._paging.size
        return Cursor(self._data, (number - 1) * size).take(size)

    def cells(self, root: int) -> tuple[bool, list[Cell]]:
        """Return whether a tree is one of a table, and its cells in order."""
        found: list[Cell] = []
        kinds: set[bool] = set()
        # A page that is still to be read, or a cell between two of them.
        pending: list[int | Cell] = [root]
        while pending:
            one = pending.pop()
            if isinstance(one, Cell):
                found.append(one)
                continue
            table, parts = self._parts(one)
            kinds.add(table)
            pending.extend(reversed(parts))
        if len(kinds) > 1:
            raise NotThisFormatError
        return kinds.pop(), found

    def _parts(self, number: int) -> tuple[bool, list[int | Cell]]:
        page = self._page(number)
        at = HEADER if number == 1 else 0
        kind, _, count = struct.unpack_from(">BHH", page, at)
        inner, table = not kind & _LEAF, kind | _LEAF == _TABLE | _LEAF
        if kind | _LEAF not in (_INDEX | _LEAF, _TABLE | _LEAF):
            raise NotThisFormatError
        parts: list[int | Cell] = []
        for offset in struct.unpack_from(f">{count}H", page, at + (12 if inner else 8)):
            cursor = Cursor(page, offset)
            if inner:
                parts.append(cursor.number(4))
            if not (inner and table):
                parts.append(self._cell(cursor, table=table))
        if inner:
            parts.append(int.from_bytes(page[at + 8 : at + 12]))
        return table, parts

    def _cell(self, cursor: Cursor, *, table: bool) -> Cell:
        length = read_number(cursor)
        if length > len(self._data):
            raise NotThisFormatError
        number = read_number(cursor) if table else None
        local = self._paging.local(length, table=table)
        payload = bytearray(cursor.take(local))
        following = cursor.number(4) if local < length else 0
        while len(payload) < length:
            page = self._page(following)
            following = int.from_bytes(page[:4])
            payload += page[4 : min(self._paging.usable, 4 + length - len(payload))]
        return Cell(number, bytes(payload))


class _Writer:
    """Writes trees of pages, one after the other; the first page is left for the schema."""

    def __init__(self, paging: _Paging) -> None:
        self._paging: Final = paging
        self._pages: Final[list[bytes]] = [b""]

    def tree(self, cells: Sequence[Cell], *, table: bool) -> int:
        """Write a tree; return the number of its root."""
        return self._placed(*self._root(cells, self._paging.usable, table=table))

    def schema(self, cells: Sequence[Cell], header: bytes) -> bytearray:
        """Write the schema's tree, whose root is the first page, and return the whole file."""
        root = self._root(cells, self._paging.usable - HEADER, table=True)
        self._pages[0] = header + self._laid_out(*root, HEADER)
        return bytearray().join(self._pages)

    def _placed(self, kind: int, cells: Sequence[bytes], last: bytes) -> int:
        self._pages.append(self._laid_out(kind, cells, last, 0))
        if len(self._pages) > _MOST_PAGES:
            raise NotThisFormatError
        return len(self._pages)

    def _laid_out(self, kind: int, cells: Sequence[bytes], last: bytes, skipped: int) -> bytes:
        """Return a page of cells, without the bytes that are skipped at its beginning."""
        end = self._paging.usable
        places, content = [], b""
        for cell in cells:
            content = cell + content
            places.append(end - len(content))
        head = struct.pack(">BHHHB", kind, 0, len(cells), (end - len(content)) & 0xFFFF, 0)
        head += last + struct.pack(f">{len(places)}H", *places)
        gap = end - skipped - len(head) - len(content)
        if gap < 0:
            raise NotThisFormatError
        return head + bytes(gap) + content + bytes(self._paging.size - end)

    def _root(
        self, cells: Sequence[Cell], room: int, *, table: bool
    ) -> tuple[int, Sequence[bytes], bytes]:
        """Return the root of a tree, kind, cells and last child; all pages below are written.

        Where a page ends, the cell after it goes above; of the rows of a table a number does.
        """
        made = [self._cell(cell) for cell in cells]
        inner = _TABLE if table else _INDEX
        kind, children = inner | _LEAF, [b""] * (len(made) + 1)
        while True:
            copied = kind == _TABLE | _LEAF
            whole = [child + cell for child, cell in zip(children, made, strict=False)]
            pages = list(_filled(whole, room - 12, between=not copied))
            if len(pages) == 1:
                return kind, pages[0], children[-1]
            above, placed, at = [], [], 0
            for page in pages:
                at += len(page)
                placed.append(self._placed(kind, page, children[at]).to_bytes(4))
                if at < len(made):
                    above.append(written_number(cells[at - 1].number or 0) if copied else made[at])
                    at += not copied
            kind, made, children = inner, above, placed

    def _cell(self, cell: Cell) -> bytes:
        payload, table = cell.payload, cell.number is not None
        head = written_number(len(payload))
        if cell.number is not None:
            head += written_number(cell.number)
        local = self._paging.local(len(payload), table=table)
        rest = payload[local:]
        if not rest:
            # A cell is never smaller than what a free block needs.
            return (head + payload).ljust(4, b"\0")
        step = self._paging.usable - 4
        first = len(self._pages) + 1
        while rest:
            following = len(self._pages) + 2 if len(rest) > step else 0
            page = following.to_bytes(4) + rest[:step]
            self._pages.append(page.ljust(self._paging.size, b"\0"))
            rest = rest[step:]
        return head + payload[:local] + first.to_bytes(4)


def _filled(cells: list[bytes], room: int, *, between: bool) -> Iterator[list[bytes]]:
    """Yield pages full of cells, in order; with `between`, one cell is left out between two."""
    start = 0
    while True:
        end, left = start, room
        while end < len(cells) and (left := left - len(cells[end]) - 2) >= 0:
            end += 1
        if end >= len(cells):
            yield cells[start:]
            return
        if len(cells) - end < 1 + between:  # nothing would be left for the next page
            end -= 1
        if end == start:
            raise NotThisFormatError
        yield cells[start:end]
        start = end + between


# -- Rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the schema: its number, its values, and whether its tree is one of a table."""

    number: int
    values: tuple[Block, ...]
    table: bool

    def word(self, column: int) -> bytes:
        """The text of a column, whatever its case; ASCII is the same in all encodings so."""
        return self.values[column].body.replace(b"\0", b"").lower()


def read_sqlite(data: bytes) -> Block | None:
    """Return the entries of the schema, each with its SQL and its rows, which have their values."""
    if not data.startswith(_MAGIC) or len(data) < _LEAST_PAGE:
        return None
    reader = _Reader(data)
    is_table, rows = reader.cells(1)
    if not is_table:
        raise NotThisFormatError
    entries = tuple(_entry(reader, row) for row in rows)
    write = partial(_database, data, entries)
    return Block(write, entries, data[:HEADER], forms=_smaller_pages)


def _smaller_pages(block: Block) -> Iterator[Block]:
    header = bytearray(block.body)
    header[_SIZE] = _LEAST_PAGE.to_bytes(2)
    header[_RESERVED] = 0
    yield replace(block, body=bytes(header))


def _entry(reader: _Reader, row: Cell) -> Block:
    values = _values(row.payload)
    if len(values) != 5 or row.number is None:
        raise NotThisFormatError
    root = int.from_bytes(values[_ROOT].body)
    table, cells = reader.cells(root) if root else (False, [])
    rows = Block(_nothing, tuple(Block(_row, _values(one.payload), note=one) for one in cells))
    note = _Entry(row.number, values, table)
    return Block(_nothing, (values[_SQL], rows), note=note, fixed=True)


def _nothing(_: Block) -> bytes:
    """Parts of a database are not written by themselves."""
    return b""


def _values(payload: bytes) -> tuple[Block, ...]:
    cursor = Cursor(payload)
    end = read_number(cursor)
    serials = []
    while cursor.at < end:
        serials.append(read_number(cursor))
    values = tuple(
        Block(_nothing, body=cursor.take(_length(serial)), note=serial) for serial in serials
    )
    if not cursor.ended:
        raise NotThisFormatError
    return values


def _length(serial: int) -> int:
    if serial >= _FIRST_BLOB:
        return (serial - _FIRST_BLOB) // 2
    return 8 if serial == _FLOAT else _INTEGERS.get(serial, 0)


def _row(block: Block) -> bytes:
    """Return the payload of a row: the types of its values, then the values."""
    serials = b"".join(written_number(_serial(value)) for value in block.parts)
    length = len(serials) + 1
    if length > 0x7F:  # the length counts itself
        length += 1 if length + 1 <= 0x3FFF else 2
    return written_number(length) + serials + b"".join(value.body for value in block.parts)


def _serial(value: Block) -> int:
    serial: int = value.note
    length = len(value.body)
    if length == _length(serial):
        return serial
    if serial >= _FIRST_BLOB:
        return _FIRST_BLOB + 2 * length + serial % 2
    if length == 0:
        return 0 if serial == _FLOAT else 8  # no value, and the integer 0
    if serial == _FLOAT or length not in _BY_LENGTH:
        raise NotThisFormatError
    return _BY_LENGTH[length]


def _database(data: bytes, entries: tuple[Block, ...], block: Block) -> bytes:
    """Write what is left. What belongs to a table goes with it, and index entries with rows."""
    if block.parts == entries and block.body == data[:HEADER]:
        return data
    tables = {
        part.note.word(_NAME): part
        for part in block.parts
        if part.note.word(_TYPE) in (b"table", b"view")
    }
    header, paging = bytearray(block.body), _paging(block.body)
    writer = _Writer(paging)
    schema = []
    for part in block.parts:
        entry: _Entry = part.note
        owner = tables.get(entry.word(_OWNER))
        if owner is None:
            continue
        sql, rows = part.parts
        place = Block(_nothing, note=8)
        if any(entry.values[_ROOT].body):
            cells = [Cell(row.note.number, row.written) for row in rows.parts]
            if entry.word(_TYPE) == b"index" and owner.note.table:
                cells = _indexed(rows, cells, owner)
            root = writer.tree(cells, table=entry.table)
            place = Block(_nothing, body=root.to_bytes(4), note=4)
        row = Block(_row, (*entry.values[:_ROOT], place, sql))
        schema.append(Cell(entry.number, row.written))
    for at in (_FREE, *_MOVES):
        header[at] = bytes(at.stop - at.start)
    made = writer.schema(schema, bytes(header))
    made[_PAGES] = (len(made) // paging.size).to_bytes(4)
    return bytes(made)


def _indexed(rows: Block, cells: list[Cell], table: Block) -> list[Cell]:
    """Return the entries of an index whose rows are there: a row's number is the last value."""
    numbers = {row.note.number for row in table.parts[1].parts}
    return [
        cell
        for row, cell in zip(rows.parts, cells, strict=True)
        if not row.parts or _integer(row.parts[-1]) in numbers
    ]


def _integer(value: Block) -> int:
    """Return an integer as rows are numbered: as if it had no sign, in 64 bits."""
    if value.note in (8, 9):
        return int(value.note == 9)
    return int.from_bytes(value.body, signed=True) & (1 << 64) - 1
