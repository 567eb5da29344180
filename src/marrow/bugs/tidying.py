"""Tidying small results: neighbours go together, values and names become the plainest that do.

Deleting part by part leaves what can only go together, as `, e()`, and values that do not matter.
Both make results of one bug differ, so they are tried at the end, by a few tests each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from marrow.bugs.canonical import (
    BYTE,
    LONGEST_RESULT,
    NAME,
    NUMBER,
    PARTNER,
    SPACE,
    STRING,
    TextPiece,
    balanced,
    lexemes,
)

#: Whether a text shows the failure.
Shows: TypeAlias = Callable[[bytes], bool]

# Neighbours go together in these numbers of lexemes, in results of so many, by so many tests: with
# an operator or a comma, with a name and its brackets, as a clause.
_WINDOWS: Final = (6, 4, 3, 2)
_WINDOWED: Final = 60
_WINDOW_TESTS: Final = 80

# Values of larger results are left as they are: each costs a test or two.
_MOST_VALUES: Final = 80

# A longer name may be made this one, of which canonical forms make a number.
_SHORT: Final = 2
_NAMES: Final = tuple(bytes([letter]) for letter in range(ord("a"), ord("z") + 1))


@dataclass(frozen=True, slots=True)
class _Unit:
    """A lexeme and the white space behind it."""

    piece: TextPiece
    gap: bytes = b""


def without_neighbours(text: bytes, shows: Shows) -> bytes:
    """Return a result without neighbours, and pairs of brackets, that it does not need."""
    if len(text) > LONGEST_RESULT:
        return text
    head, units = _units(text)
    if not units or len(units) > _WINDOWED or units[0].piece.kind == BYTE:
        return text  # bytes were deleted in runs of all lengths
    left = _WINDOW_TESTS

    def tried(fewer: list[_Unit]) -> bool:
        nonlocal units, left
        if not fewer or left <= 0:
            return False
        left -= 1
        if not shows(_text(head, fewer)):
            return False
        units = fewer
        return True

    for size in _WINDOWS:
        end = len(units)
        while end >= size:
            inside = units[end - size : end]
            if balanced([one.piece for one in inside]) and tried(_without(units, end - size, end)):
                end = min(end, len(units))
            else:
                end -= 1
    at = 0
    while at < len(units):
        closed = _partner(units, at)
        if closed is None or not tried(_without(_without(units, closed, closed + 1), at, at + 1)):
            at += 1
    return _text(head, units)


def _units(text: bytes) -> tuple[bytes, list[_Unit]]:
    """Return the white space in front of a text, and its lexemes."""
    head, units = b"", []
    for piece in lexemes(text):
        if piece.kind != SPACE:
            units.append(_Unit(piece))
        elif units:
            units[-1] = replace(units[-1], gap=piece.text)
        else:
            head = piece.text
    return head, units


def _text(head: bytes, units: Sequence[_Unit]) -> bytes:
    return head + b"".join(one.piece.text + one.gap for one in units)


def _without(units: Sequence[_Unit], start: int, end: int) -> list[_Unit]:
    """Return lexemes without some of them: a line stays a line, and two words two words."""
    before, after = list(units[:start]), list(units[end:])
    if before:
        gaps = [before[-1].gap, *(one.gap for one in units[start:end])]
        gap = next((one for one in gaps if b"\n" in one), gaps[0])
        words = {NAME, NUMBER}
        if not gap and after and {before[-1].piece.kind, after[0].piece.kind} <= words:
            gap = b" "
        before[-1] = replace(before[-1], gap=gap)
    return before + after


def _partner(units: Sequence[_Unit], at: int) -> int | None:
    """Return where the bracket is closed that is opened somewhere."""
    if units[at].piece.text not in PARTNER:
        return None
    for end in range(at + 1, len(units)):
        if balanced([one.piece for one in units[at : end + 1]]):
            return end
    return None


def with_plain_values(text: bytes, shows: Shows) -> bytes:
    """Return a result in which values and names are the plainest that fail alike."""
    if len(text) > LONGEST_RESULT:
        return text
    pieces = list(lexemes(text))
    if sum(one.kind not in (NAME, SPACE) for one in pieces) > _MOST_VALUES:
        return text
    for at, piece in enumerate(pieces):
        for plain in _plainer(piece):
            changed = [*pieces[:at], TextPiece(piece.kind, plain), *pieces[at + 1 :]]
            if shows(_joined(changed)):
                pieces = changed
                break
    have = {one.text for one in pieces}
    long = [one.text for one in pieces if one.kind == NAME and len(one.text) > _SHORT]
    for name in dict.fromkeys(long):
        short = next((one for one in _NAMES if one not in have), None)
        if short is None:
            break
        changed = [
            TextPiece(NAME, short) if (one.kind, one.text) == (NAME, name) else one
            for one in pieces
        ]
        if shows(_joined(changed)):
            pieces = changed
            have.add(short)
    return _joined(pieces)


def _joined(pieces: Sequence[TextPiece]) -> bytes:
    return b"".join(one.text for one in pieces)


def _plainer(piece: TextPiece) -> Iterator[bytes]:
    """Yield texts that are plainer than a lexeme, the plainest first."""
    plain: tuple[bytes, ...] = ()
    if piece.kind == NUMBER:
        plain = (b"0", b"1", b"9")
    elif piece.kind == STRING:
        quote = piece.text[:1]
        plain = (quote * 2, quote + b"a" + quote)
    elif piece.kind == BYTE:
        plain = (b"\0", b"0", b"\xff")
    for one in plain:
        if one == piece.text:
            return
        if len(one) <= len(piece.text):
            yield one
