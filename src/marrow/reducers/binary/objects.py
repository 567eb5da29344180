"""ELF files: a section goes with its header, and all offsets and numbers of sections follow."""

from __future__ import annotations

import struct
from functools import partial
from typing import Final, NamedTuple

from marrow.reducers.binary.block import Block, NotThisFormatError, plain

# The type of a section without bytes in the file (SHT_NOBITS).
_NO_BITS: Final = 8
#: The types of sections whose `sh_info` is the number of a section: REL and RELA.
_RELOCATIONS: Final = (4, 9)


class _Elf(NamedTuple):
    """Where an ELF file has its numbers, by its class and byte order.

    Addresses are numbers of format `wide`. The header has the offsets of both tables and the
    numbers about them; the header of a section its offset, size, link and info; that of a program
    its offset and size.
    """

    data: bytes
    order: str
    wide: str
    header: tuple[int, int, int]
    section: tuple[int, int, int, int]
    program: tuple[int, int]

    def get(self, at: int, number: str = "") -> int:
        """Return a number, by default one as wide as an address."""
        return int(struct.unpack_from(self.order + (number or self.wide), self.data, at)[0])

    def put(self, data: bytearray, at: int, value: int) -> None:
        """Write a number as wide as an address."""
        struct.pack_into(self.order + self.wide, data, at, value)

    def numbers(self) -> tuple[int, ...]:
        """Return the sizes and counts of both tables, and which section has the names."""
        return struct.unpack_from(self.order + "5H", self.data, self.header[2])


_CLASSES: Final = {
    1: ("I", (28, 32, 42), (16, 20, 24, 28), (4, 16)),
    2: ("Q", (32, 40, 54), (24, 32, 40, 44), (8, 32)),
}


def read_elf(data: bytes) -> Block | None:
    """Return the sections of an ELF file."""
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] not in _CLASSES or data[5] not in (1, 2):
        return None
    elf = _Elf(data, "<" if data[5] == 1 else ">", *_CLASSES[data[4]])
    _, _, size, count, names = elf.numbers()
    if elf.get(elf.header[1]) + size * count > len(data) or size not in (40, 64) or not count:
        raise NotThisFormatError
    parts = tuple(Block(plain, (), b"", number) for number in range(1, count) if number != names)
    return Block(partial(_written, elf, len(parts)), parts)


def _written(elf: _Elf, count: int, block: Block) -> bytes:
    if len(block.parts) == count:
        return elf.data
    kept = {part.note for part in block.parts}
    programs_at, table_at, numbers_at = elf.header
    table, programs = elf.get(table_at), elf.get(programs_at)
    segment, segments, size, sections, names = elf.numbers()
    heads = range(table, table + size * sections, size)
    gone = [n for n in range(1, sections) if n != names and n not in kept]
    # Bytes that the headers have too stay.
    fixed = [(0, numbers_at + 10), (programs, programs + segment * segments)]
    fixed.append((table, table + size * sections))
    bare = [elf.get(head + 4, "I") in (0, _NO_BITS) for head in heads]
    offset, length, link, info = elf.section
    ranges = [
        (elf.get(head + offset), elf.get(head + offset) + (not empty) * elf.get(head + length))
        for head, empty in zip(heads, bare, strict=True)
    ]
    fixed += [one for n, one in enumerate(ranges) if n not in gone]
    cuts = [
        (first, last)
        for first, last in (ranges[n] for n in gone)
        if first < last <= len(elf.data)
        and not any(first < end and begin < last for begin, end in fixed)
    ]
    cuts = _joined([*cuts, *((heads[n], heads[n] + size) for n in gone)])

    def moved(at: int) -> int:
        return at - sum(min(end, at) - begin for begin, end in cuts if begin < at)

    def renumbered(number: int) -> int:
        return 0 if number in gone else number - sum(n < number for n in gone)

    data = bytearray(elf.data)
    for head in (heads[n] for n in range(sections) if n not in gone):
        numbered = (link, info) if elf.get(head + 4, "I") in _RELOCATIONS else (link,)
        for at in numbered:
            number = renumbered(elf.get(head + at, "I"))
            struct.pack_into(elf.order + "I", data, head + at, number)
        elf.put(data, head + offset, moved(elf.get(head + offset)))
    for n in range(segments):
        at, length = (programs + n * segment + field for field in elf.program)
        first = elf.get(at)
        last = first + elf.get(length)
        elf.put(data, at, moved(first))
        elf.put(data, length, moved(last) - moved(first))
    elf.put(data, programs_at, moved(programs))
    elf.put(data, table_at, moved(table))
    left = sections - len(gone), renumbered(names)
    struct.pack_into(f"{elf.order}HH", data, numbers_at + 6, *left)
    for begin, end in reversed(cuts):
        del data[begin:end]
    return bytes(data)


def _joined(cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, without overlaps."""
    made: list[tuple[int, int]] = []
    for begin, end in sorted(cuts):
        if made and begin <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made
