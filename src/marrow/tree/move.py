"""A node that takes the place of another takes over the layout of that place.

The gaps at its ends become those of the node that it replaces, so that a value that stood on a line
of its own does not tear the line it moves to. In languages with blocks by indentation its lines are
indented as the place demands (lines inside tokens, such as those of long strings, stay), and line
breaks that only brackets around it allowed become spaces.
"""

from __future__ import annotations

from typing import Final

from marrow.tree.layout import joint
from marrow.tree.node import FOREIGN, Glue, Node, Token, tokens_of, with_tokens

# One level of indentation for a block that moves from a line of its own to after a colon.
_LEVEL: Final = b"    "
_OPENING: Final = frozenset((b"(", b"[", b"{"))
_CLOSING: Final = frozenset((b")", b"]", b"}"))


def moved(node: Node, old: Node, *, indented: bool) -> Node:
    """Return a node with the layout that it needs in the place of `old`."""
    first, last = node.first, node.last
    old_first, old_last = old.first, old.last
    if first is None or last is None or old_first is None or old_last is None or node is old:
        return node
    changes: dict[Token, Token] = {}
    if indented:
        changes = _indented(node, old_first)
    elif not _same(first, old_first):
        changes[first] = first.changed(before=old_first.before, indent=old_first.indent)
    if not _same(last, old_last):
        changes[last] = changes.get(last, last).changed(after=old_last.after)
    if not changes:
        return node
    return with_tokens(node, lambda token: changes.get(token, token))


def _same(one: Token, two: Token) -> bool:
    """Whether two tokens are the same token of the input, so that its gaps are its own."""
    return one is two or (one.serial == two.serial and one.serial != FOREIGN)


def _indented(node: Node, place: Token) -> dict[Token, Token]:
    """Return the tokens that change when a node moves to where the token `place` begins."""
    first = node.first
    assert first is not None
    here, there = first.indent, place.indent
    before, line = place.before, place.glue & Glue.LINE
    soft: list[tuple[Token, Token]] = []
    lines: list[Token] = []
    depth = 0
    last: Token | None = None
    for token in tokens_of((node,)):
        if token.text in _CLOSING:
            depth -= 1
        if last is not None and b"\n" in joint(last, token):
            if depth <= 0 and not token.glue & Glue.LINE:
                soft.append((last, token))
            lines.append(token)
        if token.text in _OPENING:
            depth += 1
        last = token
    several = first.glue & Glue.LINE and any(token.glue & Glue.LINE for token in lines)
    if several and not line and place.serial > 0:
        # Several lines in the place of a block on the line of its header.
        there += b"\t" if b"\t" in here else _LEVEL
        before, line = b"\n" + there, Glue.LINE
    changes: dict[Token, Token] = {}
    if here != there and lines:
        for token in tokens_of((node,)):
            indent = _shifted(token.indent, here, there)
            gap = _gap(token.before, here, there)
            if indent != token.indent or gap != token.before:
                changes[token] = token.changed(indent=indent, before=gap)
    for left, right in soft:
        changes[left] = changes.get(left, left).changed(after=b" ")
        changes[right] = changes.get(right, right).changed(before=b" ")
    if not _same(first, place) or line != first.glue & Glue.LINE:
        glue = (first.glue & ~Glue.LINE) | line
        changes[first] = changes.get(first, first).changed(before=before, indent=there, glue=glue)
    return changes


def _shifted(line: bytes, here: bytes, there: bytes) -> bytes:
    """Return a line with other indentation, unless it is indented less than its block."""
    return there + line[len(here) :] if line.startswith(here) else line


def _gap(gap: bytes, here: bytes, there: bytes) -> bytes:
    if b"\n" not in gap:
        return gap
    start, *lines = gap.split(b"\n")
    last = len(lines) - 1
    # Blank lines stay blank; the last piece is the indentation of the token after the gap.
    shifted = (
        _shifted(line, here, there) if line.strip() or at == last else line
        for at, line in enumerate(lines)
    )
    return b"\n".join((start, *shifted))
