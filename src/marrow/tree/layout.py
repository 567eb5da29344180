"""The text between two tokens: the layout of the input where it applies, else a joint.

Two tokens that were neighbours in the input keep the gap they had, comments included. Two that were
not get a joint made of both gaps: a line break if either gap had one, else a space if either gap
had anything or the tokens would run together, else nothing; a bracket, comma or colon that touched
its neighbour touches the new one. The line after a break is indented as the right token's line
was, so that blocks of Python and preprocessor lines of C survive edits.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from marrow.tree.node import Token

# Bits: what a token must not be joined with.
_GLUE_BEFORE: Final = 1
_GLUE_AFTER: Final = 2

# Characters that may be part of a name or number in some language. Bytes from 0x80 on are parts of
# UTF-8 sequences, which most languages allow in names.
_WORD: Final = frozenset(
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$" + bytes(range(0x80, 0x100))
)
_OPENING: Final = frozenset(b"([{")
_CLOSING: Final = frozenset(b")]}")
_MARKS: Final = frozenset(b",;")
_OPENING_BYTES: Final = frozenset({b"(", b"[", b"{"})
_TOUCHING_BYTES: Final = frozenset({b")", b"]", b"}", b",", b";", b":"})
_BRACKETS: Final = _OPENING | _CLOSING | _MARKS

# A backslash before a line break joins the lines in C, Python, shells and others.
_CONTINUATION: Final = re.compile(rb"\\\r?\n")


def joint(left: Token, right: Token) -> bytes:
    """Return the text between two neighbouring tokens."""
    if left.serial + 1 == right.serial:
        return right.before
    if left.glue & _GLUE_AFTER or right.glue & _GLUE_BEFORE:
        return b""
    after, before = left.after, right.before
    line_break = first_line_break(before) or first_line_break(after)
    if line_break:
        return line_break + right.indent
    # Slices, for a token may have been emptied.
    touching = (not after and left.text[-1:] in _OPENING_BYTES) or (
        not before and right.text[:1] in _TOUCHING_BYTES
    )
    if (not touching and (after or before)) or runs_together(left.text, right.text):
        return b" "
    return b""


def compact_joint(left: Token, right: Token, *, lines: bool) -> bytes:
    """Return the least text that keeps two neighbouring tokens apart.

    Line breaks are kept, with the indentation of the right token's line, where `lines` says that
    they matter in the language. Where there was no gap none is made.
    """
    gap = joint(left, right)
    if not gap or left.glue & _GLUE_AFTER or right.glue & _GLUE_BEFORE:
        return gap
    if lines:
        line_break = first_line_break(gap)
        if line_break:
            return line_break + right.indent
    return b" " if runs_together(left.text, right.text) else b""


def runs_together(left: bytes, right: bytes) -> bool:
    """Whether two tokens might be read as one, or as others, if nothing stood between them.

    Knows nothing of the language, so it errs on the side of a space: only brackets, commas and
    semicolons are trusted to end a token, and not next to an operator or a bracket like them
    (`(*`, `[[` and `;;` are tokens somewhere).
    """
    if not left or not right:
        return False
    end, start = left[-1], right[0]
    if end in _WORD and start in _WORD:
        return True
    if end in _BRACKETS:
        if start in _BRACKETS:
            return end == start
        if start == 0x3A and end in _CLOSING:
            return False
        return start not in _WORD and start not in b"\"'"
    if start in _BRACKETS:
        return end not in _WORD and end not in b"\"'"
    return not (end in b" \t\r\n" or start in b" \t\r\n")


def first_line_break(gap: bytes) -> bytes:
    """Return the gap's first line break, if it has one that is not a continuation of the line."""
    end = gap.find(b"\n")
    if end < 0:
        return b""
    if b"\\" in gap:
        gap = _CONTINUATION.sub(b"", gap)
        end = gap.find(b"\n")
        if end < 0:
            return b""
    return b"\r\n" if end and gap[end - 1] == 0x0D else b"\n"


def short_gap(gap: bytes, indent: bytes) -> bytes:
    """Return the least gap of the same nature: a line break with its indentation, or a space."""
    line_break = first_line_break(gap)
    if line_break:
        return line_break + indent
    return b" " if gap else b""
