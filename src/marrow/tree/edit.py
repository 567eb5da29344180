"""Edits: delete nodes, replace a node by another tree, change a token's text; several at once.

The number of tokens that are left, and the splices that turn the old text into the new one, cost no
more than the change, and a candidate needs nothing else. The new tree is only built when someone
looks at it: it copies the paths from the changed nodes to the root and shares everything else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from marrow.tree.find import Finder, child_index
from marrow.tree.layout import joint
from marrow.tree.move import moved
from marrow.tree.node import (
    FOREIGN,
    QUANTIFIED,
    SEPARATOR,
    Branch,
    Kind,
    Node,
    Token,
    measure,
    render,
)
from marrow.tree.place import Place

_start = attrgetter("start")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Neighbouring children `start` to `end` of an old node, and what replaces them."""

    start: int
    end: int
    now: Sequence[Node]


def covered(index: int, runs: Sequence[Exchange]) -> bool:
    """Whether a child is in one of these runs, which are in order."""
    at = bisect_right(runs, index, key=_start) - 1
    return at >= 0 and index < runs[at].end


def deletions(node: Branch, doomed: set[int]) -> list[Exchange]:
    """Return the runs of children that go when these elements go, separators with them.

    Between two elements that stay there remains the run of separators before the second; the
    separators before the first element and after the last stay as long as an element does.
    """
    children = node.children
    runs = []
    order = sorted(doomed)
    position = 0
    while position < len(order):
        start = order[position]
        end = start + 1
        position += 1
        while True:
            following = end
            while following < len(children) and children[following].slot == SEPARATOR:
                following += 1
            if position < len(order) and order[position] == following:
                end = following + 1
                position += 1
            else:
                break
        left = start
        while left > 0 and children[left - 1].slot == SEPARATOR:
            left -= 1
        if left > 0:
            runs.append(Exchange(left, end, ()))
        elif following < len(children):
            runs.append(Exchange(start, following, ()))
        else:
            runs.append(Exchange(0, len(children), ()))
    return runs


def exchanged(old: Branch, runs: Sequence[Exchange]) -> Branch:
    """Return a node with some runs of its children, which are in order, exchanged."""
    children = list(old.children)
    for run in reversed(runs):
        children[run.start : run.end] = run.now
    return old.with_children(children)


class EditError(ValueError):
    """The edit does not fit the tree: no such place, or a node that may not go."""


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete an element of a star, of a plus that keeps another one, or what an optional holds."""

    place: Place


@dataclass(frozen=True, slots=True)
class Replace:
    """Put another tree in the place of a node."""

    place: Place
    node: Node


@dataclass(frozen=True, slots=True)
class ChangeText:
    """Change the text of a token."""

    place: Place
    text: bytes


Edit: TypeAlias = Delete | Replace | ChangeText


class Splice(NamedTuple):
    """Replace the bytes from `start` to `end` of a text."""

    start: int
    end: int
    text: bytes


def difference(old: bytes, new: bytes) -> Splice:
    """Return one splice that turns a text into another, as short as one can be."""
    start, most = 0, min(len(old), len(new))
    while start < most:  # they agree up to `start`, and not beyond `most`
        middle = (start + most + 1) // 2
        if old[start:middle] == new[start:middle]:
            start = middle
        else:
            most = middle - 1
    end, other = len(old), len(new)
    least = max(start, start + end - other)
    while least < end:  # the same from the back: they agree from `end` on, and not before `least`
        middle = (least + end) // 2
        if old[middle:end] == new[other - end + middle : other]:
            other -= end - middle
            end = middle
        else:
            least = middle + 1
    return Splice(start, end, new[start:other])


class Surgery:
    """Edits applied to a tree: the changes of the text and of the nodes."""

    def __init__(self, finder: Finder, edits: Iterable[Edit], *, indented: bool = False) -> None:
        self._finder: Final = finder
        self._indented: Final = indented
        self._replaced_root: Node | None = None
        self.edits: Final = tuple(edits)
        self._runs: Final[dict[Place, list[Exchange]]] = {}
        reached: dict[Place, bool] = {}
        changes = self._group(self.edits)
        # From the root down, as a change may hide those below it.
        for place in sorted(changes, key=attrgetter("depth")) if len(changes) > 1 else changes:
            if self._reaches(place, reached):
                self._runs[place] = self._runs_of(place, changes[place])
        self.changed: Final = bool(changes) or self._replaced_root is not None
        self.token_count: Final = self._count()

    @property
    def has_new_text(self) -> bool:
        """Whether an edit puts in text that does not come from the input."""
        return any(map(_is_new_text, self.edits))

    def _group(self, edits: Iterable[Edit]) -> dict[Place, dict[int, Edit]]:
        """Group the edits by the place of the parent."""
        changes: dict[Place, dict[int, Edit]] = {}
        for edit in edits:
            parent = edit.place.parent
            if parent is None:
                if isinstance(edit, Delete):
                    raise EditError("the root of a tree cannot be deleted")
                self._replaced_root = self._changed_node(self._finder.root, edit)
            else:
                changes.setdefault(parent, {})[edit.place.key] = edit
        return changes

    def _runs_of(self, place: Place, edits: dict[int, Edit]) -> list[Exchange]:
        """Return the changes among the children of one node, in order."""
        found = self._finder.branch(place)
        if found is None:
            raise EditError(f"no node with children is at {place}")
        old = found.node
        doomed: set[int] = set()
        runs: list[Exchange] = []
        for key, edit in edits.items():
            index = child_index(old, key)
            if index is None:
                raise EditError(f"no node is at {edit.place}")
            child = old.children[index]
            if isinstance(edit, Delete):
                if old.kind not in QUANTIFIED or child.slot == SEPARATOR:
                    raise EditError(f"{child!r} at {edit.place} may not be deleted")
                doomed.add(index)
            else:
                runs.append(Exchange(index, index + 1, (self._changed_node(child, edit),)))
        if doomed:
            if old.kind is Kind.PLUS and not _any_left(old, doomed):
                raise EditError(f"a plus keeps at least one element: {old!r} at {place}")
            away = deletions(old, doomed)
            # A change to a separator that goes has no effect.
            runs = [run for run in runs if not covered(run.start, away)] + away
        if len(runs) > 1:
            runs.sort(key=_start)
        return runs

    def _reaches(self, place: Place, reached: dict[Place, bool]) -> bool:
        """Whether a node stays: nothing around it is deleted, or replaced as a whole.

        A separator goes with its element. `reached` has the answers for places above.
        """
        if not self._runs:
            return True
        known, way = place.way_from(reached)
        fine = True if known is None else reached[known]
        for step in way:
            above = step.parent
            if fine and above is not None and above in self._runs:
                found = self._finder.branch(step)
                fine = found is None or not covered(found.position, self._runs[above])
            reached[step] = fine
        return fine

    def _changed_node(self, child: Node, edit: Replace | ChangeText) -> Node:
        if isinstance(edit, Replace):
            node = moved(edit.node, child, indented=self._indented)
            return node.placed(key=child.key, slot=child.slot)
        if not isinstance(child, Token):
            raise EditError(f"{child!r} at {edit.place} is not a token")
        return child.changed(text=edit.text)

    def _count(self) -> int:
        if self._replaced_root is not None:
            return self._replaced_root.token_count
        count = self._finder.root.token_count
        for place, runs in self._runs.items():
            children = self._finder.known(place).node.children
            for run in runs:
                count -= sum(child.token_count for child in children[run.start : run.end])
                count += sum(child.token_count for child in run.now)
        return count

    def rebuilt(self) -> Node:
        """Copy the nodes on the paths to the changes, deepest first, and return the new root."""
        if self._replaced_root is not None:
            return self._replaced_root
        find = self._finder.known
        places: set[Place] = set()
        for place in self._runs:
            step: Place | None = place
            while step is not None and step not in places:
                places.add(step)
                step = step.parent
        below: dict[Place, list[Exchange]] = {}
        new: Node = self._finder.root
        for place in sorted(places, key=attrgetter("depth"), reverse=True):
            found = find(place)
            runs = self._runs.get(place, [])
            inner = below.pop(place, None)
            if inner:
                runs = sorted([*runs, *inner], key=_start)
            new = exchanged(found.node, runs)
            if place.parent is not None:
                run = Exchange(found.position, found.position + 1, (new,))
                below.setdefault(place.parent, []).append(run)
        return new

    def splices(self, head: int) -> list[Splice]:
        """Return the splices of the old text, in order; `head` is where the root starts."""
        finder = self._finder
        if self._replaced_root is not None:
            return [Splice(head, head + finder.root.length, render((self._replaced_root,)))]
        regions: list[_Region] = []
        for place, runs in self._runs.items():
            node, base = finder.known(place).node, finder.offset(place)
            regions.extend(_Region.of(node, base, place, run) for run in runs)
        if len(regions) > 1:
            _sort(regions)
        splices: list[Splice] = []
        index = 0
        while index < len(regions):
            region = regions[index]
            left, start = finder.token_before(region.place, region.run.start)
            now = list(region.run.now)
            right, end = finder.token_after(region.place, region.run.end)
            # Regions with no token left between them make one splice.
            while index + 1 < len(regions) and regions[index + 1].start <= end:
                index += 1
                region = regions[index]
                now.extend(region.run.now)
                right, end = finder.token_after(region.place, region.run.end)
            splices.append(Splice(head + start, head + end, _between(left, now, right)))
            index += 1
        return splices


def _is_new_text(edit: Edit) -> bool:
    if isinstance(edit, Replace):
        first = edit.node.first
        return first is not None and first.serial == FOREIGN
    return isinstance(edit, ChangeText)


def _any_left(node: Branch, doomed: set[int]) -> bool:
    return any(
        child.slot != SEPARATOR and index not in doomed for index, child in enumerate(node.children)
    )


class _Region(NamedTuple):
    """A run with its place in the old text, for sorting."""

    start: int
    filled: bool
    place: Place
    run: Exchange

    @classmethod
    def of(cls, node: Branch, base: int, place: Place, run: Exchange) -> _Region:
        filled = any(child.first is not None for child in node.children[run.start : run.end])
        return cls(base + node.starts[run.start], filled, place, run)


def _sort(regions: list[_Region]) -> None:
    """Sort regions into the order of the text; empty ones come before what they touch."""
    regions.sort(key=lambda region: (region.start, region.filled))
    same = any(
        one.start == two.start and one.filled == two.filled for one, two in pairwise(regions)
    )
    if same:
        regions.sort(key=lambda r: (r.start, r.filled, r.place.path(), r.run.start))


def _between(left: Token | None, nodes: Sequence[Node], right: Token | None) -> bytes:
    """Render nodes with the joints to the tokens around them."""
    parts = []
    if nodes and (inner := measure(nodes)).first is not None:
        if left is not None:
            parts.append(joint(left, inner.first))
        parts.append(render(nodes))
        left = inner.last
    if left is not None and right is not None:
        parts.append(joint(left, right))
    return b"".join(parts)
