"""SQLite databases: tables and indexes with their rows and values, read and written by pages.

Nothing of SQLite itself is asked: the files that people reduce are often such that crash it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError
from marrow.reducers.binary.btrees import (
    HEADER,
    Cell,
    PageReader,
    PageWriter,
    Paging,
    read_number,
    written_number,
)

_MAGIC: Final = b"SQLite format 3\0"

#: Where the header has what changes: the size of a page and the bytes at its end, the number of
#: pages, the free ones, and whether pages move by themselves.
_SIZE: Final = slice(16, 18)
_RESERVED: Final = 20
_PAGES: Final = slice(28, 32)
_FREE: Final = slice(32, 40)
_MOVES: Final = (slice(52, 56), slice(64, 68))

#: The smallest page.
_LEAST_PAGE: Final = 512

#: How many bytes an integer of each serial type has.
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
_BY_LENGTH: Final = {length: serial for serial, length in _INTEGERS.items()}
_FLOAT: Final = 7
#: Types from here on are blobs and texts, in turn, of any length.
_FIRST_BLOB: Final = 12

#: The columns of the schema.
_TYPE, _NAME, _TABLE, _ROOT, _SQL = range(5)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of the schema: its number, its values, and whether its tree is one of a table."""

    number: int
    values: tuple[Block, ...]
    table: bool
    has_tree: bool

    def is_a(self, kind: bytes) -> bool:
        """Whether the entry is of a kind."""
        return self.word(_TYPE) == kind

    def word(self, column: int) -> bytes:
        """The text of a column, whatever its case; ASCII is the same in all encodings so."""
        return self.values[column].body.replace(b"\0", b"").lower()


def read_sqlite(data: bytes) -> Block | None:
    """Return the entries of the schema, each with its SQL and its rows, which have their values."""
    if not data.startswith(_MAGIC) or len(data) < _LEAST_PAGE:
        return None
    paging = _paging(data)
    reader = PageReader(data, paging)
    is_table, rows = reader.cells(1)
    if not is_table:
        raise NotThisFormatError
    entries = tuple(_entry(reader, row) for row in rows)
    write = partial(_database, data, entries)
    return Block(write, entries, data[:HEADER], forms=_smaller_pages)


def _paging(header: bytes) -> Paging:
    size = int.from_bytes(header[_SIZE], "big")
    size = 1 << 16 if size == 1 else size
    if size < _LEAST_PAGE or size & (size - 1) or size - header[_RESERVED] < 480:
        raise NotThisFormatError
    return Paging(size, size - header[_RESERVED])


def _smaller_pages(block: Block) -> Iterator[Block]:
    """Yield the database in the smallest pages."""
    header = bytearray(block.body)
    header[_SIZE] = _LEAST_PAGE.to_bytes(2, "big")
    header[_RESERVED] = 0
    yield replace(block, body=bytes(header))


def _entry(reader: PageReader, row: Cell) -> Block:
    values = _values(row.payload)
    if len(values) != 5 or row.number is None:
        raise NotThisFormatError
    root = int.from_bytes(values[_ROOT].body, "big")
    table, cells = reader.cells(root) if root else (False, [])
    note = _Entry(row.number, values, table, bool(root))
    rows = Block(_nothing, tuple(Block(_row, _values(one.payload), note=one) for one in cells))
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
    header = bytearray(block.body)
    tables = {
        part.note.word(_NAME): part
        for part in block.parts
        if part.note.is_a(b"table") or part.note.is_a(b"view")
    }
    paging = _paging(block.body)
    writer = PageWriter(paging)
    schema = []
    for part in block.parts:
        entry: _Entry = part.note
        owner = tables.get(entry.word(_TABLE))
        if owner is None:
            continue
        sql, rows = part.parts
        root = 0
        if entry.has_tree:
            cells = [Cell(row.note.number, row.written) for row in rows.parts]
            if entry.is_a(b"index") and owner.note.table:
                cells = _indexed(rows, cells, owner)
            root = writer.tree(cells, table=entry.table)
        values = list(entry.values)
        values[_SQL] = sql
        place = b"" if root == 0 else root.to_bytes(4, "big")
        values[_ROOT] = Block(_nothing, body=place, note=8 if root == 0 else 4)
        schema.append(Cell(entry.number, _row(Block(_row, tuple(values)))))
    for at in (_FREE, *_MOVES):
        header[at] = bytes(at.stop - at.start)
    made = bytearray(writer.schema(schema, bytes(header)))
    made[_PAGES] = (len(made) // paging.size).to_bytes(4, "big")
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
    return int.from_bytes(value.body, "big", signed=True) & (1 << 64) - 1
