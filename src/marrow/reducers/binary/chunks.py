"""Formats of chunks: PNG, RIFF and their relatives by a table, others by trial.

A chunk has a length at some offset of its head. By trial, all small heads are tried, and one fits
if the chunks follow each other to the very end of the file. Numbers before the chunks that are
the length of what follows them, the length of the file or the number of chunks change with them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.reducers.binary.block import Block, NotThisFormatError, Order, plain

_ORDERS: Final[tuple[Order, Order]] = ("big", "little")


# How many chunks are read between two looks at the clock: a file of zeros is millions of them.
_LOOK: Final = 4096


class _Field(NamedTuple):
    """A number before the chunks: its place, and what it is the length or count of."""

    at: int
    width: int
    order: Order
    what: str


@dataclass(frozen=True, slots=True)
class Chunks:
    """How chunks look: the bytes before them, and the place of each one's length.

    `head` bytes come first in a chunk, `at` is where among them the length begins, `width` how many
    bytes it has. It counts the body, or the whole chunk (`inclusive`). `check`: a CRC-32 of what
    comes after the length follows. `even`: bodies are padded to an even length.
    """

    start: int
    head: int
    at: int
    width: int
    order: Order
    inclusive: bool = False
    check: bool = False
    even: bool = False

    def read(self, data: bytes, least: int = 1) -> Block | None:
        """Return the chunks of a file; None if it is none of these."""
        parts: list[Block] = []
        position = self.start
        tail = 4 if self.check else 0
        while position < len(data):
            if len(parts) % _LOOK == 0:
                look()
            field = data[position + self.at : position + self.at + self.width]
            body = position + self.head
            size = int.from_bytes(field, self.order) - (self.head if self.inclusive else 0)
            if len(field) < self.width or size < 0:
                return None
            end = body + size + tail + (self.even and size % 2)
            if end > len(data):
                return None
            head = data[position:body]
            note = head, data[body + size : end]
            parts.append(Block(self._chunk, (), data[body : body + size], note))
            position = end
        if len(parts) < least:
            return None
        front = data[: self.start]
        made = Block(plain, tuple(parts), b"", front)
        return replace(made, write=partial(self._whole, tuple(self.fields(made, len(data)))))

    def _chunk(self, block: Block) -> bytes:
        head, tail = block.note
        body = block.body
        size = len(body) + (self.head if self.inclusive else 0)
        if size >> (8 * self.width):
            raise NotThisFormatError
        length = size.to_bytes(self.width, self.order)
        head = head[: self.at] + length + head[self.at + self.width :]
        if self.check:
            tail = zlib.crc32(head[self.at + self.width :] + body).to_bytes(4, "big")
        elif self.even:
            tail = tail[: len(body) % 2] or bytes(len(body) % 2)
        return bytes(head + body + tail)

    def fields(self, block: Block, length: int) -> Iterator[_Field]:
        """Yield the numbers before the chunks that depend on them."""
        front, count = block.note, len(block.parts)
        for width, order in product((4, 2), _ORDERS):
            for at in range(len(front) - width + 1):
                value = int.from_bytes(front[at : at + width], order)
                if value == length - at - width:
                    yield _Field(at, width, order, "rest")
                elif value == length:
                    yield _Field(at, width, order, "length")
                elif value == count and count > 2:
                    yield _Field(at, width, order, "count")

    def _whole(self, fields: tuple[_Field, ...], block: Block) -> bytes:
        front = bytearray(block.note)
        chunks = b"".join(part.written for part in block.parts)
        length = len(front) + len(chunks)
        taken: set[int] = set()
        for at, width, order, what in fields:
            value = {"rest": length - at - width, "length": length, "count": len(block.parts)}[what]
            if taken.isdisjoint(range(at, at + width)) and not value >> (8 * width):
                front[at : at + width] = value.to_bytes(width, order)
                taken.update(range(at, at + width))
        return bytes(front) + chunks


#: What a file begins with, and what its chunks look like.
_KNOWN: Final = (
    (b"\x89PNG\r\n\x1a\n", Chunks(8, 8, 0, 4, "big", check=True)),
    (b"\x8aMNG\r\n\x1a\n", Chunks(8, 8, 0, 4, "big", check=True)),
    (b"RIFF", Chunks(12, 8, 4, 4, "little", even=True)),
    (b"FORM", Chunks(12, 8, 4, 4, "big", even=True)),
    (b"MThd", Chunks(0, 8, 4, 4, "big")),
)


def read_known_chunks(data: bytes) -> Block | None:
    """Return the chunks of a file of a known format."""
    for begins, chunks in _KNOWN:
        if data.startswith(begins):
            made = chunks.read(data)
            if made is not None and begins == _KNOWN[0][0]:
                made = replace(made, forms=_images)
            return made
    return None


def _images(block: Block) -> Iterator[Block]:
    """Yield a PNG image of one pixel, and one that is as large but black.

    Rows of pixels are packed, so they can be no shorter one by one.
    """
    kinds = [part.note[0][4:8] for part in block.parts]
    if kinds.count(b"IHDR") != 1 or b"IDAT" not in kinds:
        return
    head = block.parts[kinds.index(b"IHDR")]
    if len(head.body) != 13 or head.body[9] not in _SAMPLES:
        return
    for sides in (bytes((0, 0, 0, 1)) * 2, head.body[:8]):
        changed = sides + head.body[8:10] + bytes(3)
        width, height = (int.from_bytes(side, "big") for side in (sides[:4], sides[4:]))
        row = 1 + (width * changed[8] * _SAMPLES[changed[9]] + 7) // 8
        if row * height > _MOST_PIXELS:
            continue
        first = kinds.index(b"IDAT")
        parts = tuple(
            replace(part, body=changed if part is head else zlib.compress(bytes(row * height), 9))
            if at in (first, kinds.index(b"IHDR"))
            else part
            for at, part in enumerate(block.parts)
            if at == first or kinds[at] != b"IDAT"
        )
        yield replace(block, parts=parts)


#: How many samples a pixel has, by its type of colour.
_SAMPLES: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
#: Images with more bytes than this are not written.
_MOST_PIXELS: Final = 16 << 20


# A chain of this many chunks to the very end of a file is not an accident. Lengths of one byte are
# not tried: in half of all files some chain of them ends where the file does.
_LEAST: Final = {2: 4, 4: 3}
#: How many bytes may precede chunks that are found by trial.
_MOST_FRONT: Final = 64


def chunks_by_trial(data: bytes) -> Chunks | None:
    """Return how the chunks of an unknown format look: a chain of them that ends where it does.

    Of several chains it is one with a length of the whole before it, else the one that has the
    most chunks.
    """
    best: tuple[tuple[bool, int, int], Chunks] | None = None
    starts = range(min(_MOST_FRONT, len(data)))
    heads = list(product((0, 1, 2, 4, 8), (0, 4, 2), (False, True), (False, True)))
    for width, order, start in product((4, 2), _ORDERS, starts):
        for at, after, inclusive, even in heads:
            chunks = Chunks(start, at + width + after, at, width, order, inclusive, False, even)
            found = chunks.read(data, _LEAST[width])
            # Zeros are empty chunks of any kind.
            if found is None or 2 * sum(bool(one.body) for one in found.parts) <= len(found.parts):
                continue
            said = any(one.what != "count" for one in chunks.fields(found, len(data)))
            score = said, len(found.parts), -start
            if best is None or score > best[0]:
                best = score, chunks
    return None if best is None else best[1]
