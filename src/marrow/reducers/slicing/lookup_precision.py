"""Lookup precision: how much a mention of a name needs, and sets that are closed under that.

All that the names of a large text may mean (`declaration_graph`) is too much where a name has many
declarations: overloads, specialisations, members that share a name by chance. So there are several
levels of precision, each with more dependencies than the one before:

- bare: a name is looked up in the scopes around it, from the innermost out, or in the one that
  qualifies it; a name that none of them declares is a function elsewhere, or a parameter. Its
  first declaration there is needed, and the first with a list (the class, after its forward
  declarations). The others are *companions*. A specialisation stays if the classes in its arguments
  stay; other companions do not. A function of a class is needed if its name is mentioned as that of
  a member; other members stay with the class.
- lean: overloads stay too, if all that their heads mention stays anyway.
- strict: overloads stay if what tells them from others does, their parameters; and a name that no
  scope around declares is looked up everywhere.
- generous: every declaration of a name is needed, in any scope, and classes stay whole.

A body counts with its element, unless it is emptied. The closure of some roots is the least set
that contains all it needs, found by marking from them: linear in the number of mentions.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

from marrow.base.deadline import look
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Scope
from marrow.tree.outline import Mentions, is_operator


class LookupPrecision(Enum):
    """How much a mention of a name graph."""

    BARE = "bare"
    LEAN = "lean"
    STRICT = "strict"
    GENEROUS = "generous"


def closure(
    graph: DeclarationGraph,
    roots: Iterable[int],
    precision: LookupPrecision,
    emptied: frozenset[int] = frozenset(),
) -> Mapping[int, None]:
    """Return the least closed set with some roots, the nearest first; `emptied` lack bodies."""
    return Closure(graph, precision, emptied).add(roots)


@dataclass(slots=True)
class Closure:
    """A closed set that grows by more roots, and by bodies that are not emptied."""

    graph: DeclarationGraph
    precision: LookupPrecision
    emptied: frozenset[int]
    kept: dict[int, None] = field(default_factory=dict)
    #: The names that what is kept declares.
    names: set[bytes] = field(default_factory=set)
    #: The names that are needed in each scope, and those of members.
    wanted: dict[tuple[Scope, bytes], None] = field(default_factory=dict)
    wanted_members: set[bytes] = field(default_factory=set)
    #: Members of classes that wait for a mention of their names.
    waiting: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))

    def copy(self) -> Closure:
        """Return a copy that grows independently."""
        waiting = defaultdict(list, {name: [*some] for name, some in self.waiting.items()})
        return replace(
            self,
            kept={**self.kept},
            names={*self.names},
            wanted={**self.wanted},
            wanted_members={*self.wanted_members},
            waiting=waiting,
        )

    def add(self, roots: Iterable[int], bodies: Collection[int] = ()) -> Mapping[int, None]:
        """Add what more roots need, and bodies of what is kept; then their companions."""
        pending = deque(roots)
        for index in bodies:
            if index in self.kept:
                pending.extend(self._meant(index, self.graph.elements[index].inside))
        while pending:
            look()
            while pending:
                index = pending.popleft()
                if index in self.kept:
                    continue
                self.kept[index] = None
                element = self.graph.elements[index]
                self.names |= element.declares
                if element.owner >= 0:
                    pending.append(element.owner)
                if element.path:
                    called_inline = self.graph.inline.get(
                        (self.graph.scopes[index], element.path[-1])
                    )
                    pending.extend(() if called_inline is None else (called_inline,))
                if not element.scope and self.graph.words.opens & element.mentions.free:
                    pending.extend(self._opened(element.mentions))
                pending.extend(self._meant(index, element.mentions))
                if element.body is not None and index not in self.emptied:
                    pending.extend(self._meant(index, element.inside))
                if not element.scope:
                    pending.extend(self._members(index))
            pending.extend(self._companions())
        return self.kept

    def _opened(self, mentions: Mentions) -> Iterable[int]:
        """Yield where namespaces are first opened that are mentioned: `using namespace a`."""
        for name in sorted(mentions.words & self.graph.qualifiers.keys()):
            for scope in self.graph.qualifiers[name]:
                yield self.graph.first_opened[scope]

    def _meant(self, index: int, mentions: Mentions) -> Iterable[int]:
        """Yield what some mentions in an element need."""
        graph = self.graph
        generous = self.precision is LookupPrecision.GENEROUS
        own = graph.members_around[index]
        element = graph.elements[index]
        # A function of a class does not mention others of its name, in other classes.
        declares = element.declares if own and not element.listed else frozenset()
        for name in sorted(mentions.free - declares):
            if name in own:
                yield from self._member(name)
                if not generous:
                    continue
            if name not in graph.declarations or element.elsewhere:
                yield from self._member(name)  # of a base, or of the class that it belongs to
            if name in graph.declarations:
                anywhere = self.precision is LookupPrecision.STRICT
                scopes = (
                    graph.declarations[name]
                    if generous
                    else graph.lookup(name, index, anywhere=anywhere)
                )
                yield from self._declared(name, scopes)
        if graph.words.loops & mentions.free:
            for name in sorted(graph.words.loop_members):
                yield from self._member(name)
        for qualifier, name in sorted(mentions.paths):
            yield from self._member(name)
            found = (
                graph.declarations.get(name, {})
                if generous
                else graph.lookup_qualified(qualifier, name, mentions.free)
            )
            yield from self._declared(name, found or ())
        for name in sorted(mentions.members):
            yield from self._member(name)
            if generous:
                yield from self._declared(name, graph.declarations.get(name, {}))

    def _declared(self, name: bytes, scopes: Iterable[Scope]) -> Iterable[int]:
        for scope in scopes:
            if (scope, name) not in self.wanted:
                self.wanted[scope, name] = None
                if self.precision is LookupPrecision.GENEROUS:
                    yield from self.graph.declarations[name][scope]
                else:
                    yield from self.graph.first(name, scope)
                    yield from self.graph.guides.get((scope, name), ())

    def _member(self, name: bytes) -> Iterable[int]:
        if name not in self.wanted_members:
            self.wanted_members.add(name)
            yield from self.waiting.pop(name, ())

    def _members(self, index: int) -> Iterable[int]:
        """Yield the members that stay with a class; the others wait for their names."""
        own = self.graph.elements[index].declares
        for member in self.graph.members.get(index, ()):
            element = self.graph.elements[member]
            names = element.declares
            function = element.function or "function" in element.symbol
            strict = self.precision is not LookupPrecision.GENEROUS
            if (
                not strict
                or not function
                or not element.called
                or names & (own | self.wanted_members)
            ):
                yield member
            else:
                for name in sorted(names):
                    self.waiting[name].append(member)

    def _companions(self) -> Iterable[int]:
        """Yield what declares a wanted name, or none, and is only about what stays."""
        graph, known = self.graph, self.graph.known
        names = self.names.union(name for _, name in self.wanted)
        for index in graph.companions:
            element = graph.elements[index]
            bare = self.precision is LookupPrecision.BARE and not element.listed
            # The value of a constant that a class declares stays.
            if index in self.kept or (bare and not (element.elsewhere and element.body is None)):
                continue
            if element.elsewhere and index in self.emptied:
                continue
            if element.elsewhere:  # of a member that stays
                wanted = element.declares <= names
            else:
                scope = graph.scopes[index]
                wanted = any((scope, name) in self.wanted for name in element.declares)
            if not wanted and element.declares and not any(map(is_operator, element.declares)):
                continue
            if element.listed:
                about = element.keys & graph.classes
            elif self.precision is LookupPrecision.LEAN:
                about = element.mentions.words & known
            else:
                about = element.keys & known
            if about <= names:
                yield index
        for region in graph.regions:
            inside = range(region[0] + 1, region[-1])
            if region[0] not in self.kept and any(one in self.kept for one in inside):
                yield from region
