"""Messages of protocol buffers: fields with numbers, and messages inside of them."""

from __future__ import annotations

from typing import Final

from marrow.reducers.binary.block import Block, Cursor, NotThisFormatError, plain, varint

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
    enough = made is not None and (len(made.parts) >= _LEAST_FIELDS or made.parts[0].parts)
    return made if enough and made is not None and _nested(made) else None


def read_known_message(data: bytes) -> Block | None:
    """Return the fields of what is known to be a message, be it one field."""
    return _message(data, 0)


def _nested(block: Block) -> bool:
    """Whether there is a message inside, or a field with a length: the rest may be an accident."""
    return any(part.parts or part.note is not None for part in block.parts)


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
