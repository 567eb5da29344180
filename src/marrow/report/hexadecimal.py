"""Bytes that are not text, for people: hexadecimal digits in rows, as hexdump and xxd show them."""

from __future__ import annotations

from collections.abc import Iterator


def hexadecimal(text: bytes) -> Iterator[str]:
    """Yield rows of sixteen bytes: their place, their digits, the letters among them."""
    for start in range(0, len(text), 16):
        row = text[start : start + 16]
        letters = "".join(chr(one) if 32 <= one < 127 else "." for one in row)
        pairs = " ".join(row[at : at + 2].hex() for at in range(0, len(row), 2))
        yield f"{start:08x}: {pairs:<39}  {letters}"
