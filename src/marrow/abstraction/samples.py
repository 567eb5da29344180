"""Streams of samples: inputs made from a tree by filling places of it, no text twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from marrow.abstraction.differences import differ
from marrow.abstraction.material import Material
from marrow.abstraction.renaming import new_names, with_new_names
from marrow.tree import Node, Place, Replace, Tree

#: After so many draws in a row without a new text a stream ends. A text that comes up in one draw
#: of fifty is missed in 2 of 1,000 such cases.
BARREN_DRAWS: Final = 300

#: After so many draws in a row without a new text nothing that is known is drawn any more.
_STALE_DRAWS: Final = 10


@dataclass(frozen=True, slots=True)
class Fill:
    """A tree for the places that vary as one; `near` says that it is one near the input."""

    places: tuple[Place, ...]
    node: Node
    near: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """An input made from a tree by filling some places."""

    text: bytes
    fills: tuple[Fill, ...]

    @property
    def near(self) -> bool:
        """Whether everything in it is near the input."""
        return all(one.near for one in self.fills)


@dataclass(slots=True)
class SamplePace:
    """How many draws in a row gave no new text."""

    barren: int = 0

    @property
    def stale(self) -> bool:
        """Whether what is known has been drawn often enough."""
        return self.barren > _STALE_DRAWS


class Samples:
    """A stream of samples of the language, no text twice unless `repeats` says so.

    `most` is how many texts there can be, the tree's own included. `exhausted` is true when the
    stream ended because all of them were drawn. `renames` is as in `filled`. `unlike` are pairs of
    places that must differ.
    """

    def __init__(
        self,
        material: Material,
        tree: Tree,
        fillings: Iterator[tuple[Fill, ...]],
        pace: SamplePace,
        most: float,
        *,
        repeats: bool = False,
        renames: bool = True,
        unlike: Sequence[tuple[Place, Place]] = (),
    ) -> None:
        self._material: Final = material
        self._tree: Final = tree
        self._fillings: Final = fillings
        self._pace: Final = pace
        self._most: Final = most
        self._repeats: Final = repeats
        self._renames: Final = renames
        self._unlike: Final = unlike
        self.exhausted = False

    def __iter__(self) -> Iterator[Sample]:
        seen = {self._tree.text}
        pace = self._pace
        for fills in self._fillings:
            tree = filled(self._material, self._tree, fills, renames=self._renames)
            sample = Sample(tree.text, fills)
            known = sample.text in seen
            seen.add(sample.text)
            if known and not self._repeats:
                pace.barren += 1
            elif differ(tree, self._unlike) and self._material.matches(sample.text):
                pace.barren = 0
                yield sample
            else:
                # Tokens run together, or are read differently here: not an input to test.
                pace.barren += 1
            if len(seen) >= self._most and not self._repeats:
                self.exhausted = True
                return
            if pace.barren > BARREN_DRAWS:
                return


def filled(material: Material, tree: Tree, fills: Sequence[Fill], *, renames: bool = True) -> Tree:
    """Put trees into the places of a tree.

    With `renames`, what other trees say of a name that gets another one says it of the new name: a
    block that leaves the label `done` is valid only as long as that is the name of the label.
    """
    renamed = new_names(tree, [(one.places, one.node) for one in fills]) if renames else {}
    edits = []
    for one in fills:
        node = with_new_names(one.node, renamed)
        for place in one.places:
            old = tree.at(place)
            assert old is not None
            edits.append(Replace(place, material.placed(old, node)))
    return tree.edit(edits)
