"""Dependents: what cannot do without a declaration, and so is deleted with it.

That is what mentions a name that nothing declares any more, or only its body if nothing else of it
mentions the name. Members go with their class, and a namespace goes with its last element. A name
is looked up as the graph has it (`declaration_graph`): if the class around declares it, that is the
member; if a single scope does, the declaration there; otherwise any declaration of the name.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, islice
from typing import Final, TypeAlias

from marrow.languages.language_facts import facts_of
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Deleted, Scope, Unit
from marrow.tree import Delete, Edit, Replace, Token, Tree
from marrow.tree.outline import DeclarationOutline, Element, Mentions

#: A name, and where it is declared: in a class, in a scope, or anywhere.
_Declared: TypeAlias = tuple[int | Scope | None, bytes]


def definition(element: Element, index: int) -> Unit:
    """Return the body of an element, or all of it if it only defines: `A::f() {}`."""
    return Unit(index, body=not element.elsewhere)


class Dependents:
    """The dependents of the elements of a graph, whose last declaration has to stay.

    Where functions are `linked`, they are useless without their bodies.
    """

    def __init__(self, graph: DeclarationGraph, *, linked: bool = False) -> None:
        self.graph: Final = graph
        self._elements: Final = graph.elements
        self._linked: Final = linked
        self._left: Final = lru_cache(maxsize=2)(self._count_left)

    def with_dependents(self, deleted: Deleted, units: Iterable[Unit]) -> Deleted | None:
        """Return what is deleted with some more units; None if the last declaration needs them."""
        closure = self.closure(deleted)
        return deleted | closure.more if closure.delete(units) else None

    def closure(self, deleted: Deleted) -> DeletionClosure:
        """Return what deletes more units with their dependents, where some are deleted."""
        return DeletionClosure(self, deleted, *self._left(deleted))

    def _count_left(self, deleted: Deleted) -> tuple[list[int], list[int]]:
        """Count the declarations of each name and the elements in each container that are left."""
        left, members = [0] * len(self._names), [0] * len(self._elements)
        for at, element in enumerate(self._elements):
            if self.whole[at] not in deleted:
                for name in self.introduces[at]:
                    left[name] += 1
                if element.owner >= 0:
                    members[element.owner] += 1
        return left, members

    @cached_property
    def whole(self) -> list[Unit]:
        """The units that are elements, not their bodies alone."""
        return list(map(Unit, range(len(self._elements))))

    @cached_property
    def members(self) -> list[list[Unit]]:
        """The units that each element contains."""
        members = self.graph.members
        return [
            [self.whole[one] for one in members.get(at, ())] for at in range(len(self._elements))
        ]

    @cached_property
    def scope_of(self) -> list[int]:
        """The namespace around each element; -1 if there is none."""
        owners = (one.owner for one in self._elements)
        return [at if at >= 0 and self._elements[at].scope else -1 for at in owners]

    @cached_property
    def _names(self) -> dict[_Declared, int]:
        """The names that are introduced, by number."""
        return {
            name: number
            for number, name in enumerate(dict.fromkeys(chain.from_iterable(self._introduced)))
        }

    @cached_property
    def introduces(self) -> list[tuple[int, ...]]:
        """The numbers of the names that each element introduces."""
        return [tuple(self._names[name] for name in some) for some in self._introduced]

    @cached_property
    def _introduced(self) -> list[tuple[_Declared, ...]]:
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
            place = self.graph.scopes[index] if self.graph.visible[index] else one.owner
            where: tuple[int | Scope | None, ...] = (None, place)
            found.append(tuple((at, name) for name in sorted(names) for at in where))
        return found

    @cached_property
    def mentioning(self) -> list[list[Unit]]:
        """Which elements mention each name that is introduced, or only their bodies do."""
        found: list[list[Unit]] = [[] for _ in self._names]
        for index, element in enumerate(self._elements):
            if element.scope:
                continue
            heads = dict.fromkeys(self._meant(element.mentions, index))
            for name in heads:
                found[name].append(self.whole[index])
            inside = self.whole[index]
            if index in self.graph.bodies and not self._linked:
                inside = definition(element, index)
            for name in dict.fromkeys(self._meant(element.inside, index)):
                if name not in heads:
                    found[name].append(inside)
        return found

    def _meant(self, mentions: Mentions, index: int) -> Iterator[int]:
        """Yield the numbers of the names that are mentioned in an element."""
        names = self._names
        for name in sorted(mentions.free):
            if (anywhere := names.get((None, name))) is not None:
                owner = self._owner(name, index)
                scopes = list(self.graph.lookup(name, index)) if owner is None else []
                where = owner if len(scopes) != 1 else scopes[0]
                yield names.get((where, name), anywhere)
        for qualifier, name in sorted(mentions.paths):
            if (anywhere := names.get((None, name))) is not None:
                scopes = list(self.graph.lookup_qualified(qualifier, name, mentions.free) or ())
                where = scopes[0] if len(scopes) == 1 else None
                yield names.get((where, name), anywhere)
        for name in sorted(mentions.members | {one for one, _ in mentions.paths}):
            if (anywhere := names.get((None, name))) is not None:
                yield anywhere

    def _owner(self, name: bytes, index: int) -> int | None:
        """Return the class around an element that has a member of a name, if one has."""
        while index >= 0 and not self._elements[index].scope:
            if name in self.graph.class_members.get(index, frozenset()):
                return index
            index = self._elements[index].owner
        return None


@dataclass(slots=True)
class DeletionClosure:
    """Units to delete, closed under dependents step by step, where some are `deleted` already.

    It costs no more than what it adds: the numbers of declarations of each name and of elements in
    each namespace that are left are shared by all closures that start with the same `deleted`.
    """

    dependents: Dependents
    deleted: Deleted
    left: list[int]
    members: list[int]
    fewer: dict[int, int] = field(default_factory=dict)
    fewer_members: dict[int, int] = field(default_factory=dict)
    #: What is deleted in addition.
    more: set[Unit] = field(default_factory=set)

    def copy(self) -> DeletionClosure:
        """Return a copy that grows independently."""
        fewer, members = {**self.fewer}, {**self.fewer_members}
        return replace(self, fewer=fewer, fewer_members=members, more={*self.more})

    def delete(self, units: Iterable[Unit]) -> bool:
        """Delete some units; return whether the last declaration can do without them."""
        dependents, deleted, more, fewer = self.dependents, self.deleted, self.more, self.fewer
        whole, last, left = dependents.whole, dependents.graph.last, self.left
        members, mentioning = dependents.members, dependents.mentioning
        pending = [*units]
        for unit in pending:  # it grows
            if unit in more or unit in deleted:
                continue
            at = unit >> 1
            if at == last:
                return False
            if unit & 1:
                if whole[at] not in more and whole[at] not in deleted:
                    more.add(unit)
                continue
            more.add(unit)
            pending += members[at]
            for name in dependents.introduces[at]:
                fewer[name] = now = fewer.get(name, left[name]) - 1
                if not now:
                    pending += mentioning[name]
            if (scope := dependents.scope_of[at]) >= 0:
                now = self.fewer_members.get(scope, self.members[scope]) - 1
                self.fewer_members[scope] = now
                if not now:
                    pending.append(whole[scope])
        return True


def body_form(language: str) -> Token:
    """Return what takes the place of a body in a language."""
    form = facts_of(language).definitions.body
    return Token(form, form.encode())


def without_units(
    outline: DeclarationOutline,
    form: Token,
    deleted: Deleted,
    tree: Tree | None = None,
    before: Deleted = frozenset(),
) -> Tree | None:
    """Return an outline without some units; None if that changes nothing.

    Of a `tree` in which the units `before` are deleted already, the others are deleted.
    """
    edits: list[Edit] = []
    for unit in sorted(deleted - before):
        element = outline.elements[unit.at]
        if not unit.body:
            if Unit(element.owner) not in deleted:
                edits.append(Delete(element.place))
        elif Unit(unit.at) not in deleted and element.body is not None:
            edits.append(Replace(element.body, form))
    edits += _filled_lists(outline, {one.at for one in deleted if not one.body}, form)
    return (outline.tree if tree is None else tree).edit(edits) if edits else None


def _filled_lists(outline: DeclarationOutline, deleted: Container[int], form: Token) -> list[Edit]:
    """Return edits that fill lists which lose all elements, in languages that indent blocks."""
    if not outline.tree.indented:
        return []
    last: dict[int, int] = {}
    left: set[int] = set()
    for index, element in enumerate(outline.elements):
        last[element.owner] = index
        if index not in deleted:
            left.add(element.owner)
    filled = (
        outline.elements[index].place
        for owner, index in last.items()
        if owner >= 0 and owner not in deleted and owner not in left
    )
    # The element is in a list, and that is in its block.
    blocks = (above for place in filled if (above := next(islice(place.upwards(), 2, 3), None)))
    return [Replace(place, form) for place in blocks]
