"""Pleasant text: a reduced text laid out for people, in the style of the input.

Which gaps have a space or a line break is learned from the input, by the tokens on both sides and
their places in the tree; what the input does not show follows common custom. Lines are indented by
the bodies they stand in. Like compact text, the result is read again: gaps whose kind changes what
is read stay as they were. No token changes.
"""

from __future__ import annotations

import enum
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Final, TypeAlias

from marrow.syntax.compact_text import Gap, Read, with_gaps
from marrow.tree import QUANTIFIED, SEPARATOR, Branch, Glue, Node, Token, Tree
from marrow.tree.layout import joint

# A list in brackets that is longer has its elements on lines of their own. As wide as most style
# guides allow lines to be, less a few levels of indentation.
_WIDEST: Final = 72

# An input with longer lines on average was written by a program: its style is nobody's.
_LONG_LINES: Final = 160

# Results with more tokens are not read by people, and stay as they are.
MOST_TOKENS: Final = 20_000

#: How much of an input is read for its style, in bytes.
STYLE_BYTES: Final = 64 * 1024

_OPENING: Final = frozenset({b"(", b"[", b"{"})
_CLOSING: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
_WORD: Final = re.compile(rb"\w+\Z")
_TIGHT: Final = frozenset({b".", b"::", b"->", b"?.", b"..", b"...", b"@", b"#", b"!", b"~", b"$"})
#: Words that go on with what stands before them, and words that take brackets after a space.
_CONTINUING: Final = frozenset(
    b"else elif elsif elseif catch except finally rescue ensure then".split()
)
_BEFORE_BRACKETS: Final = frozenset(
    b"if for while switch catch return match foreach elif with until unless and or not in".split()
)


_Kind: TypeAlias = tuple[str, str, str, str]


class _Gap(enum.Enum):
    NOTHING = ""
    SPACE = " "
    LINE = "\n"


class _Role(enum.Enum):
    """Where a gap is in the tree."""

    ELEMENTS = "between two elements"
    SEPARATED = "after a separator"
    OPEN = "after an opening bracket"
    CLOSE = "before a closing bracket"
    INSIDE = "inside a node"


@dataclass(frozen=True, slots=True)
class _Between:
    """A gap: its tokens, its place, and the node in which the two sides part."""

    left: Token
    right: Token
    role: _Role
    branch: Branch
    at: int  # which child of the branch begins after the gap

    @property
    def kind(self) -> _Kind:
        return self.role.name, self.branch.symbol, self.left.symbol, self.right.symbol

    @property
    def likenesses(self) -> Iterator[_Kind]:
        """The kinds by which it is known, the most exact first."""
        role, symbol, left, right = self.kind
        yield self.kind
        yield role, "", left, right
        # Words of the language tell much about the gaps beside them, names and numbers nothing.
        sides = [(left, "")] if left.encode() == self.left.text else []
        if right.encode() == self.right.text:
            # What stands in front of a semicolon (`return;`) tells less than the semicolon.
            sides.insert(0 if right in (",", ";") else len(sides), ("", right))
        for where in (symbol, ""):
            yield from ((role, where, *side) for side in sides)


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
    """Yield the gaps of a tree, each with the path to the token behind it."""
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
    """How a text is laid out: gaps by their kinds, one level of indentation, line ends."""

    gaps: dict[_Kind, Counter[_Gap]] = field(default_factory=dict)
    indent: bytes = b"    "
    line_end: bytes = b"\n"

    def gap(self, one: _Between) -> _Gap | None:
        """Return the usual gap of a kind, or of the kinds that are most like it."""
        for kind in one.likenesses:
            found = self.gaps.get(kind)
            if found is not None:
                [(gap, most)] = found.most_common(1)
                if kind == one.kind or most * 5 >= found.total() * 4:
                    return gap
        return None


def style_of(text: bytes, tree: Tree) -> LayoutStyle:
    """Return the style of a text; `tree` is the tree of it, or of its beginning."""
    line_end = b"\r\n" if text.count(b"\r\n") * 2 > text.count(b"\n") else b"\n"
    lines = text.splitlines()
    indent = _indent(lines)
    if len(text) > _LONG_LINES * len(lines) or (len(lines) == 1 and len(text) > _WIDEST):
        return LayoutStyle(indent=indent, line_end=line_end)
    gaps: dict[_Kind, Counter[_Gap]] = {}
    for one, _ in _gaps(tree):
        gap = joint(one.left, one.right)
        seen = _Gap.LINE if b"\n" in gap else _Gap.SPACE if gap else _Gap.NOTHING
        for kind in one.likenesses:
            gaps.setdefault(kind, Counter())[seen] += 1
    return LayoutStyle(gaps, indent, line_end)


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
    """Return the text of a tree in a pleasant layout, with the same tokens and structure."""
    if not 1 < tree.token_count <= MOST_TOKENS:
        return tree.text
    line = 0
    opened: dict[Token, int] = {}  # the line on which a token stands
    brackets: dict[int, tuple[_Gap, int]] = {}  # how they were opened, and on which line
    planned: list[Gap] = []
    for one, path in _gaps(tree):
        opened[one.left] = line
        old = joint(one.left, one.right)
        gap = _planned(one, old, style, indented=tree.indented)
        if one.role is _Role.OPEN:
            brackets[id(one.branch)] = gap, line
        elif one.role is _Role.CLOSE and b"\n" not in old and not tree.indented:
            gap = _closing(gap, *brackets.get(id(one.branch), (gap, line)), line)
        new = gap.value.encode()
        if gap is _Gap.LINE:
            line += 1
            new = style.line_end
            if tree.indented:
                new = old
            else:
                new += style.indent * _depth(one, path, opened)
        planned.append(Gap(one.kind, old, new))
    end = style.line_end if b"\n" in tree.tail else tree.tail
    head = tree.head if tree.head.strip() else b""
    tokens = [token for token in tree.tokens() if token.text]
    return with_gaps(read, tree.text, tokens, planned, head, end)


def _closing(gap: _Gap, opening: _Gap, first: int, last: int) -> _Gap:
    """Return the gap before a closing bracket: like that behind its partner."""
    if opening is _Gap.LINE or (last == first and gap is _Gap.LINE):
        return opening
    return gap


def _planned(one: _Between, old: bytes, style: LayoutStyle, *, indented: bool) -> _Gap:
    """Return which gap two tokens get."""
    kept = _Gap.LINE if b"\n" in old else _Gap.SPACE if old else _Gap.NOTHING
    if one.left.glue & Glue.AFTER or one.right.glue & Glue.BEFORE or old.strip():
        return kept
    if kept is _Gap.LINE:
        return kept
    if _too_wide(one) and not indented:
        return _Gap.LINE
    learned = style.gap(one)
    if learned is not None and not (indented and learned is _Gap.LINE):
        return learned
    custom = _custom(one, kept)
    return kept if indented and custom is _Gap.LINE else custom


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


def _custom(one: _Between, kept: _Gap) -> _Gap:
    """Return the gap that is usual in most languages."""
    left, right = one.left.text, one.right.text
    match one.role:
        case _Role.SEPARATED:
            return _Gap.SPACE if left in (b",", b";") else kept
        case _Role.ELEMENTS:
            return _Gap.LINE if left in (b";", b"}") and right not in _CLOSING else kept
        case _Role.OPEN | _Role.CLOSE:
            return _Gap.LINE if _of_statements(one.branch) else kept
        case _Role.INSIDE:
            return _inside(one, left, right, kept)


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


def _inside(one: _Between, left: bytes, right: bytes, kept: _Gap) -> _Gap:
    words = _WORD.match(left) is not None, _WORD.match(right) is not None
    if right in (b",", b";") or left in _OPENING or right in _CLOSING or right in _TIGHT:
        return kept
    if left in (b",", b";") or (left in (b")", b"}") and words[1]):
        return _Gap.SPACE
    if words[0] and one.left.symbol.encode() == left and right not in (b"(", b"[", b":", b"<"):
        return _Gap.SPACE
    if right == b"{" and (left == b")" or words[0]):
        return _Gap.SPACE
    if left in _BEFORE_BRACKETS and right == b"(":
        return _Gap.SPACE
    if left == b":" and one.at > 1:
        return _Gap.SPACE
    if _is_infix(one.branch, one.at - 1, left) or _is_infix(one.branch, one.at, right):
        return _Gap.SPACE
    return kept


def _is_infix(branch: Branch, at: int, text: bytes) -> bool:
    """Whether a child of a node is an operator between two others."""
    children = branch.children
    if not 0 < at < len(children) - 1 or not isinstance(children[at], Token):
        return False
    if text in _TIGHT or text in _OPENING or text in _CLOSING or text in (b",", b";", b":"):
        return False
    return children[at].text == text and not any(chr(one).isalnum() or one == 95 for one in text)


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
    """Whether a statement without braces begins after a gap, as behind `if (x)`."""
    branch = one.branch
    if one.role is not _Role.INSIDE or branch.kind in QUANTIFIED or one.right.text == b"{":
        return False
    first, body = branch.children[0], branch.children[one.at]
    word = _is_word(first) and _WORD.match(first.text) is not None
    return word and not isinstance(body, Token) and one.right.text not in _CONTINUING


def _before(branch: Branch, at: int) -> Token | None:
    """Return the token before the body that a child is; None if it is none."""
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
    # A list behind its own first element is no body.
    opens = _is_word(first) or at < len(branch.children) - 1
    return earlier[-1].last if bracketed or (child.kind in QUANTIFIED and opens) else None


def _is_word(node: Node) -> bool:
    """Whether a node is a word or sign of the language itself."""
    return isinstance(node, Token) and node.symbol.encode() == node.text
