"""The type of a removable node: what the paper on type batching calls its rule type.

Training and batching share this module, so that a curve is applied to what it was learned from.
`compound_statement/declaration` is a declaration in a block: the rule that the node stands in, and
its own. Tokens are in quotes. A block of one statement may hold it in an optional and a longer one
in a list, and the lists that flattening makes stand for their rule; the type is the same for all.

Not in the paper: a type may be split in two, the nodes that introduce a name which is used behind
them (`used compound_statement/declaration`) and the others (`unused ...`). The former have to stay
as long as the uses do, the latter hardly ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from marrow.learn.uses import Uses, uses_of
from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Kind, Node, Place, Token, Tree

#: The shapes of nodes, for types that a model knows nothing of.
BRANCH: Final = "branch"
TOKEN: Final = "token"
SHAPES: Final = (BRANCH, TOKEN)

#: What stands in front of a type that is one half of another.
USED: Final = "used "
UNUSED: Final = "unused "

_QUOTE: Final = "'"

# How front ends name the lists that they make for the repetitions in a rule; a list of another name
# is a chain of that rule, flattened.
_MADE: Final = ("_list", "_star", "_plus")


def node_type(tree: Tree, place: Place) -> str | None:
    """Return the type of the node at a place, one half, or None if the syntax needs it there."""
    parent = place.parent
    above = None if parent is None else tree.at(parent)
    node = tree.at(place)
    if parent is None or above is None or node is None or not removable(above, node):
        return None
    return _name(above, _rule_at(tree, parent), node, uses_of(tree))


def whole_type(type_name: str) -> str:
    """Return the type that a type is one half of, or the type itself."""
    return type_name.removeprefix(USED).removeprefix(UNUSED)


def shape_of(type_name: str) -> str:
    """Return the shape of the nodes of a type."""
    return TOKEN if type_name.endswith(_QUOTE) else BRANCH


def removable(above: Node, node: Node) -> bool:
    """Whether a child of a node may be deleted, it alone."""
    if above.kind not in QUANTIFIED or node.slot == SEPARATOR or not node.token_count:
        return False
    return above.kind is not Kind.PLUS or len(above.elements) > 1


class Typed(NamedTuple):
    """A removable node, where it stands, and its type."""

    place: Place
    node: Node
    type: str


def frontier(
    tree: Tree, start: Place, wanted: Callable[[Typed], bool], *, split: bool = False
) -> list[Typed]:
    """Return the highest wanted nodes below a place, in the order of the text; types may be split.

    This is `collect_type_frontier` of the paper's Algorithm 3.
    """
    found = []
    uses = uses_of(tree) if split else None
    top = tree.at(start)
    pending = [] if top is None else [(start, top, "", _rule_at(tree, start))]
    while pending:
        place, node, name, rule = pending.pop()
        if name and wanted(typed := Typed(place, node, name)):
            found.append(typed)
            continue
        for child, below, inner in _children(node, rule, uses):
            pending.append((place.child(child.key), child, below, inner))
    return found


def removals(tree: Tree, *, split: bool = False) -> Iterator[tuple[int, Typed]]:
    """Walk all removable nodes, parents first, each with the number of those around it."""
    uses = uses_of(tree) if split else None
    pending = [(0, ROOT, tree.root, "", _rule_of(tree.root, ""))]
    while pending:
        depth, place, node, name, rule = pending.pop()
        if name:
            yield depth, Typed(place, node, name)
            depth += 1
        for child, below, inner in _children(node, rule, uses):
            pending.append((depth, place.child(child.key), child, below, inner))


def _children(node: Node, rule: str, uses: Uses | None) -> Iterator[tuple[Node, str, str]]:
    """Yield what may matter below a node, last first: the child, its type or "", the rule in it."""
    for child in reversed(node.children):
        name = _name(node, rule, child, uses) if removable(node, child) else ""
        if name or child.children:
            yield child, name, _rule_of(child, rule)


def _name(above: Node, rule: str, node: Node, uses: Uses | None) -> str:
    """Return the type of a removable node; `rule` is the rule around the list or optional."""
    made = above.kind is Kind.OPTIONAL or above.symbol.endswith(_MADE)
    owner = rule if made else above.symbol
    quote = _QUOTE if isinstance(node, Token) else ""
    half = "" if uses is None else USED if uses.behind(node) else UNUSED
    return f"{half}{owner}/{quote}{node.symbol}{quote}"


def _rule_of(node: Node, around: str) -> str:
    """Return the rule that the children of a node stand in: lists and optionals are none."""
    return around if node.kind in QUANTIFIED else node.symbol


def _rule_at(tree: Tree, place: Place) -> str:
    """Return the rule that the children of the node at a place stand in."""
    step: Place | None = place
    while step is not None:
        node = tree.at(step)
        if node is not None and node.kind not in QUANTIFIED:
            return node.symbol
        step = step.parent
    return ""
