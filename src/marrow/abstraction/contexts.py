"""Contexts: where the failure is, of a pattern, and what may be around it.

The smallest part is looked for that makes larger inputs fail wherever it is put: other texts of
the nodes above are drawn, and the part takes the place of a node of its kind in them. And lists
that need their elements may be open: with further elements among them inputs still fail. So a
pattern is found in inputs that nobody has reduced (`embedding`).

Cost: a test or two for each part that is too small, and a few for the part and for each list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Final

from marrow.abstraction.abstraction import Search
from marrow.abstraction.condition_samples import with_elements
from marrow.abstraction.conditions import compared
from marrow.abstraction.pattern import VARIABLE, Mark, Marked
from marrow.abstraction.samples import Fill
from marrow.engine.verdict import Verdict
from marrow.tree import QUANTIFIED, ROOT, Branch, Node, Place, Token, Tree
from marrow.tree.node import render

#: How many contexts are tried for a part, and how many of them have to fail.
_CONTEXTS: Final = 6
_LEAST: Final = 3

#: How many parts are tried, the smallest first, and how many trees are drawn for a node above.
_PARTS: Final = 12
_DRAWN: Final = 100
_SIZES: Final = (8, 20, 5, 60)


class ContextSearch(Search):
    """Looks for the part of a pattern that fails anywhere, and for its open lists."""

    def core(self) -> Place | None:
        """Return the place of the smallest part that fails wherever it is; None if unknown."""
        self._checker.judge.phase("looking for the part that fails anywhere")
        return next((place for place in self._parts() if self._fails_anywhere(place)), None)

    def _fails_anywhere(self, place: Place) -> bool:
        """Whether inputs fail that hold a part, and would not without it."""
        failing = 0
        for number, (context, made) in enumerate(self._around(place)):
            verdict = self._verdict(made)
            if verdict is Verdict.NOT_INTERESTING:
                return False
            if verdict is Verdict.INTERESTING:
                failing += self._verdict(context) is not Verdict.INTERESTING
            if failing == _LEAST or number > _CONTEXTS * (failing + 1):
                break
        return failing == _LEAST

    def _verdict(self, fill: Fill) -> Verdict | None:
        sample = self._board.sampler.fill(self._board.tree, (fill,))
        if not self._material.matches(sample.text):
            return None
        return self._checker.verdicts((sample,))[0]

    def open_lists(self) -> None:
        """Mark lists that may have further elements among those that are needed."""
        board = self._board
        for place, node in list(board.tree.walk(into=lambda at, _: not self._varies(at))):
            if node.kind not in QUANTIFIED or not node.elements or self._varies(place):
                continue
            size = len(node.elements)
            failing = self._failing_with_more(place, node, (size, 0))
            if failing < _LEAST:
                continue
            gaps = size < 2 or self._failing_with_more(place, node, range(1, size)) >= _LEAST
            marked = board.marks.get(place) or Marked(
                Mark.CONCRETE, board.visibility.name(board.tree, place)
            )
            board.mark([place], replace(marked, open=failing, gaps=gaps))

    def _failing_with_more(self, place: Place, node: Node, positions: Sequence[int]) -> int:
        """Return how many inputs fail with further elements at some positions; 0 if one passes."""
        answers = self._answers(self._with_more(place, node, positions), _CONTEXTS)
        passes = Verdict.NOT_INTERESTING in answers
        return 0 if passes else answers.count(Verdict.INTERESTING)

    def _varies(self, place: Place) -> bool:
        marked = self._board.marks.get(place)
        return marked is not None and marked.mark in VARIABLE

    def _answers(self, fills: Iterator[Fill], count: int) -> list[Verdict]:
        """Return verdicts on inputs in which a place is filled, up to the first that passes."""
        material = self._material
        samples = (self._board.sampler.fill(self._board.tree, (one,)) for one in fills)
        read = (one for one in samples if material.matches(one.text))
        return self._checker.until_one_passes(read, count)

    def _parts(self) -> list[Place]:
        """Return the parts that hold something that is needed, the smallest first."""
        found: list[tuple[int, int, Place]] = []
        for place, node in self._board.tree.walk(into=lambda at, _: not self._varies(at)):
            needed = not isinstance(node, Token) and not self._varies(place)
            if place.depth and needed and render((node,)).strip():
                found.append((node.token_count, -place.depth, place))
        for hole in self._board.holes():
            if hole.marked.conditions and len(hole.places) == 1:
                found.append((0, 0, hole.places[0]))
        found.sort(key=lambda one: one[:2])
        return [place for _, _, place in found if self._self_contained(place)][:_PARTS]

    def _self_contained(self, place: Place) -> bool:
        """Whether no part of it is compared with one outside."""
        pairs = (
            (hole.places[0], one.other)
            for hole in self._board.holes()
            for one in compared(hole.marked.conditions)
        )
        return all((place in one.upwards()) is (place in two.upwards()) for one, two in pairs)

    def _around(self, place: Place) -> Iterator[tuple[Fill, Fill]]:
        """Yield nodes for all or some of what is around a part, and the same with it inside."""
        board, material = self._board, self._material
        upwards = (one for one in place.upwards() if one != place)
        above = [one for one in upwards if material.can_draw(board.tree, one)]
        part, texts = board.node(place), {board.tree.text}
        near = iter(board.sampler.near_at(board.tree, above[-1]) if above else ())
        for number in range(_DRAWN):
            random = Random(f"context {number} of {place}")
            top, drawn = ROOT, None
            if number % 2 or not above:
                drawn = material.whole(random)
            if drawn is None and above:
                top = random.choice(above) if number % 4 > 1 else above[-1]
                size = _SIZES[number % len(_SIZES)]
                drawn = next(near, None) if top == above[-1] else None
                key = material.key(board.node(top))
                drawn = drawn or material.draw(key, random, size, "")
            made = None if drawn is None else self._put(part, drawn, random)
            if drawn is None or made is None:
                continue
            fills = Fill((top,), drawn), Fill((top,), made)
            text = board.sampler.fill(board.tree, fills[1:]).text
            if text not in texts:
                texts.add(text)
                yield fills

    def _put(self, part: Node, context: Node, random: Random) -> Node | None:
        """Return a tree in which a part has taken the place of a node of its kind."""
        tree = Tree(context)
        fitting = [
            place
            for place, one in islice(tree.walk(), 1, None)
            if self._material.replaces(one, part)
        ]
        return tree.replace(random.choice(fitting), part).root if fitting else None

    def _with_more(self, place: Place, node: Node, positions: Sequence[int]) -> Iterator[Fill]:
        """Yield a list with a further element at some positions in turn."""
        if not isinstance(node, Branch):
            return
        for number in range(_DRAWN):
            at = positions[number % len(positions)]
            made = with_elements(self._material, node, at, Random(f"more {number} in {place}"))
            if made is not None:
                yield Fill((place,), made)
