"""Preparing a tree before it is walked; its text stays as it is.

Squeezing: a node whose only child has the same replacements is as good as that child, and one level
less. Flattening: `a + b + c` parses as `(a + b) + c`, a chain of the same rule; as a list of
operands with operators for separators, any of them may go. This is what the stars of Perses Normal
Form do for a grammar. Hiding: tokens that cannot change take no part in the splitting of lists; the
walk itself sees to that. All of them are in Hodován, Kiss and Gyimóthy's "Tree Preprocessing and
Test Outcome Caching for Efficient Hierarchical Delta Debugging" and its successors.

Where candidates are checked before they are tried, any chain becomes a list (`a.b.c` too, whose
parts are not all of one kind). Where slots are exact nothing is checked, and so only chains become
lists whose operands all stand in one slot, which fits where the chain stands.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import partial

from marrow.reduce.phi import Replacements
from marrow.reduce.slots import Slots
from marrow.tree import SEPARATOR, Branch, Kind, Node, Token, Tree


class Preparation(enum.Enum):
    """What may be done to a tree before it is walked."""

    SQUEEZE = "squeeze"
    FLATTEN = "flatten"
    HIDE = "hide"


def squeeze(tree: Tree, phi: Replacements) -> Tree:
    """Put an only child in the place of its parent where that loses no replacement.

    The child gets the parent's slot and keeps its own kind, so what goes are the parent's kind and
    the child's slot.
    """

    def squeezed(node: Node, children: list[Node]) -> Node:
        if node.kind is not Kind.REGULAR or len(children) != 1:
            return node
        child = children[0]
        if child.kind not in (Kind.REGULAR, Kind.TOKEN):
            return node
        left = {phi.text_of_slot(node.slot), phi.text_of_kind(child)}
        if phi.text_of_slot(child.slot) in left and phi.text_of_kind(node) in left:
            return child.placed(key=node.key, slot=node.slot)
        return node

    return _rebuilt(tree, squeezed)


def flatten(tree: Tree, slots: Slots | None = None) -> Tree:
    """Turn chains of left and right recursion into lists; those that are sound by their slots."""
    exact = slots if slots is not None and slots.exact else None
    return _rebuilt(tree, partial(_flattened, exact))


def _rebuilt(tree: Tree, change: Callable[[Node, list[Node]], Node]) -> Tree:
    """Change the nodes of a tree from the leaves up.

    `change` gets a node and its children as they are by now; what it gives back unchanged is given
    those children.
    """
    done: dict[int, Node] = {}
    order: list[Node] = [tree.root]
    for node in order:
        order.extend(node.children)
    # Parents come before their children in `order`, so that backwards children come first.
    for node in reversed(order):
        if isinstance(node, Token):
            done[id(node)] = node
            continue
        children = [done[id(child)] for child in node.children]
        new = change(node, children)
        if new is node and any(
            one is not two for one, two in zip(children, node.children, strict=True)
        ):
            new = node.with_children(children)
        done[id(node)] = new
    root = done[id(tree.root)]
    return tree if root is tree.root else tree.framed(root, tree.head, tree.tail)


def _flattened(exact: Slots | None, node: Node, children: list[Node]) -> Node:
    links = _links(node, children, exact) if _is_link(node, exact) else []
    if len(links) <= len(children):
        return node
    placed: list[Node] = [
        child.placed(key=key, slot=SEPARATOR if key % 2 else child.slot)
        for key, child in enumerate(links)
    ]
    # One operand may be all that is left: the list is whatever its operands are.
    symbol = node.symbol if exact is None else placed[0].slot
    return Branch(Kind.PLUS, symbol, placed, slot=node.slot, key=node.key)


def _is_link(node: Node, exact: Slots | None) -> bool:
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
        and (exact is None or _is_sound(node, exact))
    )


def _is_sound(node: Node, exact: Slots) -> bool:
    """Whether either operand may stand for the other, and alone for both."""
    left, _, right = node.children
    any_operand = Branch(Kind.REGULAR, left.slot, (), slot=left.slot)
    return left.slot == right.slot and exact.accepts(node.slot, any_operand)


def _links(node: Node, children: list[Node], exact: Slots | None) -> list[Node]:
    """Return operands and operators in turn, with chains of the same symbol taken apart."""
    links: list[Node] = []
    for old, child in zip(node.children, children, strict=True):
        same = old.symbol == node.symbol and (child.kind is Kind.PLUS or _is_simple(child))
        if same and (exact is None or child.children[0].slot == old.slot):
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
