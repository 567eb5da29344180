"""Formats of chunks: PNG, RIFF and their relatives by a table, others by trial.

A chunk has a length at some offset of its head. By trial, all small heads are tried, and one fits
if the chunks follow each other to the very end of the file, or begin with one byte and are followed
by something else (the segments of a JPEG file). Numbers before the chunks that are the length of
what follows them, the length of the file or the number of chunks change with them. Inside a chunk,
chunks of the same kind and numbers that say how much follows to its end are found in the same way.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from marrow.base.deadline import look
from marrow.reducers.binary.block import ORDERS, Block, NotThisFormatError, Order, plain

# How many chunks are read between two looks at the clock: a file of zeros is millions of them.
_LOOK: Final = 4096

# Where lengths are looked for: at most so many bytes precede chunks that are found by trial, or the
# rest of a chunk whose length is among them.
_MOST_FRONT: Final = 64

# The length of a part counts from some byte near itself: in UDP from four bytes before it, in the
# records of a network capture from four bytes after it.
_NEAR: Final = 4

# Shorter bodies have nothing to look for, and longer lists of chunks would take too long.
_LEAST_BODY: Final = 16
_MOST_NESTED: Final = 64


class _Field(NamedTuple):
    """A number before other bytes: its place, and from where it counts; None: it counts parts."""

    at: int
    width: int
    order: Order
    since: int | None

    def value(self, data: bytes | bytearray) -> int:
        """Return the number."""
        return int.from_bytes(data[self.at : self.at + self.width], self.order)

    def put(self, front: bytearray, length: int, count: int = 0) -> None:
        """Write the number for a whole of some length; raise an error if it has no room."""
        value = count if self.since is None else length - self.since
        if value < 0 or value >> (8 * self.width):
            raise NotThisFormatError
        front[self.at : self.at + self.width] = value.to_bytes(self.width, self.order)


@dataclass(frozen=True, slots=True)
class Chunks:
    """How chunks look: the bytes before them, and the place of each one's length.

    `head` bytes come first in a chunk, `at` is where among them the length begins, `width` how many
    bytes it has. It counts from the byte `since` of the head. `check`: a CRC-32 of what comes after
    the length follows. `even`: bodies are padded to an even length. `marked`: chunks begin with one
    byte, and what does not look like them follows the last one.
    """

    start: int
    head: int
    at: int
    width: int
    order: Order
    since: int
    check: bool = False
    even: bool = False
    marked: bool = False

    def read(self, data: bytes, least: int = 1) -> Block | None:
        """Return the chunks of a file; None if it is none of these."""
        parts: list[Block] = []
        position = self.start
        while position < len(data):
            if len(parts) % _LOOK == 0:
                look()
            part = self._read_chunk(data, position)
            if part is None:
                break
            parts.append(part)
            position += len(part.note[0]) + len(part.body) + len(part.note[1])
        if len(parts) < least or (position < len(data) and not self.marked):
            return None
        if len(parts) <= _MOST_NESTED:
            parts = [self._nested(part) for part in parts]
        if position < len(data):
            parts.append(Block(plain, (), data[position:], (b"", b"")))
        front = data[: self.start]
        fields = tuple(numbers(front, len(data), count=len(parts)))
        return Block(partial(_whole, fields), tuple(parts), b"", front)

    def _read_chunk(self, data: bytes, position: int) -> Block | None:
        """Return the chunk at a place of a file; None if there is none."""
        field = data[position + self.at : position + self.at + self.width]
        body = position + self.head
        size = int.from_bytes(field, self.order) - (self.head - self.since)
        end = body + size + (4 if self.check else 0) + (self.even and size % 2)
        marked = not self.marked or data[position] == data[self.start]
        if len(field) < self.width or size < 0 or end > len(data) or not marked:
            return None
        note = data[position:body], data[body + size : end]
        return Block(self._chunk, (), data[body : body + size], note)

    def _nested(self, part: Block) -> Block:
        """Return a chunk with what is inside: chunks of its kind, or something with a length."""
        for start in (0, 4, 8):
            inner = replace(self, start=start, marked=False)
            found = inner.read(part.body) if start < len(part.body) else None
            sound = found is not None and found.written == part.body
            if found is not None and sound and any(map(_has_body, found.parts)):
                return replace(part, parts=(found,), body=b"")
        found = read_delimited(part.body)
        return part if found is None else replace(part, parts=(found,), body=b"")

    def _chunk(self, block: Block) -> bytes:
        head, tail = bytearray(block.note[0]), block.note[1]
        body = plain(block)
        length = len(head) + len(body)
        _Field(self.at, self.width, self.order, self.since).put(head, length)
        if self.check:
            tail = zlib.crc32(head[self.at + self.width :] + body).to_bytes(4, "big")
        elif self.even:
            tail = tail[: len(body) % 2] or bytes(len(body) % 2)
        return bytes(head + body + tail)


def numbers(front: bytes, length: int, *, count: int = 0, reach: int = 0) -> Iterator[_Field]:
    """Yield the numbers before some parts that are a length up to their end, or their count.

    A length is that of all, or counts from the number or its end, or up to `reach` bytes off.
    """
    for width, order in product((4, 2), ORDERS):
        for at in range(len(front) - width + 1):
            field = _Field(at, width, order, None)
            since = length - field.value(front)
            near = at - reach <= since <= at + reach or 0 <= since - at - width <= reach
            if since == 0 or (0 < since < length and near):
                yield field._replace(since=since)
            elif field.value(front) == count and count > 2:
                yield field


def _whole(fields: tuple[_Field, ...], block: Block) -> bytes:
    """Write parts after bytes with numbers that depend on them, as far as these have room."""
    front, parts = bytearray(block.note), b"".join(part.written for part in block.parts)
    taken: set[int] = set()
    for field in fields:
        place = range(field.at, field.at + field.width)
        if taken.isdisjoint(place):
            with contextlib.suppress(NotThisFormatError):
                field.put(front, len(front) + len(parts), len(block.parts))
                taken.update(place)
    return bytes(front) + parts


def read_delimited(data: bytes, widths: tuple[int, ...] = (4, 2)) -> Block | None:
    """Return what follows the first number that says how much follows to the end of some bytes."""
    if len(data) < _LEAST_BODY:
        return None
    found = (
        one
        for one in numbers(data[:_MOST_FRONT], len(data), reach=_NEAR)
        if one.width in widths and one.since
    )
    field = min(found, default=None, key=lambda one: (one.at, -one.width))
    if field is None or len(data) - field.at - field.width < _LEAST_BODY // 2:
        return None
    end = field.at + field.width
    rest = read_delimited(data[end:]) or Block(plain, (), data[end:])
    return Block(partial(_whole, (field,)), (rest,), b"", data[:end])


#: What a file begins with, and what its chunks look like.
_KNOWN: Final = (
    (b"\x89PNG\r\n\x1a\n", Chunks(8, 8, 0, 4, "big", 8, check=True)),
    (b"\x8aMNG\r\n\x1a\n", Chunks(8, 8, 0, 4, "big", 8, check=True)),
    (b"RIFF", Chunks(12, 8, 4, 4, "little", 8, even=True)),
    (b"FORM", Chunks(12, 8, 4, 4, "big", 8, even=True)),
    (b"MThd", Chunks(0, 8, 4, 4, "big", 8)),
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


# A chain of this many chunks to the very end of a file is not an accident, nor are so few that
# begin with one byte. Lengths of one byte are not tried: in half of all files some chain of them
# ends where the file does.
_LEAST: Final = {2: 4, 4: 3}
_LEAST_MARKED: Final = 3


def chunks_by_trial(data: bytes) -> Chunks | None:
    """Return how the chunks of an unknown format look: a chain of them that ends where it does.

    Of several chains it is one with a length of the whole before it, else the one that has the
    most chunks. If there is none, chunks that begin with one byte may be followed by other bytes.
    """
    return _best_chunks(data, marked=False) or _best_chunks(data, marked=True)


def _best_chunks(data: bytes, *, marked: bool) -> Chunks | None:
    best: tuple[tuple[bool, int, int], Chunks] | None = None
    starts = range(min(_MOST_FRONT, len(data)))
    heads = list(product((0, 1, 2, 4, 8), (0, 4, 2), (False, True)))
    for width, order, start in product((4, 2), ORDERS, starts):
        for at, after, even in heads:
            head = at + width + after
            if marked and (not at or not data[start]):
                continue
            for since in sorted({head, at, 0}, reverse=True):
                chunks = Chunks(start, head, at, width, order, since, False, even, marked)
                found = chunks.read(data, _LEAST_MARKED if marked else _LEAST[width])
                # Zeros are empty chunks of any kind.
                if found is None or 2 * sum(map(_has_body, found.parts)) <= len(found.parts):
                    continue
                said = any(one.since is not None for one in numbers(found.note, len(data)))
                covered = len(data) - start - len(found.parts[-1].body) if marked else 0
                score = said, covered or len(found.parts), -start
                if best is None or score > best[0]:
                    best = score, chunks
    return None if best is None else best[1]


def _has_body(block: Block) -> bool:
    return bool(block.body or block.parts)
