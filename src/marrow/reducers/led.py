"""What leads to what in an outline: the graph from the last declaration to all that it needs.

The elements of an outline are its nodes (`marrow.tree.outline`). An element leads to what declares
the names that it mentions, to its members, and to what it stands in; its head and its body apart,
as a body may go without the rest. What no name leads to, such as operators, is led to by the
classes that it is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable
from functools import cached_property
from typing import Final

from marrow.deadline import look
from marrow.reducers.dominators import dominated
from marrow.reducers.needs import Needs
from marrow.reducers.users import Unit


class Led:
    """What leads to what; `last` are the last declaration and what stands in it."""

    def __init__(self, needs: Needs, last: Iterable[int]) -> None:
        self._elements: Final = needs.elements
        self._needs: Final = needs
        self._last: Final = sorted(last)

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
    def _heads(self) -> list[list[int]]:
        """What each element leads to without its body: what it mentions, members, its class."""
        return [self._leads(at, body=False) for at in range(len(self._elements))]

    @cached_property
    def _bodies(self) -> list[list[int]]:
        """What the body of each element leads to."""
        return [self._leads(at, body=True) for at in range(len(self._elements))]

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

    def _following(self, index: int, gone: Container[Unit]) -> list[int]:
        emptied = Unit(index, body=True) in gone
        found = self._heads[index] if emptied else [*self._heads[index], *self._bodies[index]]
        return [one for one in found if Unit(one) not in gone]

    def reached(self, gone: Container[Unit], roots: Iterable[int]) -> set[int]:
        """Return the elements that roots lead to, without what is gone."""
        found: set[int] = set()
        pending = list(roots)
        while pending:
            index = pending.pop()
            if index in found or Unit(index) in gone:
                continue
            found.add(index)
            pending.extend(self._heads[index])
            if Unit(index, body=True) not in gone:
                pending.extend(self._bodies[index])
        return found

    @cached_property
    def roots(self) -> list[int]:
        """The last declaration, and what is there without being needed by name."""
        roots = list(self._last)
        reached = self.reached((), roots)
        for index in reversed(range(len(self._elements))):
            if index not in reached and not self._elements[index].scope:
                roots.append(index)
                reached |= self.reached((), [index])
        return roots

    @cached_property
    def all(self) -> frozenset[int]:
        """All that the roots lead to."""
        return frozenset(self.reached((), self.roots))

    def dominated(self, gone: Container[Unit]) -> dict[int, list[int]]:
        """Return the elements that each element dominates immediately, of what is not gone."""
        top = len(self._elements)
        roots = [one for one in self.roots if Unit(one) not in gone]
        return dominated(top, lambda at: roots if at == top else self._following(at, gone))
