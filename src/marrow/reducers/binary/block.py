"""Blocks: a binary file as nested parts that can be written again without some of them.

A block knows how it is written: with a length before its parts, a checksum after them, a directory
at the end. So to delete a part is to leave it out and to write the whole again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

#: Which byte of a number comes first.
Order: TypeAlias = Literal["big", "little"]
ORDERS: Final[tuple[Order, Order]] = ("big", "little")

#: The place of a block: the numbers of the parts on the way to it.
Way: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Parts, or a body of bytes, and how they are written. `note` is for whoever writes it.

    `fixed`: the parts have their places, so none of them may go; each may be reduced.
    `forms` gives smaller blocks of the same kind, such as an image of one pixel.
    """

    write: Callable[[Block], bytes]
    parts: tuple[Block, ...] = ()
    body: bytes = b""
    note: Any = None
    fixed: bool = False
    forms: Callable[[Block], Iterable[Block]] = lambda _: ()

    @property
    def written(self) -> bytes:
        """The bytes of the block."""
        return self.write(self)

    def at(self, way: Way) -> Block | None:
        """Return the block at the end of a way."""
        one = self
        for number in way:
            if number >= len(one.parts):
                return None
            one = one.parts[number]
        return one

    def with_block(self, way: Way, other: Block) -> Block:
        """Return the block with another one at the end of a way."""
        passed = [self]
        for number in way:
            passed.append(passed[-1].parts[number])
        made = other
        for above, number in zip(reversed(passed[:-1]), reversed(way), strict=True):
            parts = (*above.parts[:number], made, *above.parts[number + 1 :])
            made = replace(above, parts=parts)
        return made

    def walk(self) -> Iterator[tuple[Way, Block]]:
        """Walk all blocks, the outer ones first."""
        pending: list[tuple[Way, Block]] = [((), self)]
        for way, one in pending:
            yield way, one
            pending.extend(((*way, number), part) for number, part in enumerate(one.parts))


def plain(block: Block) -> bytes:
    """Write a block that is nothing but its body or its parts."""
    return block.body + b"".join(part.written for part in block.parts)


class NotThisFormatError(Exception):
    """A file is not what it looked like, or cannot be written without what was deleted."""


class Cursor:
    """Reads bytes from the front; raises `NotThisFormatError` where there are too few."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise NotThisFormatError
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, count: int, order: Order = "big") -> int:
        """Return the next bytes as a number."""
        return int.from_bytes(self.take(count), order)

    def varint(self) -> tuple[int, int]:
        """Return the next number of seven bits a byte, and how many bytes it has."""
        value = 0
        for count in range(10):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << (7 * count)
            if byte < 0x80:
                return value, count + 1
        raise NotThisFormatError

    @property
    def ended(self) -> bool:
        """Whether nothing is left."""
        return self.at == len(self.data)


def varint(value: int, width: int = 1) -> bytes:
    """Return a number of seven bits a byte, at least so many bytes wide."""
    made = bytearray()
    while value > 0x7F or len(made) + 1 < width:
        made.append((value & 0x7F) | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)
