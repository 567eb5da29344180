"""What leads to what in an outline: the graph from the last declaration to all that it needs.

The elements of an outline are its nodes (`marrow.tree.outline`). An element leads to what declares
the names that it mentions, to its members, and to what it stands in; its head and its body apart,
as a body may go without the rest. What no name leads to, such as operators, is led to by the
classes that it is about.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import Final

from marrow.base.deadline import look
from marrow.reducers.slicing.declaration_index import Needs
from marrow.reducers.slicing.dependents import Gone, Unit
from marrow.reducers.slicing.dominators import dominated
from marrow.reducers.slicing.reachability import Reach, reversed_edges


class Led:
    """What leads to what; `last` is the last declaration."""

    def __init__(self, needs: Needs, last: int) -> None:
        self._elements: Final = needs.elements
        self._needs: Final = needs
        self._last: Final = last
        self._last_reach: tuple[Gone, Reach] | None = None

    @cached_property
    def _followers(self) -> dict[bytes, list[int]]:
        """What no name leads to, such as operators, by the classes that it is about."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self._elements):
            if self._needs.visible[index] and not element.scope:
                called = [one for one in element.declares if not one.startswith(b"operator")]
                if not called:
                    for name in sorted(element.keys & self._needs.classes):
                        found[name].append(index)
        return found

    @cached_property
    def following(self) -> list[list[int]]:
        """The units that each unit leads to: an element to its body too."""
        found: list[list[int]] = []
        for at in range(len(self._elements)):
            head, body = self._leads(at, body=False), self._leads(at, body=True)
            own = [Unit(at, body=True)] if body else []
            found += [[*map(Unit, head), *own], [*map(Unit, body)]]
        return found

    @cached_property
    def _preceding(self) -> list[list[int]]:
        return reversed_edges(self.following)

    def _leads(self, index: int, *, body: bool) -> list[int]:
        look()
        element = self._elements[index]
        mentions = element.inside if body else element.mentions
        found: dict[int, None] = {}
        if not element.scope:
            for name in sorted(mentions.free):
                for scope in self._needs.meant(name, index):
                    found.update(dict.fromkeys(self._needs.declarations[name][scope]))
            for qualifier, name in sorted(mentions.paths):
                for scope in self._needs.meant_by(qualifier, name) or ():
                    found.update(dict.fromkeys(self._needs.declarations[name][scope]))
        if not body:
            if not element.scope:
                found.update(dict.fromkeys(self._needs.members.get(index, ())))
                for name in sorted(element.declares):
                    found.update(dict.fromkeys(self._followers.get(name, ())))
            if element.owner >= 0:
                found[element.owner] = None
        found.pop(index, None)
        return list(found)

    @cached_property
    def roots(self) -> list[Unit]:
        """The last declaration, and what is there without being needed by name."""
        roots = [Unit(self._last)]
        reached = Reach(self.following, (), roots).reached
        for index in reversed(range(len(self._elements))):
            unit = Unit(index)
            if not reached[unit] and not self._elements[index].scope:
                roots.append(unit)
                self._reach_more(unit, reached)
        return roots

    def _reach_more(self, root: int, reached: bytearray) -> None:
        """Mark all that one more root leads to."""
        reached[root] = True
        pending = [root]
        while pending:
            for one in self.following[pending.pop()]:
                if not reached[one]:
                    reached[one] = True
                    pending.append(one)

    def reach(self, gone: Gone) -> Reach:
        """Return what the roots lead to without what is gone; kept for the last `gone`."""
        if self._last_reach is None or self._last_reach[0] is not gone:
            reach = Reach(self.following, self._preceding, self.roots, gone)
            self._last_reach = (gone, reach)
        return self._last_reach[1]

    def dominated(self, gone: Gone) -> dict[int, list[int]]:
        """Return the elements that each element dominates immediately, of what is not gone."""
        top = len(self._elements)
        roots = [one.at for one in self.roots if one not in gone]
        return dominated(top, lambda at: roots if at == top else self._following(at, gone))

    def _following(self, index: int, gone: Gone) -> list[int]:
        """Return the elements that an element leads to."""
        head, body = self.following[2 * index], self.following[2 * index + 1]
        found = head if Unit(index, body=True) in gone else [*head, *body]
        return [one >> 1 for one in found if not one & 1 and one not in gone]
