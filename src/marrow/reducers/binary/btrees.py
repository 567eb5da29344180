"""The pages of an SQLite database: its b-trees, read into cells and written again.

The format is described in "Database File Format" of SQLite's documentation. A cell is a payload
with a number in front (a row of a table) or without one (an entry of an index). Writing makes every
tree anew: no free pages, no pointer map, overflow pages where a payload needs them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from marrow.reducers.binary.block import Cursor, NotThisFormatError

# Types of pages (https://www.sqlite.org/fileformat2.html, section 1.6).
_INNER_INDEX: Final = 2
_INNER_TABLE: Final = 5
_LEAF_INDEX: Final = 10
_LEAF_TABLE: Final = 13

#: The first page holds the header of the file as well.
HEADER: Final = 100

#: More pages than this are not taken apart: every candidate would write all of them.
_MOST_PAGES: Final = 1 << 14


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


class Paging(NamedTuple):
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


class PageReader:
    """Reads trees of pages; a page that is met twice is none of a sound file."""

    def __init__(self, data: bytes, paging: Paging) -> None:
        self._data: Final = data
        self._paging: Final = paging
        self._seen: Final[set[int]] = set()
        if len(data) > paging.size * _MOST_PAGES:
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
        table: bool | None = None
        # A page that is still to be read, or a cell between two of them.
        pending: list[int | Cell] = [root]
        while pending:
            one = pending.pop()
            if isinstance(one, Cell):
                found.append(one)
                continue
            kind, parts = self._parts(one)
            is_table = kind in (_INNER_TABLE, _LEAF_TABLE)
            if table is not None and table is not is_table:
                raise NotThisFormatError
            table = is_table
            pending.extend(reversed(parts))
        assert table is not None
        return table, found

    def _parts(self, number: int) -> tuple[int, list[int | Cell]]:
        page = self._page(number)
        at = HEADER if number == 1 else 0
        kind = page[at]
        if kind not in (_INNER_INDEX, _INNER_TABLE, _LEAF_INDEX, _LEAF_TABLE):
            raise NotThisFormatError
        inner = kind in (_INNER_INDEX, _INNER_TABLE)
        count = int.from_bytes(page[at + 3 : at + 5], "big")
        start = at + (12 if inner else 8)
        parts: list[int | Cell] = []
        for offset in struct.unpack_from(f">{count}H", page, start):
            cursor = Cursor(page, offset)
            if inner:
                parts.append(cursor.number(4))
            if kind != _INNER_TABLE:
                parts.append(self._cell(cursor, table=kind == _LEAF_TABLE))
        if inner:
            parts.append(int.from_bytes(page[at + 8 : at + 12], "big"))
        return kind, parts

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
            following = int.from_bytes(page[:4], "big")
            payload += page[4 : min(self._paging.usable, 4 + length - len(payload))]
        return Cell(number, bytes(payload))


class PageWriter:
    """Writes trees of pages, one after the other; the first page is left for the schema."""

    def __init__(self, paging: Paging) -> None:
        self._paging: Final = paging
        self._pages: Final[list[bytes]] = [b""]

    def tree(self, cells: Sequence[Cell], *, table: bool) -> int:
        """Write a tree; return the number of its root."""
        return self._placed(self._root(cells, table=table, room=self._paging.usable))

    def schema(self, cells: Sequence[Cell], header: bytes) -> bytes:
        """Write the schema's tree, whose root is the first page, and return the whole file."""
        root = self._root(cells, table=True, room=self._paging.usable - HEADER)
        self._pages[0] = header + self._laid_out(*root, HEADER)
        return b"".join(self._pages)

    def _placed(self, page: tuple[int, Sequence[bytes], int]) -> int:
        self._pages.append(self._laid_out(*page, 0))
        if len(self._pages) > _MOST_PAGES:
            raise NotThisFormatError
        return len(self._pages)

    def _laid_out(self, kind: int, cells: Sequence[bytes], last: int, skipped: int) -> bytes:
        """Return a page of cells, without the bytes that are skipped at its beginning."""
        end = self._paging.usable
        places, content = [], b""
        for cell in cells:
            content = cell + content
            places.append(end - len(content))
        head = struct.pack(">BHHHB", kind, 0, len(cells), (end - len(content)) & 0xFFFF, 0)
        if kind in (_INNER_INDEX, _INNER_TABLE):
            head += last.to_bytes(4, "big")
        head += struct.pack(f">{len(places)}H", *places)
        gap = end - skipped - len(head) - len(content)
        if gap < 0:
            raise NotThisFormatError
        return head + bytes(gap) + content + bytes(self._paging.size - end)

    def _root(
        self, cells: Sequence[Cell], *, table: bool, room: int
    ) -> tuple[int, Sequence[bytes], int]:
        """Return the root of a tree, kind, cells and last child; all pages below are written."""
        made = [self._cell(cell) for cell in cells]
        if table:
            keys = [written_number(cell.number or 0) for cell in cells]
            return self._table(list(zip(made, keys, strict=True)), room)
        return self._index(made, room)

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
        pieces = [rest[at : at + step] for at in range(0, len(rest), step)]
        first = len(self._pages) + 1
        for at, piece in enumerate(pieces):
            following = first + at + 1 if at + 1 < len(pieces) else 0
            page = following.to_bytes(4, "big") + piece
            self._pages.append(page.ljust(self._paging.size, b"\0"))
        return head + payload[:local] + first.to_bytes(4, "big")

    def _table(
        self, cells: list[tuple[bytes, bytes]], room: int
    ) -> tuple[int, Sequence[bytes], int]:
        kind, last = _LEAF_TABLE, 0
        while True:
            least = 2 if kind == _INNER_TABLE else 1
            pages = list(_filled([cell for cell, _ in cells], room - 12, least))
            if len(pages) == 1:
                if kind == _INNER_TABLE:  # the last child has no cell
                    last = int.from_bytes(pages[0].pop()[:4], "big")
                return kind, pages[0], last
            above: list[tuple[bytes, bytes]] = []
            at = 0
            for page in pages:
                at += len(page)
                key = cells[at - 1][1]
                if kind == _INNER_TABLE:
                    last = int.from_bytes(page.pop()[:4], "big")
                above.append((self._placed((kind, page, last)).to_bytes(4, "big") + key, key))
            kind, cells = _INNER_TABLE, above

    def _index(self, cells: list[bytes], room: int) -> tuple[int, Sequence[bytes], int]:
        kind, children = _LEAF_INDEX, [0] * (len(cells) + 1)
        while True:
            inner = kind == _INNER_INDEX
            whole = [
                (children[at].to_bytes(4, "big") if inner else b"") + cell
                for at, cell in enumerate(cells)
            ]
            pages = list(_filled(whole, room - 12, between=True))
            if len(pages) == 1:
                return kind, pages[0], children[-1]
            above, placed, at = [], [], 0
            for page in pages:
                at += len(page)
                last = children[at]
                placed.append(self._placed((kind, page, last)))
                if at < len(cells):  # the cell after a page goes above, between two pages
                    above.append(cells[at])
                    at += 1
            kind, cells, children = _INNER_INDEX, above, placed


def _filled(
    cells: list[bytes], room: int, least: int = 1, *, between: bool = False
) -> Iterator[list[bytes]]:
    """Yield pages full of cells, in order; with `between`, one cell is left out between two pages.

    A page has at least so many cells, unless it is the only one.
    """
    start = 0
    while True:
        end, left = start, room
        while end < len(cells) and (left := left - len(cells[end]) - 2) >= 0:
            end += 1
        if end >= len(cells):
            yield cells[start:]
            return
        if len(cells) - end < least + between:  # the next page would have too few
            end -= 1
        if end - start < least:
            raise NotThisFormatError
        yield cells[start:end]
        start = end + between
