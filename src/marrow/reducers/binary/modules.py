"""Nested lists with lengths and counts: WebAssembly, Java's class files, protocol buffers."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError, plain, varint

# -- WebAssembly (https://webassembly.github.io/spec/core/binary/modules.html) ---------------------

_WASM: Final = b"\0asm\1\0\0\0"
# The numbers of sections.
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
    if kind in (_TYPES, _FUNCTIONS, _EXPORTS, _CODE):
        cursor = Cursor(body)
        count, wide = cursor.varint()
        items = tuple(_item(kind, cursor) for _ in range(min(count, len(body))))
        if len(items) == count and cursor.ended:
            return Block(_write_section, items, b"", (kind, width, wide))
    return Block(_write_section, (), body, (kind, width, 0))


def _item(kind: int, cursor: Cursor) -> Block:
    start = cursor.at
    if kind == _CODE:
        size, width = cursor.varint()
        return Block(_delimited, (), cursor.take(size), (b"", width))
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


def _write_section(block: Block) -> bytes:
    kind, width, wide = block.note
    body = plain(block)
    if wide:
        body = varint(len(block.parts), wide) + body
    return bytes((kind,)) + varint(len(body), width) + body


# -- Class files (The Java Virtual Machine Specification, chapter 4) -------------------------------

_CLASS: Final = b"\xca\xfe\xba\xbe"
# The tag of a constant that is a text.
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
    fields, methods = (
        _counted([_member(cursor) for _ in range(cursor.number(2))]) for _ in range(2)
    )
    attributes = _attributes(cursor)
    if not cursor.ended:
        raise NotThisFormatError
    front = Block(plain, (), data[:8])
    parts = front, constants, names, interfaces, fields, methods, attributes
    return Block(plain, parts, fixed=True)


def _constants(cursor: Cursor) -> Block:
    """Read the constants. One that nobody needs becomes an empty string, as places are counted."""
    count = cursor.number(2)
    found = []
    place = 1
    while place < count:
        start = cursor.at
        tag = cursor.number(1)
        if tag != _UTF8 and tag not in _CONSTANTS:
            raise NotThisFormatError
        size, places = _CONSTANTS.get(tag) or (cursor.number(2), 1)
        cursor.take(size)
        place += places
        body, text = cursor.data[start : cursor.at], tag == _UTF8
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
        found.append(Block(_attribute, (), cursor.take(cursor.number(4)), name))
    return _counted(found)


def _attribute(block: Block) -> bytes:
    name: bytes = block.note
    return name + struct.pack(">I", len(block.body)) + block.body


# The format: https://protobuf.dev/programming-guides/encoding/

#: A larger number of a field is a sign that the bytes are not a message.
_MOST_FIELD: Final = 10_000
#: A message has at least so many fields: a few bytes of anything may look like one.
_LEAST_FIELDS: Final = 2
#: How deep messages are read inside each other.
_MOST_DEPTH: Final = 20


def read_message(data: bytes) -> Block | None:
    """Return the fields of a message; messages inside it are fields with fields."""
    made = read_known_message(data)
    if made is None or (len(made.parts) < _LEAST_FIELDS and not made.parts[0].parts):
        return None
    # There is a message inside, or a field with a length: the rest may be an accident.
    nested = any(part.parts or part.note is not None for part in made.parts)
    return made if nested else None


def read_known_message(data: bytes) -> Block | None:
    """Return the fields of what is known to be a message, be it one field."""
    return _message(data, 0)


def _message(data: bytes, depth: int) -> Block | None:
    cursor = Cursor(data)
    fields = []
    try:
        while not cursor.ended:
            fields.append(_field(cursor, depth))
    except NotThisFormatError:
        return None
    return Block(plain, tuple(fields)) if fields else None


def _field(cursor: Cursor, depth: int) -> Block:
    start = cursor.at
    key, _ = cursor.varint()
    kind, number = key & 7, key >> 3
    if not 0 < number <= _MOST_FIELD:
        raise NotThisFormatError
    head = cursor.data[start : cursor.at]
    if kind == 2:
        size, width = cursor.varint()
        body = cursor.take(size)
        inner = None if depth >= _MOST_DEPTH or body.isascii() else _message(body, depth + 1)
        if inner is None or len(inner.parts) < _LEAST_FIELDS:
            return Block(_delimited, (), body, (head, width))
        return Block(_delimited, inner.parts, b"", (head, width))
    if kind == 0:
        cursor.varint()
    elif kind in (1, 5):
        cursor.take(8 if kind == 1 else 4)
    else:
        raise NotThisFormatError
    return Block(plain, (), cursor.data[start : cursor.at])


def _delimited(block: Block) -> bytes:
    head, width = block.note
    body = plain(block)
    return bytes(head) + varint(len(body), width) + body
