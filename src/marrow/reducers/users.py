"""Users: what cannot do without a declaration, and so goes with it.

That is what mentions a name that nothing declares any more, or only its body if no more mentions
it; members go with their class, and a namespace goes with the last that is in it. A name is looked
up where it is mentioned, by the graph (`marrow.reducers.needs`): if the class around declares it,
its member is meant; if one scope does, what stands there; else anything of that name.
"""

from __future__ import annotations

from collections import ChainMap, Counter, defaultdict, deque
from collections.abc import Container, Iterator, Sequence
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from marrow.reducers.needs import Needs, Scope
from marrow.tree.outline import Element, Mentions

# Words of functions whose bodies are needed where they are called, or that are no declarations
# without one.
_NEED_BODIES: Final = frozenset({b"auto", b"consteval", b"friend"})


class Unit(NamedTuple):
    """An element, or its body alone."""

    at: int
    body: bool = False


#: What is gone of an outline.
Gone: TypeAlias = frozenset[Unit]

#: A name, and where it is declared: in a class, in a scope, or anywhere.
_Declared: TypeAlias = tuple[int | Scope | None, bytes]


def can_lose_body(element: Element, elements: Sequence[Element]) -> bool:
    """Return whether one of the elements is a function with a body that it may do without."""
    words, owner = element.mentions.free, element.owner
    creates = owner >= 0 and bool(element.declares & elements[owner].declares)
    needs_it = words & _NEED_BODIES or (creates and b"constexpr" in words)
    return element.body is not None and not needs_it


def definition(element: Element, index: int) -> Unit:
    """Return the body of an element, or all of it if it is nothing without: `A::f() {}`."""
    return Unit(index, body=not element.elsewhere)


class Users:
    """The users of the elements of a graph; what stands in the element `root` has to stay."""

    def __init__(self, needs: Needs, root: int) -> None:
        self._needs: Final = needs
        self._elements: Final = needs.elements
        self._root: Final = root
        self._last_left: tuple[Gone, Counter[_Declared]] | None = None

    @cached_property
    def inside_root(self) -> frozenset[int]:
        """The root, and what stands in it."""
        found: set[int] = set()
        for index, element in enumerate(self._elements):
            if index == self._root or element.owner in found:
                found.add(index)
        return frozenset(found)

    def with_users(self, gone: Gone, units: Sequence[Unit]) -> Gone | None:
        """Return what is gone with some more units; None if the root cannot do without them."""
        more = set(gone)
        left = ChainMap[_Declared, int]({}, self._left(gone))
        pending = deque(units)
        while pending:
            unit = pending.popleft()
            if unit in more or Unit(unit.at) in more:
                continue
            if unit.at in self.inside_root:
                return None
            more.add(unit)
            if unit.body:
                continue
            pending.extend(map(Unit, self._needs.members.get(unit.at, ())))
            for name in self._introduces[unit.at]:
                left[name] -= 1
                if not left[name]:
                    pending.extend(self._users.get(name, ()))
            self._empty_scopes(more, self._elements[unit.at].owner, pending)
        return frozenset(more)

    def _left(self, gone: Gone) -> Counter[_Declared]:
        """Return how many elements still declare each name; kept for the last `gone`."""
        if self._last_left is None or self._last_left[0] is not gone:
            left = Counter(name for some in self._introduces for name in some)
            left.subtract(name for one in gone if not one.body for name in self._introduces[one.at])
            self._last_left = (gone, left)
        return self._last_left[1]

    def _empty_scopes(self, gone: Container[Unit], owner: int, pending: deque[Unit]) -> None:
        """Have a namespace go in which nothing is left."""
        members = self._needs.members.get(owner, ())
        scope = owner >= 0 and self._elements[owner].scope
        if scope and all(Unit(one) in gone for one in members):
            pending.append(Unit(owner))

    @cached_property
    def _introduces(self) -> list[tuple[_Declared, ...]]:
        """The names that each element introduces, so that others may mention them.

        Forward declarations of a class go with it, and so does what says more of it.
        """
        classes = {
            name
            for one in self._elements
            if one.listed and not one.further
            for name in one.declares
        }
        found: list[tuple[_Declared, ...]] = []
        for index, one in enumerate(self._elements):
            names = one.declares if one.listed or one.function else one.declares - classes
            if one.scope or one.further:
                names = frozenset()
            place = self._needs.scopes[index] if self._needs.visible[index] else one.owner
            where: tuple[int | Scope | None, ...] = (None, place)
            found.append(tuple((at, name) for name in sorted(names) for at in where))
        return found

    @cached_property
    def _users(self) -> dict[_Declared, list[Unit]]:
        """Which elements mention each name that is declared, or only their bodies do."""
        declared = {name for some in self._introduces for name in some}
        found: dict[_Declared, list[Unit]] = defaultdict(list)
        for index, element in enumerate(self._elements):
            if element.scope:
                continue
            heads = dict.fromkeys(self._meant(element.mentions, index, declared))
            for name in heads:
                found[name].append(Unit(index))
            inside = Unit(index)
            if can_lose_body(element, self._elements):
                inside = definition(element, index)
            for name in dict.fromkeys(self._meant(element.inside, index, declared)):
                if name not in heads:
                    found[name].append(inside)
        return found

    def _meant(
        self, mentions: Mentions, index: int, declared: Container[_Declared]
    ) -> Iterator[_Declared]:
        """Yield what is mentioned in an element, as far as something declares it."""
        for name in sorted(mentions.free):
            if (None, name) in declared:
                owner = self._owner(name, index)
                scopes = list(self._needs.meant(name, index)) if owner is None else []
                where = owner if len(scopes) != 1 else scopes[0]
                yield (where, name) if (where, name) in declared else (None, name)
        for qualifier, name in sorted(mentions.paths):
            if (None, name) in declared:
                scopes = list(self._needs.meant_by(qualifier, name, mentions.free) or ())
                where = scopes[0] if len(scopes) == 1 else None
                yield (where, name) if (where, name) in declared else (None, name)
        for name in sorted(mentions.members | {one for one, _ in mentions.paths}):
            if (None, name) in declared:
                yield None, name

    def _owner(self, name: bytes, index: int) -> int | None:
        """Return the class around an element that has a member of a name, if one has."""
        while index >= 0 and not self._elements[index].scope:
            if name in self._needs.own.get(index, frozenset()):
                return index
            index = self._elements[index].owner
        return None
