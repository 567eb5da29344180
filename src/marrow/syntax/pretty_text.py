"""Readable text: a reduced text whose lines are indented by the brackets around them, for people.

A line is indented once for each line on which a bracket around it was opened, and a `}` whose `{`
ends a line begins one, as it did before the text was made compact. Where else lines end, and spaces
inside of lines, stay as they are: the formatters of the languages know better. Like compact text,
the result is read again, and gaps that change what is read stay as they were. No token changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Final

from marrow.syntax.compact_text import Gap, Read, with_gaps
from marrow.tree import Tree
from marrow.tree.layout import joint

# Nobody reads results with more tokens; they stay as they are.
MOST_TOKENS: Final = 20_000

_OPENING: Final = (b"(", b"[", b"{")
_CLOSING: Final = (b")", b"]", b"}")

# How long a bracket with its sign is, as `${` in a string with code.
_LONGEST: Final = 2


@dataclass(frozen=True, slots=True)
class LayoutStyle:
    """One level of indentation, and how lines end."""

    indent: bytes = b"    "
    line_end: bytes = b"\n"


def style_of(text: bytes) -> LayoutStyle:
    """Return the style of a text."""
    crlf = text.count(b"\r\n") * 2 > text.count(b"\n")
    return LayoutStyle(_indent(text.splitlines()), b"\r\n" if crlf else b"\n")


def _indent(lines: list[bytes]) -> bytes:
    spaces = []
    for line in lines:
        white = line[: len(line) - len(line.lstrip(b" \t"))]
        if white.startswith(b"\t"):
            return b"\t"
        if len(white) > 1 and white != line:
            spaces.append(len(white))
    step = reduce(math.gcd, spaces, 0)
    if step < 2:
        step = min(spaces, default=4)
    return b" " * min(step, 8)


def pretty_text(read: Read, tree: Tree, style: LayoutStyle) -> bytes:
    """Return the text of a tree on indented lines, with the same tokens and structure."""
    if tree.indented or not 1 < tree.token_count <= MOST_TOKENS:
        return tree.text
    tokens = [one for one in tree.tokens() if one.text]
    line = 0
    # The line of each open bracket, and whether it ends that line.
    opened: list[tuple[int, bool]] = []
    planned: list[Gap] = []
    for left, right in pairwise(tokens):
        old = new = joint(left, right)
        breaks = b"\n" in old and not old.strip()
        if left.text.endswith(_OPENING) and len(left.text) <= _LONGEST:
            opened.append((line, breaks))
        closed = opened.pop() if right.text in _CLOSING and opened else None
        if breaks or (right.text == b"}" and closed and closed[1] and not old.strip()):
            line += 1
            lines = {one for one, _ in opened if closed is None or one != closed[0]}
            new = style.line_end + style.indent * len(lines)
        planned.append(Gap((left.symbol, right.symbol), old, new))
    end = style.line_end if b"\n" in tree.tail else tree.tail
    head = tree.head if tree.head.strip() else b""
    return with_gaps(read, tree.text, tokens, planned, head, end)
