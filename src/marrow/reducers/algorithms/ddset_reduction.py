"""The reduction of DDSET: Algorithm 1 of "Abstracting Failure-Inducing Inputs" (Gopinath et al.).

The paper calls it its overview of Perses; `perses` is the algorithm of Perses' own paper. A node is
replaced by a descendant of the same nonterminal, or by nothing where the grammar allows that; of
all replacements that still fail, the one that leaves the fewest tokens is taken, and the node is
looked at again. Where none fails, its children follow. The smallest pending node comes first.

Works on the tree of the rules as written, where every quantified part is a node that may be empty.
Guarantee: none. Worst case: O(n²) tests for n nodes.

Departures: replacements are tried from the smallest on, so the first success is the smallest one
and the others need no test. The listing keeps older trees in its queue, and returns the one it
looked at last; here what is pending belongs to the smallest tree so far, which is the result.
"""

from __future__ import annotations

from marrow.reducers.algorithms.published import phi, with_phi
from marrow.reducers.algorithms.traversal import Heap, words
from marrow.reducers.streams.stream import Done, Reducer, Stream, attempt
from marrow.tree import ROOT, Node, Place, Token, Tree
from marrow.tree.tree import TreeAsWritten


def ddset_reduction(written: TreeAsWritten) -> Reducer:
    """Return the reducer that reduces the written tree."""

    def run(_: Tree, done: Done) -> Stream | None:
        queue: Heap[Place] = Heap()
        return _reduce(queue.push([(0, ROOT)]), written.tree, written, done)

    return run


def _reduce(queue: Heap[Place], tree: Tree, written: TreeAsWritten, done: Done) -> Stream:
    """Replace the smallest pending node, as long as there is one."""
    while queue:
        place, queue = queue.pop()
        node = tree.at(place)
        if node is None or isinstance(node, Token) or not node.token_count:
            continue
        phase = f"replacing {words(tree, place) or 'a part'}"
        for smaller in _alternatives(tree, place, node, written):
            here = smaller.at(place)
            left = 0 if here is None else here.token_count
            again = queue.push([(left, place)])
            yield attempt(smaller, phase, _reduce, again, smaller, written, done)
        queue = queue.push(
            (child.token_count, place.child(child.key))
            for child in node.children
            if not isinstance(child, Token) and child.token_count
        )
    return done(tree)


def _alternatives(tree: Tree, place: Place, node: Node, written: TreeAsWritten) -> list[Tree]:
    """Return the trees with a compatible node, or nothing, at a place; the smallest first."""
    found: list[Tree] = []
    if not phi(node, written.minimal):
        empty = with_phi(tree, [place], written.minimal)
        # The last element of a plus may not go.
        if written.matches(empty.text):
            found.append(empty)
    if node.symbol:
        below = [*node.children]
        for one in below:  # shallowest first
            if one.symbol == node.symbol and not isinstance(one, Token):
                found.append(tree.replace(place, one))
            below.extend(one.children)
    return sorted(found, key=lambda smaller: smaller.token_count)
