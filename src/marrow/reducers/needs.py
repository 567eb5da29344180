"""The graph of what needs what, from names and scopes alone, at the level of list elements.

An element needs what declares the names that it mentions, and what it stands in. That says too much
for names with many declarations: overloads, specialisations, members that happen to be called
alike. So there are several ways to read it (`Reading`), each with more than the one before:

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
number of mentions. It is an approximation: whether the rest compiles is for the test to say.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Final, TypeAlias

from marrow.deadline import look
from marrow.tree.outline import Element, Mentions


class Reading(Enum):
    """How much a mention of a name needs."""

    BARE = "bare"
    LEAN = "lean"
    STRICT = "strict"
    GENEROUS = "generous"


#: The names of the namespaces around something, from the outermost in; inline ones do not count.
Scope: TypeAlias = tuple[bytes, ...]


# The members that a word needs without naming them: a loop over a range, in C++.
_IMPLIED: Final[Mapping[bytes, tuple[bytes, ...]]] = {b"for": (b"begin", b"end")}

# The words in the kinds of declarations of types.
_TYPES: Final = ("type", "alias", "class", "struct", "enum", "union")


class Needs:
    """The graph of some elements. Parts of it are computed when they are asked for."""

    def __init__(self, elements: Sequence[Element]) -> None:
        self.elements: Final = elements

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The elements that stand in each element."""
        found: dict[int, list[int]] = defaultdict(list)
        for index, element in enumerate(self.elements):
            found[element.owner].append(index)
        return found

    @cached_property
    def declaring(self) -> dict[bytes, list[int]]:
        """The elements that declare each name, wherever they stand; those of namespaces apart."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self.elements):
            for name in () if element.scope else element.declares:
                found[name].append(index)
        return found

    @cached_property
    def visible(self) -> list[bool]:
        """Whether an element's names are visible outside of what it stands in: not in a class."""
        found: list[bool] = []
        for element in self.elements:
            owner = element.owner
            found.append(owner < 0 or (found[owner] and self.elements[owner].scope))
        return found

    @cached_property
    def scopes(self) -> list[Scope]:
        """The scope that each element stands in, and that of its own members if it is one."""
        found: list[Scope] = []
        for element in self.elements:
            around = () if element.owner < 0 else found[element.owner]
            own = (name for name in element.path or () if name not in self.inline)
            found.append((*around, *own))
        return found

    @cached_property
    def inline(self) -> dict[bytes, int]:
        """The namespaces whose names do not count in scopes, where each is first called inline."""
        found: dict[bytes, int] = {}
        for index, element in enumerate(self.elements):
            if element.path and b"inline" in element.mentions.free:
                found.setdefault(element.path[-1], index)
        return found

    @cached_property
    def declarations(self) -> dict[bytes, dict[Scope, list[int]]]:
        """Which elements declare each name that is visible everywhere, by scope."""
        found: dict[bytes, dict[Scope, list[int]]] = defaultdict(dict)
        for index, element in enumerate(self.elements):
            if self.visible[index] and not element.scope:
                for name in element.declares:
                    found[name].setdefault(self.scopes[index], []).append(index)
        return found

    @cached_property
    def qualifiers(self) -> dict[bytes, list[Scope]]:
        """The scopes that each name of a namespace may stand for."""
        found: dict[bytes, list[Scope]] = defaultdict(list)
        for scope in dict.fromkeys(self.scopes):
            if scope:
                found[scope[-1]].append(scope)
        return found

    @cached_property
    def first_opened(self) -> dict[Scope, int]:
        """The first element that opens each namespace, or stands in it."""
        found: dict[Scope, int] = {}
        for index, scope in enumerate(self.scopes):
            found.setdefault(scope, index)
        return found

    @cached_property
    def own(self) -> dict[int, frozenset[bytes]]:
        """The names that the members of each class declare, and the class itself.

        What a class takes over from another (`using Base::Base`) is declared elsewhere.
        """
        names: dict[int, set[bytes]] = defaultdict(set)
        for element in self.elements:
            owner = element.owner
            if owner >= 0 and not self.elements[owner].scope and "using" not in element.symbol:
                names[owner] |= element.declares
        return {index: frozenset(found) for index, found in names.items()}

    @cached_property
    def known(self) -> frozenset[bytes]:
        """The names that are declared, those of namespaces too."""
        scopes = (name for one in self.elements if one.scope for name in one.declares)
        return frozenset((*self.declarations, *scopes))

    @cached_property
    def classes(self) -> frozenset[bytes]:
        """The names that are declared with a list."""
        listed = (one for one in self.elements if one.listed and not one.scope)
        return frozenset(name for one in listed for name in one.declares)

    @cached_property
    def opened(self) -> frozenset[Scope]:
        """The scopes that are seen from elsewhere too: `using namespace std`."""
        names: set[bytes] = set()
        for element in self.elements:
            if "using" in element.symbol and b"namespace" in element.mentions.free:
                names |= element.mentions.words
        return frozenset(scope for name in names for scope in self.qualifiers.get(name, ()))

    def meant(self, name: bytes, index: int, *, anywhere: bool = True) -> Iterable[Scope]:
        """Return the scopes that a name without a qualifier is looked up in, from an element.

        That is the innermost around that declares it. If none around does, it is any of them, or
        else only those that are seen from elsewhere, and those where it is no type: functions are
        found by the types of their arguments.
        """
        found, scope = self.declarations.get(name, {}), self.scopes[index]
        for depth in range(len(scope), -1, -1):
            if scope[:depth] in found:
                return (scope[:depth],)
        if anywhere:
            return found
        return [
            one
            for one, declared in found.items()
            if one in self.opened or not any(_is_type(self.elements[at]) for at in declared)
        ]

    @cached_property
    def regions(self) -> list[tuple[int, ...]]:
        """Directives that hold for what stands between them: `#pragma pack(push, 1)`, and its end.

        Each region has the directive that begins it, those inside of it, and the one that ends it.
        """
        found: list[tuple[int, ...]] = []
        open_ones: list[list[int]] = []
        for index, element in enumerate(self.elements):
            if not element.symbol.startswith("preproc"):
                continue
            words = element.mentions.words
            if any(word.startswith(b"push") for word in words):
                open_ones.append([])
            if open_ones:
                open_ones[-1].append(index)
                if any(word.startswith(b"pop") for word in words):
                    found.append(tuple(open_ones.pop()))
        return found

    @cached_property
    def aliases(self) -> frozenset[bytes]:
        """Other names for namespaces."""
        found = (one.declares for one in self.elements if one.symbol.startswith("namespace_alias"))
        return frozenset(name for names in found for name in names)

    def meant_by(
        self, qualifier: bytes, name: bytes, local: frozenset[bytes] = frozenset()
    ) -> Iterable[Scope] | None:
        """Return the scopes that a qualified name is looked up in; None if it is a member.

        `local` are the words of a body, which may have a name of its own for a namespace.
        """
        scopes = self.qualifiers.get(qualifier) if qualifier else [()]
        found = self.declarations.get(name, {})
        if scopes is None:
            renamed = qualifier in self.aliases or (
                b"namespace" in local and qualifier in local and qualifier not in self.known
            )
            return found if renamed else None
        return [one for one in scopes if one in found] or found

    def first(self, name: bytes, scope: Scope) -> list[int]:
        """Return the declarations that a mention needs in the strict reading: one, or two."""
        chosen: dict[bool, int] = {}
        for index in self.declarations.get(name, {}).get(scope, ()):
            element = self.elements[index]
            if not element.further:
                chosen.setdefault(False, index)
                if element.listed:
                    chosen.setdefault(True, index)
        return sorted(set(chosen.values()))

    def closure(
        self, roots: Iterable[int], reading: Reading, emptied: Container[int] = ()
    ) -> Mapping[int, None]:
        """Return the least closed set with some roots, the nearest first; `emptied` lack bodies."""
        return _Marking(self, reading, emptied).closed(roots)


@dataclass(slots=True)
class _Marking:
    """A closure under way."""

    needs: Needs
    reading: Reading
    emptied: Container[int]
    kept: dict[int, None] = field(default_factory=dict)
    #: The names that are needed in each scope, and those of members.
    wanted: dict[tuple[Scope, bytes], None] = field(default_factory=dict)
    wanted_members: set[bytes] = field(default_factory=set)
    #: Members of classes that wait for a mention of their names.
    waiting: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))

    def closed(self, roots: Iterable[int]) -> Mapping[int, None]:
        """Mark all that some roots need, then let the guests in."""
        pending = deque(roots)
        while pending:
            look()
            while pending:
                index = pending.popleft()
                if index in self.kept:
                    continue
                self.kept[index] = None
                element = self.needs.elements[index]
                if element.owner >= 0:
                    pending.append(element.owner)
                if element.path and element.path[-1] in self.needs.inline:
                    pending.append(self.needs.inline[element.path[-1]])
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
        own = self._own(index)
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

    def _own(self, index: int) -> frozenset[bytes]:
        """Return the names that are members of the classes around an element."""
        found: frozenset[bytes] = frozenset()
        while index >= 0 and not self.needs.elements[index].scope:
            found |= self.needs.own.get(index, frozenset())
            index = self.needs.elements[index].owner
        return found

    def _declared(self, name: bytes, scopes: Iterable[Scope]) -> Iterable[int]:
        for scope in scopes:
            if (scope, name) not in self.wanted:
                self.wanted[scope, name] = None
                if self.reading is Reading.GENEROUS:
                    yield from self.needs.declarations[name][scope]
                else:
                    yield from self.needs.first(name, scope)

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
        names = {name for index in self.kept for name in needs.elements[index].declares}
        names |= {name for _, name in self.wanted}
        for index, element in enumerate(needs.elements):
            if index in self.kept or not needs.visible[index] or _never_guest(element):
                continue
            if element.scope and needs.members.get(index):
                continue
            if element.elsewhere and index in self.emptied:
                continue
            signs = {name for name in element.declares if name.startswith(b"operator")}
            scope = needs.scopes[index]
            wanted = any((scope, name) in self.wanted for name in element.declares)
            if element.elsewhere:  # of a member that stays
                wanted = element.declares <= names
            if element.declares and not signs and not wanted:
                continue
            if element.listed:
                about = element.keys & needs.classes
            elif self.reading is Reading.BARE:
                if not element.elsewhere or element.body is not None:
                    continue  # but constants of a class stay, which have their values elsewhere
                about = element.keys & known
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


def _is_type(element: Element) -> bool:
    """Return whether an element declares a type, as far as its kind tells."""
    return element.listed or any(word in element.symbol for word in _TYPES)


def is_check(element: Element) -> bool:
    """Return whether an element is there to be checked, and declares nothing."""
    return element.symbol.startswith("static_assert")


def _never_guest(element: Element) -> bool:
    """Return whether an element is one that few failures are about: a directive, an assertion."""
    return element.symbol.startswith("preproc") or is_check(element)
