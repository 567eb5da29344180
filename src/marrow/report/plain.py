"""Text from elsewhere, made harmless: a terminal shows it and obeys nothing in it.

What tests print, what inputs hold and how files are called may contain escape sequences that move
the cursor, change the title or answer in the user's name, and letters that turn the reading
direction round. Everything that marrow shows goes through one of these functions.
"""

from __future__ import annotations

from collections.abc import Iterator


def printable(text: bytes) -> str:
    """Return a text to look at: dots replace what cannot be shown, spaces replace tabs."""
    lines = text.decode("utf-8", "replace").expandtabs(4).split("\n")
    # Line by line: most need nothing, and a result may have tens of megabytes.
    return "\n".join(line if line.isprintable() else _dotted(line) for line in lines)


def _dotted(line: str) -> str:
    return "".join(one if one.isprintable() else "\N{MIDDLE DOT}" for one in line)


def plain(text: str) -> str:
    r"""Return words with escapes spelled out, as \x1b, so that a terminal obeys none."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character == "\n" else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else "\\?"


def hexadecimal(text: bytes) -> Iterator[str]:
    """Yield rows of sixteen bytes: their place, their digits, the letters among them."""
    for start in range(0, len(text), 16):
        row = text[start : start + 16]
        letters = "".join(chr(one) if 32 <= one < 127 else "." for one in row)
        pairs = " ".join(row[at : at + 2].hex() for at in range(0, len(row), 2))
        yield f"{start:08x}: {pairs:<39}  {letters}"


def counted(number: int, what: str) -> str:
    """Return a number of things in words: `1 file`, `2,000 files`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
