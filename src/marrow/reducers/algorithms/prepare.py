"""Preparing a tree before it is walked; its text does not change.

- Squeezing: a node whose only child has the same replacements gives way to that child, which saves
  a level.
- Flattening: `a + b + c` parses as `(a + b) + c`, a chain of the same rule. As a list of operands
  with operators for separators, any operand may go. The stars of Perses Normal Form do this for a
  grammar.
- Unrolling: where a rule recurs on one side alone (`a[i][j]`, `!!a`), what it adds becomes a list,
  and what it begins with stays. This is for HDD; other algorithms hoist.
- Hiding: tokens that cannot change take no part in the splitting of lists. The walk does this.

All of them are in Hodován, Kiss and Gyimóthy's "Tree Preprocessing and Test Outcome Caching for
Efficient Hierarchical Delta Debugging" and its successors.

Where candidates are checked before they are tested, any chain becomes a list (even `a.b.c`, whose
parts are not all of one kind). Where slots are exact nothing is checked. Then only those chains
become lists whose operands all have one slot, which fits the place of the chain.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from typing import TypeAlias

from marrow.reducers.streams.minimal_replacement import Replacements, Slots
from marrow.tree import SEPARATOR, Branch, Kind, Node, Token, Tree


class Preparation(enum.Enum):
    """The ways to prepare a tree before it is walked."""

    SQUEEZE = "squeeze"
    FLATTEN = "flatten"
    HIDE = "hide"


def squeeze(tree: Tree, phi: Replacements) -> Tree:
    """Put an only child in the place of its parent where that loses no replacement.

    The child gets the parent's slot and keeps its own kind. The parent's kind and the child's slot
    are lost.
    """

    def squeezed(node: Node, children: list[Node], _: Mapping[int, Node]) -> Node:
        # The root itself is never looked at, so its child would no longer be either.
        if node is tree.root or node.kind is not Kind.REGULAR or len(children) != 1:
            return node
        child = children[0]
        if child.kind not in (Kind.REGULAR, Kind.TOKEN):
            return node
        left = {phi.text_of_slot(node.slot), phi.text_of_kind(child)}
        if phi.text_of_slot(child.slot) in left and phi.text_of_kind(node) in left:
            return child.placed(key=node.key, slot=node.slot)
        return node

    return rebuilt(tree, squeezed)


def flatten(tree: Tree, slots: Slots | None = None) -> Tree:
    """Turn chains of left and right recursion into lists, as far as their slots make that sound."""
    exact = slots if slots is not None and slots.exact else None
    absorbed = {
        id(operand)
        for node in tree.nodes()
        if _is_link(node, exact)
        for operand in (node.children[0], node.children[2])
        if _is_absorbed(operand, node, exact)
    }
    return rebuilt(tree, partial(_flattened, exact, absorbed)) if absorbed else tree


def unroll(tree: Tree) -> Tree:
    """Turn what recursion adds on one side into lists: `a[i][j]` is `a` and a list of brackets.

    `rule: a | rule b` becomes `a b*`, and `rule: a | b rule` becomes `b* a`. This is sound wherever
    the recursive rule is accepted, as what stays is of that rule.
    """
    sides = {id(node): side for node in tree.nodes() if (side := _side(node)) is not None}
    inner = {
        id(below)
        for node in tree.nodes()
        if (side := sides.get(id(node))) is not None
        and sides.get(id(below := node.children[side])) == side
    }
    return rebuilt(tree, partial(_unrolled, sides, inner)) if sides else tree


#: Returns what takes the place of a node, given its new children and, by identity, what has become
#: of every node below it.
Change: TypeAlias = Callable[[Node, list[Node], Mapping[int, Node]], Node]


def rebuilt(tree: Tree, change: Change) -> Tree:
    """Change the nodes of a tree from the leaves up.

    A node that `change` returns as it is gets its new children.
    """
    done: dict[int, Node] = {}
    order: list[Node] = [tree.root]
    for node in order:
        order.extend(node.children)
    # Parents come before their children in `order`; backwards, children come first.
    for node in reversed(order):
        if isinstance(node, Token):
            done[id(node)] = node
            continue
        children = [done[id(child)] for child in node.children]
        new = change(node, children, done)
        if new is node and any(
            one is not two for one, two in zip(children, node.children, strict=True)
        ):
            new = node.with_children(children)
        done[id(node)] = new
    root = done[id(tree.root)]
    return tree if root is tree.root else tree.framed(root, tree.head, tree.tail)


def _flattened(
    exact: Slots | None,
    absorbed: Set[int],
    node: Node,
    _children: list[Node],
    done: Mapping[int, Node],
) -> Node:
    """Return the list in the place of the uppermost link of a chain, operators as separators."""
    if id(node) in absorbed or not any(id(child) in absorbed for child in node.children):
        return node
    placed: list[Node] = []
    pending = [*reversed(node.children)]
    while pending:
        one = pending.pop()
        if id(one) in absorbed:
            pending.extend(reversed(one.children))
            continue
        key, new = len(placed), done[id(one)]
        placed.append(new.placed(key=key, slot=SEPARATOR if key % 2 else new.slot))
    # One operand may be all that is left: the list is whatever its operands are.
    symbol = node.symbol if exact is None else placed[0].slot
    return Branch(Kind.PLUS, symbol, placed, slot=node.slot, key=node.key)


def _is_absorbed(operand: Node, node: Node, exact: Slots | None) -> bool:
    """Whether an operand of a link is a part of the same chain: operands and an operator again."""
    return (
        operand.symbol == node.symbol
        and operand.kind is Kind.REGULAR
        and len(operand.children) == 3
        and isinstance(operand.children[1], Token)
        and all(child.kind in (Kind.REGULAR, Kind.TOKEN) for child in operand.children)
        and (exact is None or operand.children[0].slot == operand.slot)
    )


def _side(node: Node) -> int | None:
    """Return the index of the child that a rule recurs in, the first (0) or the last (-1)."""
    if node.kind is not Kind.REGULAR or len(node.children) < 2:
        return None
    rest = _rest(node)
    for index in (0, -1):
        child = node.children[index]
        if child.kind is Kind.REGULAR and child.symbol == node.symbol:
            # What is unrolled already stays as it is.
            return None if any(one.slot == rest for one in node.children) else index
    return None


def _rest(node: Node) -> str:
    return f"{node.symbol}_rest_list"


def _unrolled(
    sides: Mapping[int, int],
    inner: Set[int],
    node: Node,
    _children: list[Node],
    done: Mapping[int, Node],
) -> Node:
    """Return the end of a recursion, and the list of what it adds on the way there."""
    side = sides.get(id(node))
    if side is None or id(node) in inner:
        return node
    name = _rest(node).removesuffix("_list")
    rests: list[Node] = []
    end = node
    while sides.get(id(end)) == side:
        kept = end.children[1:] if side == 0 else end.children[:-1]
        inside = _keyed([done[id(child)] for child in kept])
        rests.append(Branch(Kind.REGULAR, name, inside, slot=name))
        end = end.children[side]
    if side == 0:
        rests.reverse()
    parts = [
        done[id(end)],
        Branch(Kind.STAR, _rest(node), _keyed(rests), slot=_rest(node)),
    ]
    ordered = _keyed(parts if side == 0 else parts[::-1])
    return Branch(Kind.REGULAR, node.symbol, ordered, slot=node.slot, key=node.key)


def _keyed(nodes: Sequence[Node]) -> list[Node]:
    return [node.placed(key=key, slot=node.slot) for key, node in enumerate(nodes)]


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
    """Whether either operand may replace the other, or both."""
    left, _, right = node.children
    any_operand = Branch(Kind.REGULAR, left.slot, (), slot=left.slot)
    return left.slot == right.slot and exact.accepts(node.slot, any_operand)
