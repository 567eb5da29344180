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
from typing import Final, TypeAlias

from marrow.reducers.algorithms.ddmin import Configuration, ListMinimizer, ddmin, minimize_group
from marrow.reducers.algorithms.drop_layout import without_comments
from marrow.reducers.algorithms.prepare import Preparation, rebuilt
from marrow.reducers.algorithms.tmin import tmin
from marrow.reducers.algorithms.traversal import Agenda, ByLevel, Group, Traversal
from marrow.reducers.streams.minimal_replacement import tokens_at
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt, followed, unparsed
from marrow.tree import ROOT, Branch, Edit, Kind, Node, Place, Replace, Token, Tree
from marrow.tree.node import tokens_of
from marrow.tree.tree import TreeAsWritten

#: Φ of every rule and token, as the texts of its tokens.
Minimal: TypeAlias = Mapping[str, tuple[bytes, ...]]

#: The symbol of text that stays as it is: Φ in the place of a node, or what equals its own Φ.
FIXED: Final = "<fixed>"


@dataclass(frozen=True, slots=True)
class PublishedWalk:
    """A walk of the family: what is done to the nodes, in which order, and to which of them."""

    prune: bool = True
    hoist: bool = False
    recursive: bool = False
    #: Only nodes that may vanish are pruned, and hoisted.
    coarse: bool = False
    once: bool = False
    minimize: ListMinimizer = ddmin
    traversal: Traversal = Traversal.BREADTH
    prepare: tuple[Preparation, ...] = tuple(Preparation)

    @property
    def agenda(self) -> Agenda:
        """The order of the nodes."""
        return self.traversal.agenda(kept) if self.recursive else ByLevel(units=kept)


def published(walks: Sequence[PublishedWalk], written: TreeAsWritten) -> Reducer:
    """Return the reducer that makes these walks, each to its fixpoint, over the written tree."""

    def run(_: Tree, done: Done) -> Stream | None:
        tree = prepared(written, walks[0].prepare)

        def walk_from(index: int, tree: Tree) -> Stream | None:
            if index == len(walks):
                return done(tree)
            walk = _repeated(walks[index], written.minimal)
            return walk(tree, lambda after: walk_from(index + 1, after))

        def bared(tree: Tree, bare: Tree) -> Stream:
            yield attempt(bare, "removing comments", walk_from, 0, bare)
            return walk_from(0, tree)

        bare = without_comments(tree)
        return walk_from(0, tree) if bare.text == tree.text else bared(tree, bare)

    return unparsed(run)


def _repeated(walk: PublishedWalk, minimal: Minimal) -> Reducer:
    """Return the reducer that repeats a walk on the same tree until it changes nothing."""

    def once(tree: Tree, done: Done) -> Stream | None:
        return _Pass(walk, minimal, done).start(walk.agenda, tree)

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        if walk.once or after.text == before.text:
            return None
        return _repeated(walk, minimal), after

    return followed(once, again)


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
        text = Token(FIXED, b" ".join(words), slot=FIXED, count=len(words))
        inside = Branch(Kind.REGULAR, FIXED, [text] if words else [], slot=FIXED)
        edits.append(Replace(place, Branch(Kind.REGULAR, node.symbol, [inside], slot=node.slot)))
    return tree.edit(edits)


# -- The walk -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Pass:
    """One walk under way. Its methods hand the tree on from stream to stream."""

    walk: PublishedWalk
    minimal: Minimal
    done: Done

    def start(self, agenda: Agenda, tree: Tree) -> Stream | None:
        """Begin with the root where whole levels are looked at, for it is the first of them."""
        if self.walk.recursive or is_fixed(tree.root):
            return self.next(agenda, tree)
        return self._group(Group((ROOT,), "level 0"), agenda, tree) or self.next(agenda, tree)

    def next(self, agenda: Agenda, tree: Tree) -> Stream | None:
        """Go on with the next group of the agenda that can change."""
        while (found := agenda.next(tree)) is not None:
            group, agenda = found
            stream = self._group(group, agenda, tree)
            if stream is not None:
                return stream
        return self.done(tree)

    def _group(self, group: Group, agenda: Agenda, tree: Tree) -> Stream | None:
        places = self._looked_at(tree, group.places)
        if not places:
            return None
        if not self.walk.prune:
            return self._hoist(places, group.words, agenda, tree)

        def pruned(after: Tree) -> Stream | None:
            hoisted = None
            if self.walk.hoist:
                hoisted = self._hoist(places, group.words, agenda, after)
            return hoisted or self.next(agenda, after)

        phase = f"deleting in {group.words}"
        configuration = Configuration(tree, places, self._remove, 0, phase, tokens_at)
        return minimize_group(self.walk.minimize, configuration, pruned)

    def _hoist(
        self, places: tuple[Place, ...], words: str, agenda: Agenda, tree: Tree
    ) -> Stream | None:
        def has_label(place: Place) -> bool:
            node = tree.at(place)
            return isinstance(node, Branch) and bool(node.symbol)

        some = tuple(filter(has_label, self._looked_at(tree, places)))
        if not some:
            return None
        return tmin(
            tree,
            some,
            _hoisted,
            lambda after: self.next(agenda, after),
            f"hoisting in {words}",
            restart=True,
        )

    def _looked_at(self, tree: Tree, places: Sequence[Place]) -> tuple[Place, ...]:
        found = []
        for place in places:
            node = tree.at(place)
            if node is None or not node.token_count or is_fixed(node):
                continue
            if not self.walk.coarse or not phi(node, self.minimal):
                found.append(place)
        return tuple(found)

    def _remove(self, tree: Tree, deleted: Sequence[Place], _: Sequence[Place]) -> Tree:
        return with_phi(tree, deleted, self.minimal)


def _hoisted(tree: Tree, place: Place) -> Iterator[Tree]:
    node = tree.at(place)
    if node is not None:
        for below in hoistable(node):
            yield tree.replace(place, below)
