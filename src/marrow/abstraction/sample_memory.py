"""What samples have shown: texts that failed, passed or were invalid in a place, and fragments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from marrow.abstraction.material import Material
from marrow.abstraction.renaming import name_of
from marrow.abstraction.samples import Fill
from marrow.tree import Node, Place, Tree
from marrow.tree.node import render

#: Larger pieces of the input are not tried elsewhere.
_LARGEST: Final = 200

#: How many fragments are remembered for a nonterminal.
_REMEMBERED: Final = 64


class SampleMemory:
    """Texts and trees by what is known of them.

    By their nonterminals: `fragments` of inputs, the `nearest` of them, and `counterexamples`,
    which made a sample pass. By the places they stood in: those in `failing` and in `invalid`
    samples.
    """

    def __init__(self, material: Material) -> None:
        self._material: Final = material
        self.fragments: Final[dict[str, dict[bytes, Node]]] = {}
        self.nearest: Final[dict[str, dict[bytes, Node]]] = {}
        self.counterexamples: Final[dict[str, dict[bytes, Node]]] = {}
        self.failing: Final[dict[tuple[Place, ...], dict[bytes, Node]]] = {}
        self.invalid: Final[dict[tuple[Place, ...], set[bytes]]] = {}
        self._passing: Final[dict[tuple[Place, ...], set[bytes]]] = {}

    def take(self, tree: Tree, memory: dict[str, dict[bytes, Node]]) -> None:
        """Remember the fragments of a tree."""
        for node in tree.nodes():
            if 0 < node.token_count <= _LARGEST:
                self._remember(memory, node)

    def learn(self, fills: Iterable[Fill], *, fails: bool) -> None:
        """Remember what was in a valid sample, to use it elsewhere.

        What made a sample pass is a good first sample where something else is doubted.
        """
        for one in fills:
            if fails:
                kept = self.failing.setdefault(one.places, {})
                if len(kept) < _REMEMBERED:
                    kept.setdefault(render((one.node,)), one.node)
            memory = self.fragments if fails else self.counterexamples
            self._remember(memory, one.node)
            if not fails:
                self._passing.setdefault(one.places, set()).add(render((one.node,)))
                # Below a chain the same text is a sample that needs no test.
                inner = one.node
                while len(inner.children) == 1:
                    inner = inner.children[0]
                    self._remember(memory, inner)

    def learn_invalid(self, fills: Sequence[Fill]) -> None:
        """Remember what made an input invalid: the largest tree of those that it took.

        It is drawn no more there. Of several names each may be fine with others.
        """
        largest = max(fills, key=lambda one: one.node.token_count, default=None)
        if largest is not None and (len(fills) == 1 or not name_of(largest.node)):
            text = render((largest.node,))
            self.invalid.setdefault(largest.places, set()).add(text)

    def invalid_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts that made inputs invalid in these places."""
        return tuple(sorted(self.invalid.get(places, ())))

    def passing_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts with which inputs passed in these places."""
        return tuple(sorted(self._passing.get(places, ())))

    def failing_at(self, places: tuple[Place, ...]) -> tuple[bytes, ...]:
        """Return texts that stood in these places in valid failing samples."""
        return tuple(self.failing.get(places, ()))

    def _remember(self, memory: dict[str, dict[bytes, Node]], node: Node) -> None:
        kept = memory.setdefault(self._material.key(node), {})
        if len(kept) < _REMEMBERED:
            kept.setdefault(render((node,)), self._material.taken(node))
