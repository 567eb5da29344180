"""The type of a removable node: what the paper on type batching calls its rule type.

Training and batching share this module, so that a curve is applied to what it was learned from.
"""

from __future__ import annotations

from typing import Final

from marrow.tree import QUANTIFIED, SEPARATOR, Kind, Node, Place, Token, Tree

#: The shapes of nodes, for types that a model knows nothing of.
BRANCH: Final = "branch"
TOKEN: Final = "token"
SHAPES: Final = (BRANCH, TOKEN)

_TOKEN_SIGN: Final = "'"


def node_type(tree: Tree, place: Place) -> str | None:
    """Return the type of the node at a place, or None if the syntax needs it there.

    `compound_statement/declaration` is a declaration in a block: the rule that the node stands in,
    and its own. Tokens are in quotes. A block of one statement may hold it in an optional and a
    longer one in a list, and the lists that flattening makes stand for their rule; the type is the
    same for all of them.
    """
    parent = place.parent
    above = None if parent is None else tree.at(parent)
    node = tree.at(place)
    if parent is None or above is None or node is None or not removable(above, node):
        return None
    owner = above.symbol.removesuffix("_list")
    if above.kind is Kind.OPTIONAL:
        owner = _rule_above(tree, parent)
    return type_name(owner, node)


def removable(above: Node, node: Node) -> bool:
    """Whether a child of a node may be deleted, it alone."""
    if above.kind not in QUANTIFIED or node.slot == SEPARATOR or not node.token_count:
        return False
    return above.kind is not Kind.PLUS or len(above.elements) > 1


def type_name(owner: str, node: Node) -> str:
    """Return the type of a removable node in a rule."""
    quote = _TOKEN_SIGN if isinstance(node, Token) else ""
    return f"{owner}/{quote}{node.symbol}{quote}"


def shape_of(type_name: str) -> str:
    """Return the shape of the nodes of a type."""
    return TOKEN if type_name.endswith(_TOKEN_SIGN) else BRANCH


def _rule_above(tree: Tree, place: Place) -> str:
    """Return the symbol of the nearest node above a place that is no list and no optional."""
    step = place.parent
    while step is not None:
        node = tree.at(step)
        if node is not None and node.kind not in QUANTIFIED:
            return node.symbol
        step = step.parent
    return ""
