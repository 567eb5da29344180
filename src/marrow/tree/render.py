"""From nodes back to text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from marrow.tree.layout import joint
from marrow.tree.node import Node, Token


def tokens_of(nodes: Iterable[Node]) -> Iterator[Token]:
    """Walk the tokens of nodes from left to right."""
    stack = [*nodes][::-1]
    while stack:
        node = stack.pop()
        if isinstance(node, Token):
            yield node
        else:
            stack.extend(node.children[::-1])


def render(nodes: Iterable[Node]) -> bytes:
    """Return the text of neighbouring nodes, with the layout of the input where it still fits."""
    parts: list[bytes] = []
    last: Token | None = None
    for token in tokens_of(nodes):
        if last is not None:
            parts.append(joint(last, token))
        parts.append(token.text)
        last = token
    return b"".join(parts)
