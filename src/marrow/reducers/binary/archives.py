"""Compressed files: zip archives with their directory, gzip; contents are reduced uncompressed."""

from __future__ import annotations

import io
import struct
import zlib
from functools import partial
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from marrow.reducers.binary.block import Block, NotThisFormatError, plain

#: Contents that become longer than this are left compressed: a small file may hold gigabytes.
_MOST_CONTENT: Final = 16 << 20

# What the library raises about archives that are damaged, encrypted, or packed in other ways.
_ERRORS: Final = (BadZipFile, EOFError, LookupError, OSError, RuntimeError, ValueError, zlib.error)


def read_zip(data: bytes) -> Block | None:
    """Return the entries of a zip archive as parts; the body of each is its content."""
    if not data.startswith(b"PK\x03\x04"):
        return None
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if any(one.file_size >= _MOST_CONTENT for one in entries):
                raise NotThisFormatError
            parts = tuple(Block(plain, (), archive.read(one), one) for one in entries)
    except _ERRORS as error:
        raise NotThisFormatError from error
    return Block(partial(_zip, data, parts), parts)


def _zip(whole: bytes, entries: tuple[Block, ...], block: Block) -> bytes:
    """Write the entries that are left, without extra fields and comments."""
    if block.parts == entries:
        return whole
    made = io.BytesIO()
    with ZipFile(made, "w") as archive:
        for part in block.parts:
            entry = ZipInfo(part.note.filename, part.note.date_time)
            entry.external_attr = part.note.external_attr
            packed = ZIP_DEFLATED if len(_deflated(part.body)) < len(part.body) else ZIP_STORED
            changed = part not in entries
            archive.writestr(entry, part.body, packed if changed else part.note.compress_type, 9)
    return made.getvalue()


def _deflated(content: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def read_gzip(data: bytes) -> Block | None:
    """Return the content of a gzip file as the body of one part."""
    if not data.startswith(b"\x1f\x8b\x08"):
        return None
    try:
        content = zlib.decompressobj(31).decompress(data, _MOST_CONTENT)
    except zlib.error as error:
        raise NotThisFormatError from error
    if len(content) >= _MOST_CONTENT:
        raise NotThisFormatError
    part = Block(plain, (), content)
    return Block(partial(_gzip, data, part), (part,))


def _gzip(whole: bytes, content: Block, block: Block) -> bytes:
    if block.parts == (content,):
        return whole
    body = plain(block)
    end = struct.pack("<II", zlib.crc32(body), len(body) & 0xFFFFFFFF)
    return b"\x1f\x8b\x08" + bytes(7) + _deflated(body) + end
