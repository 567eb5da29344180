"""ELF files: a section goes with its header, and all offsets and numbers of sections follow."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.reducers.binary.block import Block, NotThisFormatError, plain

# The type of a section without bytes in the file (SHT_NOBITS).
_NO_BITS: Final = 8
#: The types of sections whose `sh_info` is the number of a section: REL and RELA.
_RELOCATIONS: Final = (4, 9)


@dataclass(frozen=True, slots=True)
class _Elf:
    """Where an ELF header has its numbers, by its class and byte order."""

    data: bytes
    order: str
    wide: bool

    def word(self, data: bytes | bytearray, at: int) -> int:
        """Return a number as wide as an address."""
        return int(struct.unpack_from(self.order + ("Q" if self.wide else "I"), data, at)[0])

    def put_word(self, data: bytearray, at: int, value: int) -> None:
        """Write a number as wide as an address."""
        struct.pack_into(self.order + ("Q" if self.wide else "I"), data, at, value)

    @property
    def section_fields(self) -> tuple[int, int, int, int]:
        """Where a section header has its offset, its size, its link and its info."""
        return (24, 32, 40, 44) if self.wide else (16, 20, 24, 28)

    @property
    def program_fields(self) -> tuple[int, int]:
        """Where a program header has its offset and its size in the file."""
        return (8, 32) if self.wide else (4, 16)

    @property
    def header(self) -> tuple[int, int, int]:
        """Where the header has the offsets of both tables, and the numbers about them."""
        return (32, 40, 54) if self.wide else (28, 32, 42)


def read_elf(data: bytes) -> Block | None:
    """Return the sections of an ELF file."""
    if data[:4] != b"\x7fELF" or len(data) < 64 or data[4] not in (1, 2) or data[5] not in (1, 2):
        return None
    elf = _Elf(data, "<" if data[5] == 1 else ">", data[4] == 2)
    _, table, numbers = elf.header
    start = elf.word(data, table)
    _, _, size, count, names = struct.unpack_from(elf.order + "5H", data, numbers)
    if start + size * count > len(data) or size not in (40, 64) or not count:
        raise NotThisFormatError
    parts = tuple(Block(plain, (), b"", number) for number in range(1, count) if number != names)
    return Block(partial(_written, elf, len(parts)), parts)


def _written(elf: _Elf, count: int, block: Block) -> bytes:
    if len(block.parts) == count:
        return elf.data
    kept = {part.note for part in block.parts}
    programs_at, table_at, numbers_at = elf.header
    table, programs = elf.word(elf.data, table_at), elf.word(elf.data, programs_at)
    numbers = struct.unpack_from(f"{elf.order}5H", elf.data, numbers_at)
    segment, segments, size, sections, names = numbers
    gone = [n for n in range(1, sections) if n != names and n not in kept]
    cuts = _cuts(elf, gone, table, size, sections)
    # Bytes that the headers have too stay.
    fixed = [(0, numbers_at + 10), (programs, programs + segment * segments)]
    cuts = [one for one in cuts if not any(one[0] < end and at < one[1] for at, end in fixed)]
    cuts = _joined([*cuts, *((table + n * size, table + (n + 1) * size) for n in gone)])

    def moved(at: int) -> int:
        return at - sum(min(end, at) - begin for begin, end in cuts if begin < at)

    data = bytearray(elf.data)
    for n in range(sections):
        if n not in gone:
            _renumber(elf, data, table + n * size, gone)
            offset = table + n * size + elf.section_fields[0]
            elf.put_word(data, offset, moved(elf.word(data, offset)))
    for n in range(segments):
        offset, length = (programs + n * segment + field for field in elf.program_fields)
        first = elf.word(data, offset)
        last = first + elf.word(data, length)
        elf.put_word(data, offset, moved(first))
        elf.put_word(data, length, moved(last) - moved(first))
    elf.put_word(data, programs_at, moved(programs))
    elf.put_word(data, table_at, moved(table))
    left = sections - len(gone), names - sum(n < names for n in gone)
    struct.pack_into(f"{elf.order}HH", data, numbers_at + 6, *left)
    for begin, end in reversed(cuts):
        del data[begin:end]
    return bytes(data)


def _cuts(
    elf: _Elf, gone: list[int], table: int, size: int, sections: int
) -> list[tuple[int, int]]:
    """Return the bytes of sections that go, as far as no section that stays has them too."""
    offset, length, *_ = elf.section_fields
    ranges: list[tuple[int, int]] = []
    for n in range(sections):
        at = table + n * size
        begin = elf.word(elf.data, at + offset)
        none = struct.unpack_from(f"{elf.order}I", elf.data, at + 4)[0] in (0, _NO_BITS)
        ranges.append((begin, begin if none else begin + elf.word(elf.data, at + length)))
    stay = [one for n, one in enumerate(ranges) if n not in gone]
    stay.append((table, table + size * sections))
    return [
        (first, last)
        for first, last in (ranges[n] for n in gone)
        if first < last <= len(elf.data)
        and not any(first < end and begin < last for begin, end in stay)
    ]


def _renumber(elf: _Elf, data: bytearray, at: int, gone: list[int]) -> None:
    """Change the numbers of sections in the header of a section."""
    kind = struct.unpack_from(f"{elf.order}I", data, at + 4)[0]
    for field in elf.section_fields[2:] if kind in _RELOCATIONS else elf.section_fields[2:3]:
        number = struct.unpack_from(f"{elf.order}I", data, at + field)[0]
        other = 0 if number in gone else number - sum(n < number for n in gone)
        struct.pack_into(f"{elf.order}I", data, at + field, other)


def _joined(cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges in order, without overlaps."""
    made: list[tuple[int, int]] = []
    for begin, end in sorted(cuts):
        if made and begin <= made[-1][1]:
            made[-1] = made[-1][0], max(end, made[-1][1])
        else:
            made.append((begin, end))
    return made
