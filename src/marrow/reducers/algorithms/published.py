"""The HDD family in the setting of its paper (`--preset published`), which made its tables.

"The Effect of Hoisting on Variants of Hierarchical Delta Debugging", Figures 1, 2, 5, 7 and 8, on
trees with a node for every rule and every quantified part (`syntax.written_tree`), as Picireny
builds them:

- preparation: comments away, as the tool's trees have none, then flattening, squeezing, hiding, in
  this order;
- Φ is the text of fewest characters that the grammar derives; a quantified part may vanish; a node
  that gave way to Φ is not looked at again;
- ddmin tries subsets, then complements, in the order of the text, and continues after a success;
  all of several nodes go only if one is left;
- compatible nodes have the same label; tmin begins again after a success;
- a walk is repeated on the same tree until it changes nothing: once for Hoist*, once for HDD*.

The paper says that nodes far down are hoisted first; the tool takes them in the order of the text,
and so does this. Candidates that no longer match the grammar (without any element of a `+`) are
tested, as the tool tests them. Verdicts are kept by content, which the tool calls `--cache
content`.

Guarantee to a fixpoint: 1-tree-minimal, with hoisting 1-maximal; for the coarse ones only where a
node may vanish. Worst case of a pass: O(n²) tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from marrow.reducers.algorithms.ddmin import Remove
from marrow.reducers.algorithms.drop_layout import without_comments
from marrow.reducers.algorithms.hdd import HddPass, Walk, WalkStep
from marrow.reducers.algorithms.prepare import Preparation, rebuilt
from marrow.reducers.algorithms.traversal import ByLevel, Group
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt, followed, unparsed
from marrow.tree import ROOT, Branch, Edit, Kind, Node, Place, Replace, Token, Tree
from marrow.tree.node import tokens_of
from marrow.tree.tree import TreeAsWritten

#: Φ of every rule and token, as the texts of its tokens.
Minimal: TypeAlias = Mapping[str, tuple[bytes, ...]]

#: The symbol of text that stays as it is: Φ in the place of a node, or what equals its own Φ.
FIXED: Final = "<fixed>"


def published(walks: Sequence[Walk], once: bool, written: TreeAsWritten) -> Reducer:
    """Return the reducer that makes these walks over the written tree, `once` or to fixpoints."""

    def run(_: Tree, done: Done) -> Stream | None:
        tree = prepared(written, walks[0].prepare)

        def walk_from(index: int, tree: Tree) -> Stream | None:
            if index == len(walks):
                return done(tree)
            walk = _repeated(walks[index], once, written.minimal)
            return walk(tree, lambda after: walk_from(index + 1, after))

        def bared(tree: Tree, bare: Tree) -> Stream:
            yield attempt(bare, "removing comments", walk_from, 0, bare)
            return walk_from(0, tree)

        bare = without_comments(tree)
        return walk_from(0, tree) if bare.text == tree.text else bared(tree, bare)

    return unparsed(run)


def _repeated(walk: Walk, once: bool, minimal: Minimal) -> Reducer:
    """Return the reducer that repeats a walk on the same tree until it changes nothing."""

    def run(tree: Tree, done: Done) -> Stream | None:
        passing = HddPass(walk, _ByWords(walk, minimal), done)
        # Where whole levels are looked at, the root is the first of them.
        begun = None
        if isinstance(walk.agenda, ByLevel):
            begun = passing.steps(walk.steps, Group((ROOT,), "level 0"), walk.agenda, tree)
        return begun or passing.next(walk.agenda, tree)

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        if once or after.text == before.text:
            return None
        return _repeated(walk, once, minimal), after

    return followed(run, again)


# -- The tree -------------------------------------------------------------------------------------


def prepared(written: TreeAsWritten, prepare: Sequence[Preparation]) -> Tree:
    """Return the written tree flattened, squeezed, and with fixed what cannot change."""
    tree, minimal = written.tree, written.minimal
    if Preparation.FLATTEN in prepare:
        tree = rebuilt(tree, lambda node, children, _: _flattened(node, children))
    if Preparation.SQUEEZE in prepare:
        root = tree.root
        tree = rebuilt(
            tree,
            lambda node, children, _: _squeezed(node, children, minimal, root=node is root),
        )
    if Preparation.HIDE in prepare:
        tree = rebuilt(tree, lambda node, children, _: _hidden(node, children, minimal))
    return tree


def _named(name: str, children: Sequence[Node]) -> Branch:
    keyed = [child.placed(key=key, slot=child.symbol) for key, child in enumerate(children)]
    return Branch(Kind.REGULAR, name, keyed, slot=name)


def _flattened(node: Node, children: list[Node]) -> Node:
    """Return `rule: a | rule b` as `a b*`, and `rule: a | b rule` as `b* a`."""
    name = node.symbol
    if not name:
        return node
    if len(children) > 1:
        if children[0].symbol == name:
            children = [*children[0].children, _named("", children[1:])]
        elif children[-1].symbol == name:
            children = [_named("", children[:-1]), *children[-1].children]
    if len(children) == 1 and children[0].symbol == name:
        children = list(children[0].children)
    return _placed_like(_named(name, children), node)


def _squeezed(node: Node, children: list[Node], minimal: Minimal, *, root: bool) -> Node:
    """Return the only child of a node in its place, if both have the same Φ."""
    if len(children) != 1 or phi(children[0], minimal) != phi(node, minimal):
        return node
    if root and isinstance(children[0], Token):
        return node
    return _placed_like(children[0], node)


def _placed_like(node: Node, other: Node) -> Node:
    return node.placed(key=other.key, slot=other.slot)


def phi(node: Node, minimal: Minimal) -> tuple[bytes, ...]:
    """Return Φ of a node, as words; what the grammar does not know is its own Φ."""
    if isinstance(node, Token):
        return minimal.get(node.symbol, (node.text,))
    return minimal.get(node.symbol, ()) if node.symbol else ()


def _hidden(node: Node, children: list[Node], minimal: Minimal) -> Node:
    """Return a node in which all that equals its own Φ is fixed."""
    if all(not isinstance(child, Token) for child in children) and not _is_phi(node, minimal):
        return node
    below = [_fixed_token(child, minimal) for child in children]
    made: Node = Branch(Kind.REGULAR, node.symbol, below, slot=node.slot, key=node.key)
    if _is_phi(node, minimal):
        fixed = [_as_fixed(token, key) for key, token in enumerate(tokens_of((made,)))]
        inside = Branch(Kind.REGULAR, FIXED, fixed, slot=FIXED)
        made = Branch(Kind.REGULAR, node.symbol, [inside], slot=node.slot, key=node.key)
    return made


def _is_phi(node: Node, minimal: Minimal) -> bool:
    """Whether a node consists of the tokens of its Φ."""
    words = phi(node, minimal)
    if node.token_count != len(words):
        return False
    return tuple(token.text for token in tokens_of((node,))) == words


def _fixed_token(node: Node, minimal: Minimal) -> Node:
    if not isinstance(node, Token) or (node.text,) != phi(node, minimal):
        return node
    return _as_fixed(node, node.key)


def _as_fixed(token: Token, key: int) -> Token:
    return token.placed(key=key, slot=FIXED, symbol=FIXED)


def is_fixed(node: Node) -> bool:
    """Whether a node stays as it is: Φ took its place, or it equals its Φ."""
    if node.symbol == FIXED:
        return True
    first = node.children[0] if node.children else None
    return isinstance(first, Branch) and first.symbol == FIXED


def kept(tree: Tree, place: Place) -> tuple[Place, ...]:
    """Return the places of the children of a node that may change."""
    node = tree.at(place)
    if node is None or is_fixed(node):
        return ()
    return tuple(
        place.child(child.key)
        for child in node.children
        if child.token_count and not is_fixed(child)
    )


def hoistable(node: Node) -> Iterator[Node]:
    """Yield χ of a node: the first nodes of the same label on all paths down, as in the text."""
    if isinstance(node, Token) or not node.symbol or is_fixed(node):
        return
    pending = [*reversed(node.children)]
    while pending:
        below = pending.pop()
        if below.symbol == node.symbol:
            yield below
        elif not is_fixed(below):
            pending.extend(reversed(below.children))


def with_phi(tree: Tree, places: Sequence[Place], minimal: Minimal) -> Tree:
    """Return the tree with Φ in the place of nodes."""
    edits: list[Edit] = []
    for place in places:
        node = tree.at(place)
        if node is None:
            continue
        words = phi(node, minimal)
        # With a space between its words, as the tool writes it: `{ }` and `{}` are two candidates.
        text = Token(FIXED, b" ".join(words), slot=FIXED, token_count=len(words))
        inside = Branch(Kind.REGULAR, FIXED, [text] if words else [], slot=FIXED)
        edits.append(Replace(place, Branch(Kind.REGULAR, node.symbol, [inside], slot=node.slot)))
    return tree.edit(edits)


@dataclass(frozen=True, slots=True)
class _ByWords:
    """Φ as words takes the place of nodes, and nodes of the same label that of each other."""

    walk: Walk
    minimal: Minimal
    restart: ClassVar[bool] = True

    def counts(self, step: WalkStep, tree: Tree, place: Place) -> bool:
        """Whether a step can change a node."""
        node = tree.at(place)
        if node is None or not node.token_count or is_fixed(node):
            return False
        if step is WalkStep.HOIST and not (isinstance(node, Branch) and node.symbol):
            return False
        return not self.walk.coarse or not phi(node, self.minimal)

    def remove(self, _: WalkStep) -> Remove[Place]:
        """Return how nodes are removed."""
        return lambda tree, places, _: with_phi(tree, places, self.minimal)

    def hoisted(self, tree: Tree, place: Place) -> Iterator[Tree]:
        """Yield χ of a node."""
        node = tree.at(place)
        for below in () if node is None else hoistable(node):
            yield tree.replace(place, below)
