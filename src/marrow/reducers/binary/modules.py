"""Compiled modules: WebAssembly and Java's class files; lists preceded by a count."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import partial
from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError, plain, varint

# -- WebAssembly (https://webassembly.github.io/spec/core/binary/modules.html) ---------------------

_WASM: Final = b"\0asm\1\0\0\0"
_TYPES, _FUNCTIONS, _EXPORTS, _CODE = 1, 3, 7, 10


def read_wasm(data: bytes) -> Block | None:
    """Return the sections of a module; those of types, functions, exports and code are lists."""
    if not data.startswith(_WASM):
        return None
    cursor = Cursor(data, len(_WASM))
    sections = []
    while not cursor.ended:
        kind = cursor.take(1)[0]
        size, width = cursor.varint()
        sections.append(_section(kind, width, cursor.take(size)))
    return Block(lambda block: _WASM + plain(block), tuple(sections))


def _section(kind: int, width: int, body: bytes) -> Block:
    items: tuple[Block, ...] = ()
    note = kind, width, 0
    if kind in (_TYPES, _FUNCTIONS, _EXPORTS, _CODE):
        cursor = Cursor(body)
        count, wide = cursor.varint()
        items = tuple(_item(kind, cursor) for _ in range(min(count, len(body))))
        if len(items) == count and cursor.ended:
            return Block(_write_section, items, b"", (kind, width, wide))
    return Block(_write_section, (), body, note)


def _item(kind: int, cursor: Cursor) -> Block:
    start = cursor.at
    if kind == _CODE:
        size, width = cursor.varint()
        return Block(_sized, (), cursor.take(size), width)
    if kind == _TYPES:
        cursor.take(1)
        for _ in range(2):
            cursor.take(cursor.varint()[0])
    elif kind == _EXPORTS:
        cursor.take(cursor.varint()[0] + 1)
        cursor.varint()
    else:
        cursor.varint()
    return Block(plain, (), cursor.data[start : cursor.at])


def _sized(block: Block) -> bytes:
    return varint(len(block.body), block.note) + block.body


def _write_section(block: Block) -> bytes:
    kind, width, wide = block.note
    body = plain(block)
    if wide:
        body = varint(len(block.parts), wide) + body
    return bytes((kind,)) + varint(len(body), width) + body


# -- Class files (The Java Virtual Machine Specification, chapter 4) -------------------------------

_CLASS: Final = b"\xca\xfe\xba\xbe"
_UTF8: Final = 1
#: How many bytes follow the tag of a constant, and how many places it takes.
_CONSTANTS: Final = {
    **dict.fromkeys((3, 4, 9, 10, 11, 12, 17, 18), (4, 1)),
    **dict.fromkeys((5, 6), (8, 2)),
    **dict.fromkeys((7, 8, 16, 19, 20), (2, 1)),
    15: (3, 1),
}


def read_class(data: bytes) -> Block | None:
    """Return the constants, interfaces, fields, methods and attributes of a class file."""
    if not data.startswith(_CLASS):
        return None
    cursor = Cursor(data, 8)
    constants = _constants(cursor)
    names = Block(plain, (), cursor.take(6))
    interfaces = _counted(Block(plain, (), cursor.take(2)) for _ in range(cursor.number(2)))
    members = [
        _counted([_member(cursor) for _ in range(cursor.number(2))]) for _ in ("fields", "methods")
    ]
    attributes = _attributes(cursor)
    if not cursor.ended:
        raise NotThisFormatError
    front = Block(plain, (), data[:8])
    parts = front, constants, names, interfaces, *members, attributes
    return Block(plain, parts, fixed=True)


def _constants(cursor: Cursor) -> Block:
    """Read the constants. One that nobody needs becomes an empty string, as places are counted."""
    count = cursor.number(2)
    found = []
    place = 1
    while place < count:
        start = cursor.at
        tag = cursor.number(1)
        if tag == _UTF8:
            cursor.take(cursor.number(2))
            places = 1
        elif tag in _CONSTANTS:
            size, places = _CONSTANTS[tag]
            cursor.take(size)
        else:
            raise NotThisFormatError
        place += places
        body = cursor.data[start : cursor.at]
        text = tag == _UTF8
        found.append(Block(_constant, (), body[3:] if text else body, (text, places)))
    return Block(lambda block: count.to_bytes(2, "big") + plain(block), tuple(found), fixed=True)


def _constant(block: Block) -> bytes:
    text, places = block.note
    if text:
        return struct.pack(">BH", _UTF8, len(block.body)) + block.body
    return block.body or b"\x01\0\0" * places


def _counted(items: Iterable[Block]) -> Block:
    return Block(lambda block: len(block.parts).to_bytes(2, "big") + plain(block), tuple(items))


def _member(cursor: Cursor) -> Block:
    head = cursor.take(6)
    return Block(plain, (Block(plain, (), head), _attributes(cursor)), fixed=True)


def _attributes(cursor: Cursor) -> Block:
    found = []
    for _ in range(cursor.number(2)):
        name = cursor.take(2)
        found.append(Block(partial(_attribute, name), (), cursor.take(cursor.number(4))))
    return _counted(found)


def _attribute(name: bytes, block: Block) -> bytes:
    return name + struct.pack(">I", len(block.body)) + block.body
