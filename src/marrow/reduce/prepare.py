"""Preparing a tree: recursion flattened into lists.

`a + b + c` parses as `(a + b) + c`, a chain of the same rule. As a list of operands with operators
for separators, any of them may go. This is what the stars of Perses Normal Form do for a grammar,
and what Hodován, Kiss and Gyimóthy's "Tree Preprocessing and Test Outcome Caching for Efficient
Hierarchical Delta Debugging" and its successors call flattening. The text stays as it is.
"""

from __future__ import annotations

from marrow.tree import SEPARATOR, Branch, Kind, Node, Token, Tree


def flatten(tree: Tree) -> Tree:
    """Turn chains of left and right recursion into lists."""
    done: dict[int, Node] = {}
    order: list[Node] = [tree.root]
    for node in order:
        order.extend(node.children)
    # Parents come before their children in `order`, so that backwards children come first.
    for node in reversed(order):
        done[id(node)] = _flattened(node, done)
    root = done[id(tree.root)]
    return tree if root is tree.root else tree.framed(root, tree.head, tree.tail)


def _flattened(node: Node, done: dict[int, Node]) -> Node:
    if isinstance(node, Token):
        return node
    children = [done[id(child)] for child in node.children]
    links = _links(node.symbol, children) if _is_link(node) else []
    if len(links) > len(children):
        placed: list[Node] = [
            child.placed(key=key, slot=SEPARATOR if key % 2 else child.slot)
            for key, child in enumerate(links)
        ]
        return Branch(Kind.PLUS, node.symbol, placed, slot=node.slot, key=node.key)
    if all(new is old for new, old in zip(children, node.children, strict=True)):
        return node
    return node.with_children(children)


def _is_link(node: Node) -> bool:
    """Whether a node may be a link of a chain: two operands with a token between them."""
    if node.kind is not Kind.REGULAR or len(node.children) != 3:
        return False
    left, operator, right = node.children
    return (
        isinstance(operator, Token)
        and left.kind in (Kind.REGULAR, Kind.TOKEN)
        and right.kind in (Kind.REGULAR, Kind.TOKEN)
        and node.symbol in (left.symbol, right.symbol)
        and left.token_count > 0
        and right.token_count > 0
    )


def _links(symbol: str, children: list[Node]) -> list[Node]:
    """Return operands and operators in turn, with chains of the same symbol taken apart."""
    links: list[Node] = []
    for child in children:
        if child.symbol == symbol and (child.kind is Kind.PLUS or _is_simple(child)):
            links.extend(child.children)
        else:
            links.append(child)
    return links


def _is_simple(node: Node) -> bool:
    """Whether a node is an operand, an operator and an operand."""
    return (
        node.kind is Kind.REGULAR
        and len(node.children) == 3
        and isinstance(node.children[1], Token)
        and all(child.kind in (Kind.REGULAR, Kind.TOKEN, Kind.PLUS) for child in node.children)
    )
