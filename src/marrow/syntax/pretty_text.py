"""Readable text: a reduced text whose lines are indented by what holds them, for people.

Each line is indented by the bodies around it, and a `}` whose `{` ends a line begins one, as it did
before the text was made compact. Where else lines end, and spaces inside of lines, stay as they
are: the formatters of the languages know better. Like compact text, the result is read again,
and gaps that change what is read stay as they were. No token changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from marrow.syntax.compact_text import Gap, Read, with_gaps
from marrow.tree import QUANTIFIED, Branch, Node, Token, Tree
from marrow.tree.layout import joint

# Nobody reads results with more tokens; they stay as they are.
MOST_TOKENS: Final = 20_000

_OPENING: Final = frozenset({b"(", b"[", b"{"})
_CLOSING: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_WORD: Final = re.compile(rb"\w+\Z")
#: Words that continue the statement before them.
_CONTINUING: Final = frozenset(
    b"else elif elsif elseif catch except finally rescue ensure then".split()
)

#: The branches above a token, each with the number of the child that leads to it.
_Path: TypeAlias = list[tuple[Branch, int]]


def _paths(tree: Tree) -> Iterator[tuple[Token, _Path]]:
    """Yield every token with the branches above it, each with the number of the child."""
    path: _Path = []
    stack: list[tuple[Node, int, int]] = [(tree.root, 0, 0)]
    while stack:
        node, depth, at = stack.pop()
        if depth:
            path[depth - 1 :] = [(path[depth - 1][0], at)]
        if isinstance(node, Token):
            if node.text:
                yield node, path[:depth]
            continue
        path[depth:] = [(node, 0)]
        stack += [(child, depth + 1, number) for number, child in enumerate(node.children)][::-1]


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
    line = 0
    opened: dict[Token, int] = {}  # the line of each token
    braces: list[bool] = []  # whether each that is open ends a line
    planned: list[Gap] = []
    tokens: list[Token] = []
    above: _Path = []
    for token, path in _paths(tree):
        if tokens:
            left = tokens[-1]
            opened[left] = line
            old = new = joint(left, token)
            breaks = b"\n" in old and not old.strip()
            if left.text.endswith(b"{"):
                braces.append(breaks)
            closes = token.text == b"}" and bool(braces) and braces.pop()
            if breaks or (closes and not old.strip()):
                line += 1
                depth = _depth(left, above, token, path, opened)
                new = style.line_end + style.indent * depth
            planned.append(Gap((path[-1][0].symbol, left.symbol, token.symbol), old, new))
        tokens.append(token)
        above = path
    end = style.line_end if b"\n" in tree.tail else tree.tail
    head = tree.head if tree.head.strip() else b""
    return with_gaps(read, tree.text, tokens, planned, head, end)


def _depth(left: Token, above: _Path, right: Token, path: _Path, opened: dict[Token, int]) -> int:
    """Return how deep the line that begins with the token `right` is indented.

    Every line on which a body was opened counts once, so that `f({` indents by one level.
    """
    lines: set[int] = set()
    for branch, at in path:
        before = _before(branch, at)
        if before is not None and before in opened:
            lines.add(opened[before])
    if _is_bare_body(above, right, path):
        lines.add(opened[left])
    branch, at = path[-1]
    first = branch.first
    if at and at == len(branch.children) - 1 and first in opened and first is not None:
        opener = next(
            (
                child
                for child in branch.children[:at]
                if isinstance(child, Token) and child.text == _CLOSING.get(right.text)
            ),
            first,
        )
        lines.discard(opened.get(opener, -1))
    return len(lines)


def _is_bare_body(above: _Path, right: Token, path: _Path) -> bool:
    """Whether a statement without braces begins with a token, as after `if (x)`."""
    branch, at = next(two for one, two in zip(above, path, strict=False) if one[1] != two[1])
    if branch.kind in QUANTIFIED or right.text in _CONTINUING or right.text in (b"{", *_CLOSING):
        return False
    first = branch.children[0]
    word = isinstance(first, Token) and _is_word(first) and _WORD.match(first.text) is not None
    return word and not isinstance(branch.children[at], Token)


def _before(branch: Branch, at: int) -> Token | None:
    """Return the token before a child that is a body; None if it is not."""
    child, first = branch.children[at], branch.children[0]
    if not at or branch.kind in QUANTIFIED:
        return None
    if child.first is None or child.first.text in _CONTINUING:
        return None
    earlier = [one for one in branch.children[:at] if one.last is not None]
    if not earlier:
        return None
    bracketed = any(isinstance(one, Token) and one.text in _OPENING for one in earlier) and any(
        isinstance(one, Token) and one.text in _CLOSING for one in branch.children[at + 1 :]
    )
    # A list after its own first element is not a body.
    opens = _is_word(first) or at < len(branch.children) - 1
    return earlier[-1].last if bracketed or (child.kind in QUANTIFIED and opens) else None


def _is_word(node: Node) -> bool:
    """Whether a node is a word or sign of the language itself."""
    return isinstance(node, Token) and node.symbol.encode() == node.text
