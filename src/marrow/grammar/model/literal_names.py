"""Names of tokens that have no rule: literals and sets of characters, as grammars write them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

#: How many ranges of a set its name shows: enough for every set that people write by hand.
_MOST_RANGES: Final = 8


def set_name(ranges: Sequence[tuple[int, int]]) -> str:
    """Return a set of characters as it is written in grammars, shortened if it is long."""
    shown = "".join(
        _character(low) if low == high else f"{_character(low)}-{_character(high)}"
        for low, high in ranges[:_MOST_RANGES]
    )
    if len(ranges) > _MOST_RANGES:
        # The checksum tells apart long sets that start alike.
        shown += f"...{zlib.crc32(repr(ranges).encode()):08x}"
    return f"[{shown}]"


def literal_name(text: str) -> str:
    """Return a literal as it is written in grammars."""
    escaped = "".join(_escape(character, "'") for character in text)
    return f"'{escaped}'"


def _character(code: int) -> str:
    return _escape(chr(code), "]-")


def _escape(character: str, special: str) -> str:
    if character == "\\" or character in special:
        return "\\" + character
    if character.isprintable():
        return character
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
    return named.get(character) or f"\\u{{{ord(character):x}}}"
