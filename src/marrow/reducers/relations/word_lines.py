"""Lines, words and numbers of a text, and how they are written again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

# A number may have a name before it, as in `rows=150`, and a base or zeros, as in `0x1F` or `007`.
_NUMBER: Final = re.compile(rb"([^\d\s]*[=:#@(\[])?([-+]?)(0[xX][0-9a-fA-F]+|\d+)")
# Longer ones do not count anything, and cost time.
_LONGEST: Final = 30


def plain_number(word: bytes) -> int | None:
    """Return the value of a word that is nothing but a decimal number."""
    if word.isdigit() or (word[:1] == b"-" and word[1:].isdigit()):
        return int(word) if len(word) < _LONGEST else None
    return None


def number_in(word: bytes) -> int | None:
    """Return the value of the number at the end of a word, whatever its base."""
    found = _NUMBER.fullmatch(word) if len(word) < _LONGEST else None
    if found is None:
        return None
    value = int(found[3], 16 if found[3][:2] in (b"0x", b"0X") else 10)
    return -value if found[2] == b"-" else value


def written(value: int, like: bytes) -> bytes:
    """Write a number as it was in a word: with its name, its base and its zeros."""
    found = _NUMBER.fullmatch(like)
    if found is None:
        return b"%d" % value
    name, digits = found[1] or b"", found[3]
    sign = b"-" if value < 0 else b"+" if found[2] == b"+" else b""
    if digits[:2] in (b"0x", b"0X"):
        return name + sign + digits[:2] + b"%0*x" % (len(digits) - 2, abs(value))
    width = len(digits) if digits[0] == ord("0") and len(digits) > 1 else 1
    return name + sign + b"%0*d" % (width, abs(value))


@dataclass(frozen=True, slots=True)
class WordLayout:
    """How lines are cut into words, and put together again."""

    separator: bytes = b" "
    newline: bytes = b"\n"
    #: Whether the last line has an end.
    ended: bool = True

    def lines(self, text: bytes) -> list[bytes]:
        """Return the lines of a text, without their ends."""
        return text.removesuffix(self.newline).split(self.newline)

    def text(self, lines: Iterable[bytes]) -> bytes:
        """Return the text of lines."""
        return self.newline.join(lines) + (self.newline if self.ended else b"")

    def words(self, line: bytes) -> list[bytes]:
        """Return the words of a line."""
        return line.split(self.separator) if line else []

    def line(self, words: Iterable[bytes]) -> bytes:
        """Return the line of words."""
        return self.separator.join(words)

    def count(self, line: bytes) -> int:
        """Return how many words a line has."""
        return line.count(self.separator) + 1 if line else 0


def layout_of(text: bytes) -> WordLayout:
    """Return the layout of a text: commas, tabs or spaces between words."""
    newline = b"\r\n" if text.count(b"\r\n") == text.count(b"\n") > 0 else b"\n"
    end = text.find(newline, 1 << 12)
    sample = text[: end if end >= 0 else 1 << 16]
    kinds = (b", ", b",", b"\t", b"; ", b";")
    most = max(kinds, key=lambda one: sample.count(one) * len(one))
    separator = most if sample.count(most) > sample.count(b" ") - sample.count(b", ") else b" "
    return WordLayout(separator, newline, text.endswith(newline))


def tidied(text: bytes) -> bytes:
    """Return a text with single spaces between words and none at the ends of lines."""
    return re.sub(rb"[ \t]+", b" ", re.sub(rb"[ \t]+(?=\r?\n|\Z)|^[ \t]+", b"", text, flags=re.M))
