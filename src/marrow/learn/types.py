"""The type of a removable node: its rule type, in the words of the paper on type batching.

Training and batching share this module, so a curve is applied to the types it was learned from.
`compound_statement/declaration` is a declaration in a block: the rule around the node, and
its own. Tokens are in quotes. A block of one statement may hold it in an optional and a longer one
in a list, and the lists that flattening makes count as their rule; the type is the same for all.

Not in the paper: a type may be split in two, the nodes that introduce a name which is used after
them (`used compound_statement/declaration`), and the others (`unused ...`). The former must stay as
long as the uses do, the latter hardly ever. Nor is the rule around the node in the paper, whose
types are plain rules (`declaration`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from marrow.tree import QUANTIFIED, ROOT, SEPARATOR, Kind, Node, Place, Token, Tree
from marrow.tree.names import NameIndex, names_of
from marrow.tree.tree_cache import LARGE, kept

#: The shapes of nodes, for types that are not in a model.
BRANCH: Final = "branch"
TOKEN: Final = "token"
SHAPES: Final = (BRANCH, TOKEN)

#: The prefixes of types that are halves of another type.
USED: Final = "used "
UNUSED: Final = "unused "

_QUOTE: Final = "'"


# How front ends name the lists that they make for repetitions in a rule. A list of another name is
# a flattened chain of that rule.
_MADE: Final = ("_list", "_star", "_plus")


def node_type(tree: Tree, place: Place) -> str | None:
    """Return the type of the node at a place, as a half; None if the syntax needs the node."""
    parent = place.parent
    above = None if parent is None else tree.at(parent)
    node = tree.at(place)
    if parent is None or above is None or node is None or not removable(above, node):
        return None
    return _name(above, _rule_at(tree, parent), node, names_of(tree))


def plain_type(type_name: str) -> str:
    """Return the rule of the nodes of a type, as the paper has it."""
    return type_name.rpartition("/")[2] if "/" in type_name else type_name


def whole_type(type_name: str) -> str:
    """Return the type that a type is a half of, or the type itself."""
    return type_name.removeprefix(USED).removeprefix(UNUSED)


def type_shape(type_name: str) -> str:
    """Return the shape of the nodes of a type."""
    return TOKEN if type_name.endswith(_QUOTE) else BRANCH


def removable(above: Node, node: Node) -> bool:
    """Whether a child of a node may be deleted by itself."""
    return _gives(above) and node.slot != SEPARATOR and node.token_count > 0


def _gives(node: Node) -> bool:
    """Whether an element of a node may be deleted by itself."""
    if node.kind is Kind.PLUS:
        return len(node.elements) > 1
    return node.kind in QUANTIFIED


class Typed(NamedTuple):
    """A removable node, its place, and its type."""

    place: Place
    node: Node
    type: str


def type_frontier(
    tree: Tree,
    start: Place,
    wanted: Callable[[Typed], bool],
    *,
    plain: bool = False,
) -> list[Typed]:
    """Return the highest wanted nodes below a place, in the order of the text.

    This is `collect_type_frontier` of the paper's Algorithm 3.
    """
    found = []
    inside: int | None = None  # the depth of the node that was found last
    known = removals(tree, plain=plain) if start == ROOT else _walk(tree, start, plain)
    for depth, typed in known:
        if inside is not None and depth > inside:
            continue
        inside = None
        if wanted(typed):
            found.append(typed)
            inside = depth
    return found


def removals(tree: Tree, *, plain: bool = False) -> Iterable[tuple[int, Typed]]:
    """Walk all removable nodes, parents first, each with the number of those around it.

    Large trees are walked anew each time: keeping all their nodes would take too much memory.
    """
    if tree.token_count > LARGE:
        return _walk(tree, ROOT, plain)
    return _by_rule(tree) if plain else _by_use(tree)


@kept
def _by_rule(tree: Tree) -> tuple[tuple[int, Typed], ...]:
    return tuple(_walk(tree, ROOT, True))


@kept
def _by_use(tree: Tree) -> tuple[tuple[int, Typed], ...]:
    return tuple(_walk(tree, ROOT, False))


def _walk(tree: Tree, start: Place, plain: bool) -> Iterator[tuple[int, Typed]]:
    names = None if plain else names_of(tree)
    top = tree.at(start)
    pending = [] if top is None else [(0, start, top, "", _rule_at(tree, start))]
    while pending:
        depth, place, node, name, rule = pending.pop()
        if name:
            yield depth, Typed(place, node, name)
            depth += 1
        if not node.children:
            continue
        gives = _gives(node)
        rule = _rule_of(node, rule)
        for child in reversed(node.children):
            name = ""
            if gives and child.slot != SEPARATOR and child.token_count:
                name = _name(node, rule, child, names)
                name = plain_type(name) if plain else name
            elif not child.children:
                continue
            pending.append((depth, place.child(child.key), child, name, rule))


def _name(above: Node, rule: str, node: Node, names: NameIndex | None) -> str:
    """Return the type of a removable node; `rule` is the rule around the list or optional."""
    made = above.kind is Kind.OPTIONAL or above.symbol.endswith(_MADE)
    owner = rule if made else above.symbol
    quote = _QUOTE if isinstance(node, Token) else ""
    half = "" if names is None else USED if names.used_behind(node) else UNUSED
    return f"{half}{owner}/{quote}{node.symbol}{quote}"


def _rule_of(node: Node, around: str) -> str:
    """Return the rule around the children of a node; lists and optionals are not rules."""
    return around if node.kind in QUANTIFIED else node.symbol


def _rule_at(tree: Tree, place: Place) -> str:
    """Return the rule around the children of the node at a place."""
    for step in place.upwards():
        node = tree.at(step)
        if node is not None and node.kind not in QUANTIFIED:
            return node.symbol
    return ""
