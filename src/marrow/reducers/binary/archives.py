"""Compressed files: zip archives with their directory, gzip; contents are reduced uncompressed."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from functools import partial
from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError, plain

_LOCAL: Final = b"PK\x03\x04"
_CENTRAL: Final = b"PK\x01\x02"
_END: Final = b"PK\x05\x06"
# Ways of compression in PKWARE's APPNOTE.TXT, section 4.4.5.
_STORED: Final = 0
_DEFLATED: Final = 8

#: Contents that become longer than this are left compressed: a small file may hold gigabytes.
_MOST_CONTENT: Final = 16 << 20


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of an archive as it was: both of its heads, and its data."""

    local: bytes
    central: bytes
    data: bytes
    content: bytes
    descriptor: bytes


def read_zip(data: bytes) -> Block | None:
    """Return the entries of a zip archive; each has its extra fields and its content as parts."""
    end = data.rfind(_END)
    if not data.startswith(_LOCAL) or end < 0:
        return None
    count, size, offset, comment = struct.unpack_from("<10xHIIH", data, end)
    if end + 22 + comment != len(data) or offset + size > end:
        raise NotThisFormatError
    central = Cursor(data, offset)
    entries = [_entry(data, central) for _ in range(count)]
    return Block(
        partial(_zip, data),
        tuple(Block(plain, (), one.content, one) for one in entries),
        b"",
        tuple(entries),
    )


def _entry(data: bytes, central: Cursor) -> _Entry:
    start = central.at
    fixed = central.take(46)
    if fixed[:4] != _CENTRAL:
        raise NotThisFormatError
    fields = struct.unpack_from("<8xHH8xI4xHHH8xI", fixed)
    flags, method, size, name, extra, comment, offset = fields
    central.take(name + extra + comment)
    local = Cursor(data, offset)
    head = local.take(30)
    if head[:4] != _LOCAL:
        raise NotThisFormatError
    lengths = struct.unpack_from("<26xHH", head)
    head += local.take(sum(lengths))
    raw = local.take(size)
    descriptor = b""
    if flags & 8:
        descriptor = local.take(16 if data[local.at : local.at + 4] == b"PK\x07\x08" else 12)
    content = raw if method == _STORED else _inflated(raw) if method == _DEFLATED else raw
    return _Entry(head, data[start : central.at], raw, content, descriptor)


def _inflated(raw: bytes, bits: int = -15) -> bytes:
    try:
        made = zlib.decompressobj(bits).decompress(raw, _MOST_CONTENT)
    except zlib.error as error:
        raise NotThisFormatError from error
    if len(made) >= _MOST_CONTENT:
        raise NotThisFormatError
    return made


def _zip(whole: bytes, block: Block) -> bytes:
    """Write the entries that are left, then a directory of them."""
    if _unchanged(block):
        return whole
    made, directory = bytearray(), bytearray()
    for part in block.parts:
        entry: _Entry = part.note
        head, central = bytearray(entry.local), bytearray(entry.central)
        data, descriptor = entry.data, entry.descriptor
        name, _ = struct.unpack_from("<HH", head, 26)
        # Extra fields and comments are left out: what is in them belongs to what was.
        del head[30 + name :], central[46 + name :]
        head[28:30] = central[30:32] = central[32:34] = bytes(2)
        if part.body != entry.content:
            data = part.body
            method = _STORED
            packed = _deflated(part.body)
            if len(packed) < len(data):
                data, method = packed, _DEFLATED
            struct.pack_into("<H", head, 8, method)
            struct.pack_into("<H", central, 10, method)
        sizes = zlib.crc32(part.body), len(data), len(part.body)
        if descriptor:
            head[6] &= 0xF7
            central[8] &= 0xF7
        struct.pack_into("<III", head, 14, *sizes)
        struct.pack_into("<III", central, 16, *sizes)
        struct.pack_into("<I", central, 42, len(made))
        directory += central
        made += head + data
    count = len(block.parts)
    end = struct.pack("<4s4xHHIIH", _END, count, count, len(directory), len(made), 0)
    return bytes(made + directory + end)


def _unchanged(block: Block) -> bool:
    """Whether every entry is there and as it was."""
    entries: tuple[_Entry, ...] = block.note
    return len(entries) == len(block.parts) and all(
        part.note is entry and part.body == entry.content
        for part, entry in zip(block.parts, entries, strict=True)
    )


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def read_gzip(data: bytes) -> Block | None:
    """Return the content of a gzip file as the body of one part."""
    if data[:3] != b"\x1f\x8b\x08":
        return None
    cursor = Cursor(data, 10)
    flags = data[3]
    if flags & 4:
        cursor.take(cursor.number(2, "little"))
    for flag in (8, 16):
        if flags & flag:
            while cursor.take(1) != b"\0":
                pass
    if flags & 2:
        cursor.take(2)
    content = _inflated(data[cursor.at :])
    part = Block(plain, (), content)
    return Block(partial(_gzip, data, content), (part,))


def _gzip(whole: bytes, content: bytes, block: Block) -> bytes:
    body = b"".join(part.body for part in block.parts)
    if block.parts and body == content:
        return whole
    end = struct.pack("<II", zlib.crc32(body), len(body) & 0xFFFFFFFF)
    return b"\x1f\x8b\x08" + bytes(7) + _deflated(body) + end
