"""Readings: how much a mention of a name needs, and sets of elements that hold all they need.

All that the names of a large text may mean (`declaration_index`) is too much where a name has
many declarations: overloads, specialisations, members that happen to be called alike. So there are
several ways to read it, each with more than the one before:

- bare: a name is looked up in the scopes around it, from the innermost out, or in the one that
  qualifies it; a name that is found in none is that of a function elsewhere, or of a parameter.
  Its first declaration there is needed, and the first that has a list (the class, after its
  forward declarations). Every other one is a *guest*. A specialisation stays if the classes stay
  that tell it from others, in its arguments; other guests do not. A function of a class is needed
  if its name is mentioned as that of a member; other members stay with it.
- lean: overloads stay too, if all that their heads mention stays anyway.
- strict: overloads stay if what tells them from others does, their parameters; and a name that no
  scope around declares is looked up everywhere.
- generous: every declaration of a name is needed, in any scope, and classes stay whole.

Bodies count with the element, unless they are emptied. A set of elements that holds all it needs is
*closed*; the closure of some roots is the least such set, found by marking from them: linear in the
number of mentions.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from marrow.base.deadline import look
from marrow.reducers.slicing.declaration_index import Needs, Scope
from marrow.tree.outline import Element, Mentions


class Reading(Enum):
    """How much a mention of a name needs."""

    BARE = "bare"
    LEAN = "lean"
    STRICT = "strict"
    GENEROUS = "generous"


# The members that a word needs without naming them: a loop over a range, in C++.
_IMPLIED: Final[Mapping[bytes, tuple[bytes, ...]]] = {b"for": (b"begin", b"end")}


def closure(
    needs: Needs, roots: Iterable[int], reading: Reading, emptied: Container[int] = ()
) -> Mapping[int, None]:
    """Return the least closed set with some roots, the nearest first; `emptied` lack bodies."""
    return Marking(needs, reading, emptied).closed(roots)


@dataclass(slots=True)
class Marking:
    """A closure under way, which may grow by more roots, and by bodies that are not emptied."""

    needs: Needs
    reading: Reading
    emptied: Container[int]
    kept: dict[int, None] = field(default_factory=dict)
    #: The names that what is kept declares.
    names: set[bytes] = field(default_factory=set)
    #: The names that are needed in each scope, and those of members.
    wanted: dict[tuple[Scope, bytes], None] = field(default_factory=dict)
    wanted_members: set[bytes] = field(default_factory=set)
    #: Members of classes that wait for a mention of their names.
    waiting: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))

    def copy(self) -> Marking:
        """Return one that grows by itself."""
        waiting = defaultdict(list, {name: [*some] for name, some in self.waiting.items()})
        return replace(
            self,
            kept={**self.kept},
            names={*self.names},
            wanted={**self.wanted},
            wanted_members={*self.wanted_members},
            waiting=waiting,
        )

    def closed(self, roots: Iterable[int], bodies: Collection[int] = ()) -> Mapping[int, None]:
        """Mark all that some more roots need, and bodies of what is kept; then let guests in."""
        pending = deque(roots)
        for index in bodies:
            if index in self.kept:
                pending.extend(self._meant(index, self.needs.elements[index].inside))
        while pending:
            look()
            while pending:
                index = pending.popleft()
                if index in self.kept:
                    continue
                self.kept[index] = None
                element = self.needs.elements[index]
                self.names |= element.declares
                if element.owner >= 0:
                    pending.append(element.owner)
                if element.path:
                    called_inline = self.needs.inline.get(
                        (self.needs.scopes[index], element.path[-1])
                    )
                    pending.extend(() if called_inline is None else (called_inline,))
                if not element.scope and b"namespace" in element.mentions.free:
                    pending.extend(self._opened(element.mentions))
                pending.extend(self._meant(index, element.mentions))
                if element.body is not None and index not in self.emptied:
                    pending.extend(self._meant(index, element.inside))
                if not element.scope:
                    pending.extend(self._members(index))
            pending.extend(self._guests())
        return self.kept

    def _opened(self, mentions: Mentions) -> Iterable[int]:
        """Yield where namespaces are first opened that are mentioned: `using namespace a`."""
        for name in sorted(mentions.words & self.needs.qualifiers.keys()):
            for scope in self.needs.qualifiers[name]:
                yield self.needs.first_opened[scope]

    def _meant(self, index: int, mentions: Mentions) -> Iterable[int]:
        """Yield what some mentions in an element need."""
        needs = self.needs
        generous = self.reading is Reading.GENEROUS
        own = needs.own_around[index]
        element = needs.elements[index]
        # A function of a class is no mention of others of its name, in other classes.
        declares = element.declares if own and not element.listed else frozenset()
        for name in sorted(mentions.free - declares):
            if name in own:
                yield from self._member(name)
                if not generous:
                    continue
            if name not in needs.declarations or element.elsewhere:
                yield from self._member(name)  # of a base, or of the class that it belongs to
            if name in needs.declarations:
                anywhere = self.reading is Reading.STRICT
                scopes = (
                    needs.declarations[name]
                    if generous
                    else needs.meant(name, index, anywhere=anywhere)
                )
                yield from self._declared(name, scopes)
        for word in sorted(_IMPLIED.keys() & mentions.free):
            for name in _IMPLIED[word]:
                yield from self._member(name)
        for qualifier, name in sorted(mentions.paths):
            yield from self._member(name)
            found = (
                needs.declarations.get(name, {})
                if generous
                else needs.meant_by(qualifier, name, mentions.free)
            )
            yield from self._declared(name, found or ())
        for name in sorted(mentions.members):
            yield from self._member(name)
            if generous:
                yield from self._declared(name, needs.declarations.get(name, {}))

    def _declared(self, name: bytes, scopes: Iterable[Scope]) -> Iterable[int]:
        for scope in scopes:
            if (scope, name) not in self.wanted:
                self.wanted[scope, name] = None
                if self.reading is Reading.GENEROUS:
                    yield from self.needs.declarations[name][scope]
                else:
                    yield from self.needs.first(name, scope)
                    yield from self.needs.guides.get((scope, name), ())

    def _member(self, name: bytes) -> Iterable[int]:
        if name not in self.wanted_members:
            self.wanted_members.add(name)
            yield from self.waiting.pop(name, ())

    def _members(self, index: int) -> Iterable[int]:
        """Yield the members that stay with a class; the others wait for their names."""
        own = self.needs.elements[index].declares
        for member in self.needs.members.get(index, ()):
            element = self.needs.elements[member]
            names = element.declares
            called = [one for one in names if not one.startswith(b"operator")]
            function = element.function or "function" in element.symbol
            strict = self.reading is not Reading.GENEROUS
            if not strict or not function or not called or names & (own | self.wanted_members):
                yield member
            else:
                for name in sorted(names):
                    self.waiting[name].append(member)

    def _guests(self) -> Iterable[int]:
        """Yield what declares a wanted name, or none, and is about nothing but what stays."""
        needs, known = self.needs, self.needs.known
        names = self.names.union(name for _, name in self.wanted)
        for index in needs.guests:
            element = needs.elements[index]
            bare = self.reading is Reading.BARE and not element.listed
            if index in self.kept or (bare and not _constant_elsewhere(element)):
                continue
            if element.elsewhere and index in self.emptied:
                continue
            if element.elsewhere:  # of a member that stays
                wanted = element.declares <= names
            else:
                scope = needs.scopes[index]
                wanted = any((scope, name) in self.wanted for name in element.declares)
            if not wanted and element.declares and not _is_operator(element):
                continue
            if element.listed:
                about = element.keys & needs.classes
            elif self.reading is Reading.LEAN:
                about = element.mentions.words & known
            else:
                about = element.keys & known
            if about <= names:
                yield index
        for region in needs.regions:
            inside = range(region[0] + 1, region[-1])
            if region[0] not in self.kept and any(one in self.kept for one in inside):
                yield from region


def _constant_elsewhere(element: Element) -> bool:
    """Return whether an element has the value of a constant that its class declares."""
    return element.elsewhere and element.body is None


def _is_operator(element: Element) -> bool:
    return any(name.startswith(b"operator") for name in element.declares)
