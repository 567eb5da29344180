"""Edits: delete nodes, replace a node by another tree, change a token's text; several at once.

An edit copies the path from the changed nodes to the root and shares everything else. Along the way
it notes the splices that turn the old text into the new one, so that neither the new tree nor its
text costs more than the change and the path.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from marrow.tree.layout import joint
from marrow.tree.move import moved
from marrow.tree.node import QUANTIFIED, SEPARATOR, Branch, Extent, Kind, Node, Token, measure
from marrow.tree.place import Place
from marrow.tree.render import render


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
class Retext:
    """Change the text of a token."""

    place: Place
    text: bytes


Edit: TypeAlias = Delete | Replace | Retext


class Splice(NamedTuple):
    """Replace the bytes from `start` to `end` of a text."""

    start: int
    end: int
    text: bytes


@dataclass(frozen=True, slots=True)
class _Run:
    """Neighbouring children `start` to `end` of an old node, and what stands there now."""

    start: int
    end: int
    now: Sequence[Node]


_key = attrgetter("key")


def child_index(node: Node, key: int) -> int | None:
    """Return the position of the child with this key."""
    children = node.children
    index = bisect_left(children, key, key=_key)
    if index < len(children) and children[index].key == key:
        return index
    return None


class Surgery:
    """One application of edits to a tree: finds the nodes, rebuilds the path, notes the splices."""

    def __init__(
        self, root: Node, root_place: Place, edits: Iterable[Edit], *, indented: bool = False
    ) -> None:
        self._indented: Final = indented
        self._root_place: Final = root_place
        self._nodes: dict[Place, Branch] = {}
        self._indexes: dict[Place, int] = {}
        self._runs: dict[Place, list[_Run]] = {}
        self._gone: set[Place] = set()
        self._replaced_root: Node | None = None
        self._root = root
        changes = self._group(edits)
        self._order = self._resolve(changes)
        self.root: Final = self._rebuild(changes)

    def _group(self, edits: Iterable[Edit]) -> dict[Place, dict[int, Edit]]:
        """Group the edits by the place of the parent."""
        changes: dict[Place, dict[int, Edit]] = {}
        for edit in edits:
            parent = edit.place.parent
            if parent is None:
                if isinstance(edit, Delete):
                    raise EditError("the root of a tree cannot be deleted")
                self._replaced_root = self._changed_node(self._root, edit)
            else:
                changes.setdefault(parent, {})[edit.place.key] = edit
        return changes

    def _resolve(self, changes: dict[Place, dict[int, Edit]]) -> list[Place]:
        """Find the old node of every place on a path to a change; parents come before children."""
        places: set[Place] = set()
        for place in changes:
            step: Place | None = place
            while step is not None and step not in places:
                places.add(step)
                step = step.parent
        order = []
        for place in sorted(places, key=attrgetter("depth")):
            parent = place.parent
            if parent is None:
                node: Node = self._root
            else:
                if parent not in self._nodes or place.key in changes.get(parent, ()):
                    continue  # below a node that is deleted or replaced as a whole
                above = self._nodes[parent]
                index = child_index(above, place.key)
                if index is None:
                    raise EditError(f"there is no node at {place}")
                self._indexes[place] = index
                node = above.children[index]
            if not isinstance(node, Branch):
                raise EditError(f"the token at {place} has no children")
            self._nodes[place] = node
            order.append(place)
        return order

    def _rebuild(self, changes: dict[Place, dict[int, Edit]]) -> Node:
        """Copy the nodes on the paths, deepest first, and return the new root."""
        if self._replaced_root is not None:
            return self._replaced_root
        below: dict[Place, dict[int, Node]] = {}
        for place in reversed(self._order):
            old = self._nodes[place]
            new = self._rebuild_node(place, old, changes.get(place, {}), below.get(place, {}))
            if place.parent is None:
                return new
            below.setdefault(place.parent, {})[self._indexes[place]] = new
        return self._root

    def _rebuild_node(
        self, place: Place, old: Branch, edits: dict[int, Edit], below: dict[int, Node]
    ) -> Node:
        doomed: set[int] = set()
        runs: list[_Run] = []
        for key, edit in edits.items():
            index = child_index(old, key)
            if index is None:
                raise EditError(f"there is no node at {edit.place}")
            child = old.children[index]
            if isinstance(edit, Delete):
                if old.kind not in QUANTIFIED or child.slot == SEPARATOR:
                    raise EditError(f"{child!r} at {edit.place} may not be deleted")
                doomed.add(index)
            else:
                changed = self._changed_node(child, edit)
                runs.append(_Run(index, index + 1, (changed,)))
        if doomed:
            if old.kind is Kind.PLUS and len(doomed) == len(old.elements):
                raise EditError(f"a plus keeps at least one element: {old!r} at {place}")
            gone = [_Run(start, end, ()) for start, end in _deletions(old, doomed)]
            # A change to a separator that goes has no effect.
            runs = [run for run in runs if not _covered(run.start, gone)] + gone
            for index in [index for index in below if _covered(index, gone)]:
                del below[index]
                self._gone.add(place.child(old.children[index].key))
        if runs:
            runs.sort(key=attrgetter("start"))
            self._runs[place] = runs
        windows = runs + [_Run(index, index + 1, (node,)) for index, node in below.items()]
        windows.sort(key=attrgetter("start"))
        children = list(old.children)
        for window in reversed(windows):
            children[window.start : window.end] = window.now
        return old.with_children(children, _remeasure(old, windows))

    def _changed_node(self, child: Node, edit: Replace | Retext) -> Node:
        if isinstance(edit, Replace):
            node = moved(edit.node, child, indented=self._indented)
            return node.placed(key=child.key, slot=child.slot)
        if not isinstance(child, Token):
            raise EditError(f"{child!r} at {edit.place} is not a token")
        return child.changed(text=edit.text)

    def splices(self, head: int) -> list[Splice]:
        """Return what to change in the old text, in order; `head` is where the root starts."""
        if self._replaced_root is not None:
            return [Splice(head, head + self._root.length, render((self._replaced_root,)))]
        offsets: dict[Place, int] = {}
        regions: list[_Region] = []
        for place in self._order:
            parent = place.parent
            if place in self._gone or parent in self._gone:
                self._gone.add(place)
                continue
            if parent is None:
                offsets[place] = head
            else:
                offsets[place] = offsets[parent] + self._nodes[parent].starts[self._indexes[place]]
            runs = self._runs.get(place)
            if runs:
                node, base = self._nodes[place], offsets[place]
                regions.extend(_Region.of(node, base, place, run) for run in runs)
        if len(regions) > 1:
            _sort(regions)
        splices: list[Splice] = []
        index = 0
        while index < len(regions):
            region = regions[index]
            left, start = self._token_before(region.place, region.run.start, offsets)
            now = list(region.run.now)
            right, end = self._token_after(region.place, region.run.end, offsets)
            # Regions with no token left between them make one splice.
            while index + 1 < len(regions) and regions[index + 1].start <= end:
                index += 1
                region = regions[index]
                now.extend(region.run.now)
                right, end = self._token_after(region.place, region.run.end, offsets)
            splices.append(Splice(start, end, _between(left, now, right)))
            index += 1
        return splices

    def _token_before(
        self, place: Place, index: int, offsets: dict[Place, int]
    ) -> tuple[Token | None, int]:
        """Return the last token in front of a child, if there is one, and where it ends."""
        step: Place | None = place
        while step is not None:
            node = self._nodes[step]
            while index > 0:
                index -= 1
                child = node.children[index]
                if child.last is not None:
                    return child.last, offsets[step] + node.starts[index] + child.length
            index = self._indexes.get(step, 0)
            step = step.parent
        return None, offsets[self._root_place]

    def _token_after(
        self, place: Place, index: int, offsets: dict[Place, int]
    ) -> tuple[Token | None, int]:
        """Return the first token from a child on, if there is one, and where it starts."""
        step: Place | None = place
        while step is not None:
            node = self._nodes[step]
            while index < len(node.children):
                child = node.children[index]
                if child.first is not None:
                    return child.first, offsets[step] + node.starts[index]
                index += 1
            index = self._indexes.get(step, 0) + 1
            step = step.parent
        return None, offsets[self._root_place] + self._root.length


def _covered(index: int, runs: Sequence[_Run]) -> bool:
    return any(run.start <= index < run.end for run in runs)


class _Region(NamedTuple):
    """A run with its place in the old text, for sorting."""

    start: int
    filled: bool
    place: Place
    run: _Run

    @classmethod
    def of(cls, node: Branch, base: int, place: Place, run: _Run) -> _Region:
        filled = any(child.first is not None for child in node.children[run.start : run.end])
        return cls(base + node.starts[run.start], filled, place, run)


def _sort(regions: list[_Region]) -> None:
    """Sort regions into the order of the text; empty ones stand in front of what they touch."""
    regions.sort(key=lambda region: (region.start, region.filled))
    same = any(
        one.start == two.start and one.filled == two.filled for one, two in pairwise(regions)
    )
    if same:
        regions.sort(key=lambda r: (r.start, r.filled, r.place.path(), r.run.start))


def _deletions(node: Branch, doomed: set[int]) -> list[tuple[int, int]]:
    """Return the ranges of children that go when these elements go, separators with them.

    Between two elements that stay there remains the run of separators in front of the second; the
    separators in front of the first element and behind the last stay as long as an element does.
    """
    children = node.children
    ranges = []
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
            ranges.append((left, end))
        elif following < len(children):
            ranges.append((start, following))
        else:
            ranges.append((0, len(children)))
    return ranges


# Below this many children, measuring them all again is cheaper than finding out what changed.
_FEW: Final = 12


def _remeasure(old: Branch, windows: Sequence[_Run]) -> Extent | None:
    """Return the new extent of a long list from the old one and what changed, else None."""
    before = old.children
    if len(before) <= _FEW:
        return None
    tokens, length, first, last = old.extent
    index = 0
    while index < len(windows):
        window = windows[index]
        left = window.start - 1
        while left >= 0 and before[left].first is None:
            left -= 1
        lead = before[left : left + 1] if left >= 0 else ()
        now: list[Node] = [*lead, *window.now]
        end = window.end
        while True:
            right = end
            limit = windows[index + 1].start if index + 1 < len(windows) else len(before)
            while right < limit and before[right].first is None:
                right += 1
            if right < limit or index + 1 == len(windows):
                break
            index += 1
            now.extend(windows[index].now)
            end = windows[index].end
        now.extend(before[right : right + 1])
        was = measure(before[max(left, 0) : right + 1])
        now_is = measure(now)
        tokens += now_is.tokens - was.tokens
        length += now_is.length - was.length
        if left < 0:
            first = now_is.first
        if right >= len(before):
            last = now_is.last
        index += 1
    return Extent(tokens, length, first, last)


def _between(left: Token | None, nodes: Sequence[Node], right: Token | None) -> bytes:
    """Render nodes with the joints to the tokens that stand around them."""
    parts = []
    if nodes and (inner := measure(nodes)).first is not None:
        if left is not None:
            parts.append(joint(left, inner.first))
        parts.append(render(nodes))
        left = inner.last
    if left is not None and right is not None:
        parts.append(joint(left, right))
    return b"".join(parts)
