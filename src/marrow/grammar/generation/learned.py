"""Learns from a tree how often each production of its grammar was used.

A node is matched with the productions of its rule by its children's slots. Rules that hold nothing
but another one may be left out in trees; the node in their slot then tells which one it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from marrow.grammar.parser.bnf import ABSENT, Bnf, Production, Shape
from marrow.tree import Kind, Node, Token, Tree


class _Child(NamedTuple):
    """A child as a production shows it; `token` is empty where it is not known."""

    slot: str
    token: str
    empty: bool


def count_productions(bnf: Bnf, tree: Tree) -> Counter[int]:
    """Return how often each production was used, or may have been where several fit a node."""
    shapes: dict[str, list[tuple[int, tuple[_Child, ...]]]] = {}
    singles: dict[tuple[str, str], list[int]] = {}
    for number, production in enumerate(bnf.productions):
        children = _children(bnf, production)
        if production.shape is Shape.NODE:
            shapes.setdefault(production.name, []).append((number, children))
        if len(production.entries) == 1 and production.name:
            held = production.entries[0].token or _rule_name(bnf, production.right[0])
            singles.setdefault((production.name, held), []).append(number)
    counts: Counter[int] = Counter()
    for node in tree.nodes():
        if node.kind is Kind.REGULAR:
            counts.update(_fitting(shapes.get(node.symbol, ()), node))
        if node.slot != node.symbol:
            # The node is that of a choice, or of a rule that was left out.
            counts.update(singles.get((node.slot, node.symbol), ()))
    return counts


def _rule_name(bnf: Bnf, symbol: int) -> str:
    """Return the name of a symbol; variants that precedence tells apart have their rule's."""
    return bnf.names[symbol].partition(".")[0]


def _children(bnf: Bnf, production: Production) -> tuple[_Child, ...]:
    found = []
    for entry in production.entries:
        slot = entry.wrap_slot or entry.slot
        if entry.child == ABSENT:
            for node in bnf.empties[entry.empty]:
                found.append(_Child(slot or node.slot, "", empty=True))
        else:
            found.append(_Child(slot, "" if entry.wrap else entry.token, empty=False))
    return tuple(found)


def _fitting(shapes: Sequence[tuple[int, tuple[_Child, ...]]], node: Node) -> list[int]:
    """Return the productions that a node may have been made by."""
    children = node.children
    return [
        number
        for number, shown in shapes
        if len(shown) == len(children)
        and all(_fits(one, child) for one, child in zip(shown, children, strict=True))
    ]


def _fits(shown: _Child, child: Node) -> bool:
    if shown.slot != child.slot or shown.empty == bool(child.token_count):
        return False
    return not shown.token or (isinstance(child, Token) and child.symbol == shown.token)
