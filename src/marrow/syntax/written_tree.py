"""The tree of a text by the rules as their author wrote them: the form that HDD's papers use.

Every rule is a node, also one that holds nothing but another. Each time that a quantified part
occurs it is a node without a name, whatever the quantifier. Groups and choices are not nodes, and
what is empty is left out.
"""

from __future__ import annotations

from collections.abc import Set

from marrow.tree import QUANTIFIED, Branch, Kind, Node, Token, Tree


def written_tree(tree: Tree, rules: Set[str]) -> Tree:
    """Return the written form of a tree that was parsed with chains and without finding lists."""
    done: dict[int, list[Node]] = {}
    order: list[Node] = [tree.root]
    for node in order:
        order.extend(node.children)
    # Parents come before their children in `order`; backwards, children come first.
    for node in reversed(order):
        if isinstance(node, Token):
            done[id(node)] = [node.changed(slot=node.symbol)]
            continue
        below = [done[id(child)] for child in node.children]
        if node.kind in QUANTIFIED:
            done[id(node)] = [rule_node("", some) for some in below if some]
        else:
            inside = [one for some in below for one in some]
            named = node.symbol in rules and inside
            done[id(node)] = [rule_node(node.symbol, inside)] if named else inside
    inside = done[id(tree.root)]
    root = inside[0] if len(inside) == 1 else rule_node(tree.root.symbol, inside)
    return tree.framed(root, tree.head, tree.tail)


def rule_node(name: str, children: list[Node]) -> Branch:
    """Return a node of a rule, or of a quantified part if the name is empty."""
    placed = [child.placed(key=key, slot=child.symbol) for key, child in enumerate(children)]
    return Branch(Kind.REGULAR, name, placed, slot=name)
