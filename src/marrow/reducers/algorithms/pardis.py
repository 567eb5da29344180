"""Pardis: priority-aware traversal, one node at a time.

Gharachorlu and Sumner, "PARDIS: Priority Aware Test Case Reduction" (FASE 2019), as sections 2 to 4
of their type-batched paper use it. The node that would take the most tokens with it is tried next,
if the syntax allows it to vanish. If it must stay, its children become pending. Nothing is hoisted,
and no two nodes are tried together, except for a list that may be empty, which is a node too.

Guarantee to a fixpoint (`pardis*`): 1-tree-minimal. Worst case of a pass: n tests for n nodes.

Departures from the paper: without a grammar in normal form, recursion becomes lists first.
No rule skips nodes with the same text: a candidate that is known to fail costs no test anyway.
"""

from __future__ import annotations

from marrow.reducers.algorithms.prepare import flatten
from marrow.reducers.algorithms.traversal import Heap, words
from marrow.reducers.streams.minimal_replacement import Slots, vanishes
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import ROOT, SEPARATOR, Kind, Node, Place, Tree


def pardis(slots: Slots) -> Reducer:
    """Return the reducer that makes one pass of Pardis."""

    def run(tree: Tree, done: Done) -> Stream | None:
        flat = flatten(tree, slots)
        queue: Heap[Place] = Heap()
        return _pass(queue.push([(-flat.token_count, ROOT)]), flat, done)

    return run


def _pass(queue: Heap[Place], tree: Tree, done: Done) -> Stream:
    """Try the largest pending node, as long as there is one."""
    while queue:
        place, queue = queue.pop()
        node = tree.at(place)
        if node is None:
            continue
        removed = _removed_with(tree, place, node)
        if removed:
            smaller = tree.delete(removed)
            phase = f"deleting {words(tree, place)}"
            yield attempt(smaller, phase, _pass, queue, smaller, done)
        queue = queue.push(
            (-child.token_count, place.child(child.key))
            for child in node.children
            if child.token_count and child.slot != SEPARATOR
        )
    return done(tree)


def _removed_with(tree: Tree, place: Place, node: Node) -> list[Place]:
    """Return what to delete so that a node vanishes; nothing where it must stay."""
    if vanishes(tree, place):
        return [place]
    # A list of one vanishes with its element, which comes next.
    if node.kind is Kind.STAR and len(node.elements) > 1:
        return [place.child(element.key) for element in node.elements]
    return []
