"""Perses: syntax-guided reduction by a worklist of the largest nodes.

Sun, Li, Zhang, Gu, Su, "Perses: Syntax-Guided Program Reduction" (ICSE 2018), Algorithms 2 to 4.
The largest pending node is reduced next: the children of a star, a plus or an optional by list
minimisation, a regular node by a compatible descendant that takes its place, or, where its parent
is a list, by a list of compatible elements. The remaining nodes become pending.

Guarantee to a fixpoint (`perses*`): 1-tree-minimal. Worst case of a pass: O(n²) tests.

Departures from the paper, unless `as_printed` is set: the candidates of a regular node are tried
from the smallest up, so the first success is the one that the paper's loop over all of them would
choose, with fewer tests. Recursion is flattened into lists first. Very deep chains of nodes in the
same slot are not peeled one by one (`hoist.jumps`). Lists and optionals do not count for the bound,
as there are more of them here than in the paper's trees. What seldom works is marked as unlikely,
for pipelines: they try it when nothing else is left to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from marrow.reducers.algorithms.ddmin import Configuration, ListMinimizer, ddmin, elements_of
from marrow.reducers.algorithms.hoist import Compatibility, compatible_below, jumps
from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.algorithms.traversal import Heap, words
from marrow.reducers.streams.minimal_replacement import Slots
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import QUANTIFIED, ROOT, Kind, Node, Place, Tree
from marrow.tree.name_spelling import is_number, quote_of
from marrow.tree.node import tokens_of
from marrow.tree.order import node_size

#: How many steps down a replacement is looked for, as in the paper.
BOUND: Final = 4

# A replacement is tiny if it is a word for at least this many tokens, or any node for more than
# this many times its tokens. On 22 cases that was interesting in 24 of 511 attempts, and anything
# else in 72 of 308. After that many failures in a row, more of it is unlikely.
_MUCH: Final = 3
_TIMES: Final = 4
_FAILURES: Final = 2

#: What follows a success, given the trees before and after it.
Tidy: TypeAlias = Callable[[Tree, Tree, Done], Stream | None]


def nothing(_: Tree, after: Tree, done: Done) -> Stream | None:
    """Go on at once."""
    return done(after)


_LISTS: Final = frozenset({Kind.STAR, Kind.PLUS})


def perses(
    slots: Slots,
    *,
    bound: int = BOUND,
    minimize: ListMinimizer = ddmin,
    upwards: bool = False,
    tidy: Tidy = nothing,
    as_printed: bool = False,
) -> Reducer:
    """Return the reducer that makes one pass of Perses.

    A pass `upwards` begins with the smallest nodes. It is for a tree that is nearly minimal: late
    successes are small, and everything after the last one is already known to the next pass.
    After a success, `tidy` may reduce the tree before the pass continues (`algorithms.unused`).
    """

    def run(tree: Tree, done: Done) -> Stream | None:
        flat = tree if as_printed else flatten(tree, slots)
        worklist = _all_nodes(flat) if upwards else _root(flat)
        # Upwards, the pass has been here before.
        failed = _FAILURES if upwards else 0
        return _Pass(slots, bound, minimize, tidy, done, failed, as_printed).next(worklist, flat)

    return run


@dataclass(frozen=True, slots=True)
class _Pending:
    """A node to be reduced, and how many levels below the last replacement, or the root, it is."""

    place: Place
    level: int = 0
    #: Whether the nodes below it have had their turn.
    alone: bool = False

    @property
    def starts_chain(self) -> bool:
        """Whether to look for a long chain here: only where a path has doubled in length.

        So a chain that must stay wastes a few tests in all, not a few for each of its links.
        """
        return self.level & (self.level - 1) == 0


@dataclass(frozen=True, slots=True)
class _Pass:
    """One pass under way (Algorithm 2). Its methods hand tree and worklist on."""

    slots: Slots
    bound: int
    minimize: ListMinimizer
    tidy: Tidy
    done: Done
    #: How many attempts at tiny replacements have failed since one was interesting.
    failed: int = 0
    as_printed: bool = False

    def next(self, worklist: Heap[_Pending], tree: Tree) -> Stream | None:
        """Take the largest pending node that can be reduced."""
        while worklist:
            pending, worklist = worklist.pop()
            node = tree.at(pending.place)
            if node is None or not node.children:
                continue
            if node.kind in QUANTIFIED:
                stream = self._reduce_list(worklist, tree, pending)
            else:
                stream = self._reduce_regular(worklist, tree, pending, node)
            if stream is not None:
                return stream
            worklist = _with_children(worklist, pending, node)
        return self.done(tree)

    def _tidy(self, worklist: Heap[_Pending], before: Tree, after: Tree) -> Stream | None:
        """Go on with the pass, after tidying up if the tree has changed."""
        if after is before:
            return self.next(worklist, after)
        return self.tidy(before, after, lambda tidied: self.next(worklist, tidied))

    def _reduce_list(
        self, worklist: Heap[_Pending], tree: Tree, pending: _Pending
    ) -> Stream | None:
        """Minimise the children of a list (Algorithm 3; of a plus one stays)."""
        configuration = elements_of(tree, pending.place)
        if configuration is None:
            return None

        def follow(result: Configuration[Place]) -> Stream | None:
            left = result.tree.at(pending.place)
            rest = worklist if left is None else _with_children(worklist, pending, left)
            return self._tidy(rest, tree, result.tree)

        return self.minimize(configuration, follow)

    def _reduce_regular(
        self, worklist: Heap[_Pending], tree: Tree, pending: _Pending, node: Node
    ) -> Stream | None:
        """Replace a node by the smallest compatible descendant that will do (Algorithm 4)."""
        candidates = self._candidates(tree, pending, node) if self.bound else []
        if not candidates:
            return None
        if self.as_printed:
            return self._trying_all(worklist, tree, pending, node, candidates[::-1])
        return self._replacing(worklist, tree, pending, node, candidates)

    def _trying_all(
        self,
        worklist: Heap[_Pending],
        tree: Tree,
        pending: _Pending,
        node: Node,
        candidates: list[Node],
        best: Node | None = None,
    ) -> Stream:
        """Try all candidates, from the largest down: the last success is the best of line 12."""
        phase = f"replacing {words(tree, pending.place)}"
        for at, candidate in enumerate(candidates):
            rest = candidates[at + 1 :]
            replaced = tree.replace(pending.place, candidate)
            then = partial(self._trying_all, worklist, tree, pending, node, rest)
            yield attempt(replaced, phase, then, candidate)
        if best is None:
            return self.next(_with_children(worklist, pending, node), tree)
        again = worklist.push([(-best.token_count, pending)])
        return self.next(again, tree.replace(pending.place, best))

    def _replacing(
        self,
        worklist: Heap[_Pending],
        tree: Tree,
        pending: _Pending,
        node: Node,
        candidates: list[Node],
    ) -> Stream:
        place = pending.place
        phase = f"replacing {words(tree, place)}"
        failed = self.failed
        for candidate in candidates:
            replaced = tree.replace(place, candidate)
            again = replace(pending, level=0)
            rest = worklist.push([(-candidate.token_count, again)])
            little = _little_for_much(node, candidate)
            then = replace(self, failed=0 if little else failed)
            one = attempt(replaced, phase, then._tidy, rest, tree, replaced)
            yield replace(one, unlikely=little and failed >= _FAILURES)
            failed += little
        return replace(self, failed=failed).next(_with_children(worklist, pending, node), tree)

    def _candidates(self, tree: Tree, pending: _Pending, node: Node) -> list[Node]:
        """Return the compatible descendants, smallest first; before them those far down a chain."""
        found = sorted(self._compatible(tree, pending.place, node), key=node_size)
        if pending.starts_chain and not self.as_printed:
            found = jumps(node, Compatibility.SLOT.fits(self.slots, node), self.bound) + found
        return [one for one in found if node_size(one) < node_size(node)]

    def _compatible(self, tree: Tree, place: Place, node: Node) -> Iterator[Node]:
        fits = Compatibility.SLOT.fits(self.slots, node)
        every = self.as_printed
        yield from (below for _, below in compatible_below(node, fits, self.bound, every=every))
        above = None if place.parent is None else tree.at(place.parent)
        if above is None or above.kind not in _LISTS:
            return

        def is_list_of_fitting(below: Node) -> bool:
            return below.kind in _LISTS and all(map(fits, below.elements))

        lists = compatible_below(node, is_list_of_fitting, self.bound, every=every)
        yield from (below for _, below in lists)


def _little_for_much(node: Node, candidate: Node) -> bool:
    """Whether a word, or a small part of a node, replaces all of it; a value may."""
    if candidate.token_count > 1:
        return candidate.token_count * _TIMES < node.token_count
    if node.token_count < _MUCH:
        return False
    return not any(is_number(one) or quote_of(one.text)[0] for one in tokens_of((candidate,)))


def _root(tree: Tree) -> Heap[_Pending]:
    worklist: Heap[_Pending] = Heap()
    return worklist.push([(-tree.token_count, _Pending(ROOT))])


def _all_nodes(tree: Tree) -> Heap[_Pending]:
    found = [(node.token_count, place) for place, node in tree.walk() if node.children]
    # The largest goes in first: a value that comes to the top of a heap costs less to push.
    found.sort(key=lambda pair: pair[0], reverse=True)
    worklist: Heap[_Pending] = Heap()
    return worklist.push((size, _Pending(place, place.depth, alone=True)) for size, place in found)


def _with_children(worklist: Heap[_Pending], above: _Pending, node: Node) -> Heap[_Pending]:
    if above.alone:
        return worklist
    level = above.level + 1
    return worklist.push(
        (-child.token_count, _Pending(above.place.child(child.key), level))
        for child in node.children
        if child.children
    )
