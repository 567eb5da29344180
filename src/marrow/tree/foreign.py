"""Nodes that come from elsewhere: their tokens are nobody's original neighbours."""

from __future__ import annotations

from marrow.tree.node import FOREIGN, Branch, Node, Token, with_tokens


def foreign(node: Node) -> Node:
    """Return a node as one that was in no input: its layout is that of its new place."""
    done: list[Node] = []
    work: list[tuple[Node, bool]] = [(node, False)]
    while work:
        one, opened = work.pop()
        if isinstance(one, Token):
            done.append(
                Token(
                    one.symbol, one.text, slot=one.slot, key=one.key, serial=FOREIGN, glue=one.glue
                )
            )
        elif opened:
            count = len(one.children)
            children = done[len(done) - count :]
            del done[len(done) - count :]
            done.append(Branch(one.kind, one.symbol, children, slot=one.slot, key=one.key))
        else:
            work.append((one, True))
            work.extend((child, False) for child in reversed(one.children))
    return done[0]


def displaced(node: Node, by: int) -> Node:
    """Return a node whose tokens are neighbours of each other, and of nobody else.

    `by` is more than the number of tokens of any text.
    """
    return with_tokens(
        node,
        lambda one: Token(
            one.symbol,
            one.text,
            slot=one.slot,
            key=one.key,
            before=one.before,
            after=one.after,
            serial=one.serial if one.serial == FOREIGN else one.serial + by,
            indent=one.indent,
            glue=one.glue,
        ),
    )
