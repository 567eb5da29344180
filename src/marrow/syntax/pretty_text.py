"""Readable text: a reduced text with line breaks and indentation, for people.

Statements and the elements of long lists get lines of their own, indented by the bodies that hold
them. Spaces inside of lines stay as they are: the formatters of the languages know better. Like
compact text, the result is read again, and gaps that change what is read stay as they were. No
token changes.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Final, TypeAlias

from marrow.syntax.compact_text import Gap, Read, with_gaps
from marrow.tree import QUANTIFIED, SEPARATOR, Branch, Glue, Node, Token, Tree
from marrow.tree.layout import joint

# A longer list in brackets has its elements on lines of their own. As wide as most style guides
# allow lines to be, less a few levels of indentation.
_WIDEST: Final = 72

# Nobody reads results with more tokens; they stay as they are.
MOST_TOKENS: Final = 20_000

_OPENING: Final = frozenset({b"(", b"[", b"{"})
_CLOSING: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_WORD: Final = re.compile(rb"\w+\Z")
#: Words that continue the statement before them.
_CONTINUING: Final = frozenset(
    b"else elif elsif elseif catch except finally rescue ensure then".split()
)


class _Role(enum.Enum):
    """The place of a gap in the tree."""

    ELEMENTS = "between two elements"
    SEPARATED = "after a separator"
    OPEN = "after an opening bracket"
    CLOSE = "before a closing bracket"
    INSIDE = "inside a node"


@dataclass(frozen=True, slots=True)
class _Between:
    """A gap: its tokens, its role, and the node in which the two sides part."""

    left: Token
    right: Token
    role: _Role
    branch: Branch
    at: int  # which child of the branch begins after the gap

    @property
    def kind(self) -> tuple[str, str, str, str]:
        """What gaps have in common that are read alike."""
        return self.role.name, self.branch.symbol, self.left.symbol, self.right.symbol


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


def _gaps(tree: Tree) -> Iterator[tuple[_Between, _Path]]:
    """Yield the gaps of a tree, each with the path to the token after it."""
    before: tuple[Token, _Path] | None = None
    for token, path in _paths(tree):
        if before is not None:
            yield _between(*before, token, path), path
        before = token, path


def _between(left: Token, path: _Path, right: Token, other: _Path) -> _Between:
    depth = next(
        index
        for index, (one, two) in enumerate(zip(path, other, strict=False))
        if one[1] != two[1] or one[0] is not two[0]
    )
    (branch, first), (_, second) = path[depth], other[depth]
    children = branch.children
    role = _Role.INSIDE
    if children[first] is left and left.text in _OPENING:
        role = _Role.OPEN
    elif children[second] is right and right.text in _CLOSING:
        role = _Role.CLOSE
    elif children[first].slot == SEPARATOR:
        role = _Role.SEPARATED
    elif branch.kind in QUANTIFIED and children[second].slot != SEPARATOR:
        role = _Role.ELEMENTS
    return _Between(left, right, role, branch, second)


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
    """Return one level of indentation."""
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
    if not 1 < tree.token_count <= MOST_TOKENS:
        return tree.text
    line = 0
    opened: dict[Token, int] = {}  # the line of each token
    brackets: dict[int, tuple[bool, int]] = {}  # whether a line break follows them, and their line
    planned: list[Gap] = []
    for one, path in _gaps(tree):
        opened[one.left] = line
        old = joint(one.left, one.right)
        breaks = _breaks(one, old, indented=tree.indented)
        if one.role is _Role.OPEN:
            brackets[id(one.branch)] = breaks, line
        elif one.role is _Role.CLOSE and b"\n" not in old and not tree.indented:
            opening, first = brackets.get(id(one.branch), (breaks, line))
            breaks = opening or (breaks and line != first)
        new = b" " if one.role is _Role.SEPARATED and not old else old
        if breaks:
            line += 1
            new = old
            if not tree.indented:
                new = style.line_end + style.indent * _depth(one, path, opened)
        planned.append(Gap(one.kind, old, new))
    end = style.line_end if b"\n" in tree.tail else tree.tail
    head = tree.head if tree.head.strip() else b""
    tokens = [token for token in tree.tokens() if token.text]
    return with_gaps(read, tree.text, tokens, planned, head, end)


def _breaks(one: _Between, old: bytes, *, indented: bool) -> bool:
    """Whether a line ends between two tokens."""
    fixed = one.left.glue & Glue.AFTER or one.right.glue & Glue.BEFORE or old.strip()
    if b"\n" in old or fixed or indented:
        return b"\n" in old
    if _too_wide(one):
        return True
    match one.role:
        case _Role.ELEMENTS:
            return one.left.text in (b";", b"}") and one.right.text not in _CLOSING
        case _Role.OPEN | _Role.CLOSE:
            return _of_statements(one.branch)
        case _:
            return False


def _too_wide(one: _Between) -> bool:
    """Whether a gap is in a list with separators that is too long for a line."""
    branch = one.branch
    if one.role is _Role.SEPARATED:
        return branch.length > _WIDEST
    if one.role not in (_Role.OPEN, _Role.CLOSE) or branch.length <= _WIDEST:
        return False
    return any(
        child.kind in QUANTIFIED and any(part.slot == SEPARATOR for part in child.children)
        for child in branch.children
    )


def _of_statements(branch: Branch) -> bool:
    """Whether a node in braces holds statements."""
    opening = next((child for child in branch.children if isinstance(child, Token)), None)
    if opening is None or not any(
        isinstance(child, Token) and child.text == b"{" for child in branch.children
    ):
        return False
    return any(
        part.last is not None and part.last.text in (b";", b"}")
        for child in branch.children
        for part in (child.children if child.kind in QUANTIFIED else (child,))
        if not isinstance(part, Token)
    )


def _depth(one: _Between, path: _Path, opened: dict[Token, int]) -> int:
    """Return how deep the line that begins with a token is indented.

    Every line on which a body was opened counts once, so that `f({` indents by one level.
    """
    right = one.right
    lines: set[int] = set()
    for branch, at in path:
        before = _before(branch, at)
        if before is not None and before in opened:
            lines.add(opened[before])
    if _is_bare_body(one):
        lines.add(opened[one.left])
    if path:
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


def _is_bare_body(one: _Between) -> bool:
    """Whether a statement without braces begins after a gap, as after `if (x)`."""
    branch = one.branch
    if one.role is not _Role.INSIDE or branch.kind in QUANTIFIED or one.right.text == b"{":
        return False
    first, body = branch.children[0], branch.children[one.at]
    word = _is_word(first) and _WORD.match(first.text) is not None
    return word and not isinstance(body, Token) and one.right.text not in _CONTINUING


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
