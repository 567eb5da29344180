"""The declaration graph: which declarations depend on which, from names and scopes alone.

Its nodes are the elements of an outline (`marrow.tree.outline`): declarations, and whatever else is
in their lists. An element depends on the declarations of the names it mentions, and on the element
that contains it. Slices, cuts, runs and repairs all work on this graph: `lookup_precision` closes a
set of elements under dependencies, `dependents` under dependents, `dominators` has the paths.

Names are resolved as far as scopes tell; types are unknown. So the graph is an approximation, and
the test decides whether the rest compiles.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Final, Self, TypeAlias, TypeVar

from marrow.base.deadline import look
from marrow.reducers.slicing.dominators import Reachability, dominated, reversed_edges
from marrow.tree.outline import DeclarationOutline, Element, Mentions

#: The names of the namespaces around something, from the outermost in; inline ones do not count.
Scope: TypeAlias = tuple[bytes, ...]

K = TypeVar("K")
V = TypeVar("V")

# The words in the kinds of declarations of types.
_TYPES: Final = ("type", "alias", "class", "struct", "enum", "union")


class Unit(int):
    """An element, or its body alone: what can be deleted.

    As a number, so that large sets of them are quick: twice the index, and one more for a body.
    """

    __slots__ = ()

    def __new__(cls, at: int, *, body: bool = False) -> Self:
        """Return the unit of an element."""
        return super().__new__(cls, 2 * at + body)

    @property
    def at(self) -> int:
        """The index of the element."""
        return self >> 1

    @property
    def body(self) -> bool:
        """Whether it is the body alone."""
        return bool(self & 1)


#: The units of an outline that are deleted.
Deleted: TypeAlias = frozenset[Unit]


class DeclarationGraph:
    """The graph of an outline. Parts of it are computed when they are needed."""

    def __init__(self, outline: DeclarationOutline) -> None:
        self.elements: Final = outline.elements
        self.words: Final = outline.words
        #: The declaration that all others are there for.
        self.last: Final = outline.last
        #: What the roots reach without what is deleted.
        self.reachable: Final = lru_cache(maxsize=1)(self._find_reachable)

    # -- The index: what declares which name, and what contains what ------------------------------

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The elements that each element contains."""
        return grouped((element.owner, index) for index, element in enumerate(self.elements))

    @cached_property
    def declaring(self) -> dict[bytes, list[int]]:
        """The elements that declare each name, in any scope; namespaces excluded."""
        return self.by_name(lambda one: () if one.scope else one.declares)

    def by_name(self, names: Callable[[Element], Iterable[bytes]]) -> dict[bytes, list[int]]:
        """Return the elements by some names of each."""
        every = enumerate(self.elements)
        return grouped((name, index) for index, one in every for name in names(one))

    @cached_property
    def visible(self) -> list[bool]:
        """Whether an element's names are visible outside of its container: not in a class."""
        found: list[bool] = []
        for element in self.elements:
            owner = element.owner
            found.append(owner < 0 or (found[owner] and self.elements[owner].scope))
        return found

    @cached_property
    def scopes(self) -> list[Scope]:
        """The scope around each element, and that of its own members if it is one."""
        found: list[Scope] = []
        for element in self.elements:
            around = () if element.owner < 0 else found[element.owner]
            own = [name for name in element.path or () if name not in self._inline_names]
            found.append((*around, *own) if own else around)
        return found

    @cached_property
    def _inline_names(self) -> frozenset[bytes]:
        """The namespaces whose names do not count in scopes."""
        inline = (one.path for one in self.elements if one.path and self._is_inline(one))
        return frozenset(path[-1] for path in inline)

    def _is_inline(self, element: Element) -> bool:
        return bool(self.words.transparent & element.mentions.free)

    @cached_property
    def inline(self) -> dict[tuple[Scope, bytes], int]:
        """Where inline namespaces are first called so, by the scope around them and their name.

        Later ones may leave the word out.
        """
        found: dict[tuple[Scope, bytes], int] = {}
        for index, element in enumerate(self.elements):
            if element.path and self._is_inline(element):
                found.setdefault((self.scopes[index], element.path[-1]), index)
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
        """The scopes that each name of a namespace may mean."""
        return grouped((scope[-1], scope) for scope in dict.fromkeys(self.scopes) if scope)

    @cached_property
    def first_opened(self) -> dict[Scope, int]:
        """The first element that opens each namespace, or is in it."""
        found: dict[Scope, int] = {}
        for index, scope in enumerate(self.scopes):
            found.setdefault(scope, index)
        return found

    @cached_property
    def class_members(self) -> dict[int, frozenset[bytes]]:
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
    def members_around(self) -> list[frozenset[bytes]]:
        """The names that are members of the classes around each element, its own included."""
        found: list[frozenset[bytes]] = []
        for index, element in enumerate(self.elements):
            above = found[element.owner] if element.owner >= 0 else frozenset()
            found.append(
                frozenset() if element.scope else above | self.class_members.get(index, above)
            )
        return found

    @cached_property
    def companions(self) -> list[int]:
        """What may stay without being mentioned: neither directives nor assertions."""
        return [
            index
            for index, element in enumerate(self.elements)
            if self.visible[index]
            and not (element.scope and self.members.get(index))
            and not element.symbol.startswith("preproc")
            and not is_check(element)
        ]

    def is_constant(self, element: Element) -> bool:
        """Return whether an element is a function that may be computed at compile time."""
        return bool(self.words.constant & element.mentions.free)

    @cached_property
    def bodies(self) -> frozenset[int]:
        """The functions with a body that they may do without.

        Others are useless without one, or where they are called.
        """
        found: list[int] = []
        for index, element in enumerate(self.elements):
            owner = element.owner
            creates = owner >= 0 and bool(element.declares & self.elements[owner].declares)
            needed = self.words.needs_body & element.mentions.free or (
                creates and self.is_constant(element)
            )
            if element.body is not None and not needed:
                found.append(index)
        return frozenset(found)

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
    def guides(self) -> dict[tuple[Scope, bytes], list[int]]:
        """The deduction guides of each class: without them its name needs arguments.

        They look like functions with the name of the class. No message says that a constraint
        misses one: the constraint just fails.
        """
        return grouped(
            ((self.scopes[index], name), index)
            for index, element in enumerate(self.elements)
            if element.function and element.further and not element.elsewhere
            for name in sorted(element.declares & self.classes)
        )

    @cached_property
    def opened(self) -> frozenset[Scope]:
        """The scopes whose names are visible elsewhere too: `using namespace std`."""
        names: set[bytes] = set()
        for element in self.elements:
            if "using" in element.symbol and self.words.opens & element.mentions.free:
                names |= element.mentions.words
        return frozenset(scope for name in names for scope in self.qualifiers.get(name, ()))

    def lookup(self, name: bytes, index: int, *, anywhere: bool = True) -> Iterable[Scope]:
        """Return the scopes in which an unqualified name of an element is found.

        That is the innermost scope around the element that declares it. If none does, it is any
        scope that declares it. Or, if not `anywhere`, only those that are visible elsewhere, and
        those where it is not a type: functions are found by the types of their arguments.
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
        """Directives that hold for what is between them: `#pragma pack(push, 1)`, and its end.

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

    def lookup_qualified(
        self, qualifier: bytes, name: bytes, local: frozenset[bytes] = frozenset()
    ) -> Iterable[Scope] | None:
        """Return the scopes in which a qualified name is found; None if it is a member.

        `local` are the words of a body, which may have an alias of its own for a namespace.
        """
        scopes = self.qualifiers.get(qualifier) if qualifier else [()]
        found = self.declarations.get(name, {})
        if scopes is None:
            renamed = qualifier in self.aliases or (
                self.words.opens & local and qualifier in local and qualifier not in self.known
            )
            return found if renamed else None
        return [one for one in scopes if one in found] or found

    def first(self, name: bytes, scope: Scope) -> list[int]:
        """Return the one or two declarations of a name in a scope that a mention needs at least."""
        chosen: dict[bool, int] = {}
        for index in self.declarations.get(name, {}).get(scope, ()):
            element = self.elements[index]
            if not element.further:
                chosen.setdefault(False, index)
                if element.listed:
                    chosen.setdefault(True, index)
        return sorted(set(chosen.values()))

    # -- The edges: what depends on what ----------------------------------------------------------

    @cached_property
    def dependencies(self) -> list[list[int]]:
        """The units that each unit depends on: an element and its body by themselves.

        An element keeps its body, its members and its container. A body can be deleted without the
        rest, so it has its own dependencies. Operators and others without a name are dependencies
        of the classes that they are about.
        """
        found: list[list[int]] = []
        units = [*map(Unit, range(len(self.elements)))].__getitem__
        for at in range(len(self.elements)):
            head, body = self._dependencies(at, body=False), self._dependencies(at, body=True)
            own = [Unit(at, body=True)] if body else []
            found += [[*map(units, head), *own], [*map(units, body)]]
        return found

    def _dependencies(self, index: int, *, body: bool) -> list[int]:
        look()
        element = self.elements[index]
        found: dict[int, None] = {}
        if not element.scope:
            for name, scopes in self._lookups(element.inside if body else element.mentions, index):
                for scope in scopes:
                    found.update(dict.fromkeys(self.declarations[name][scope]))
        if not body:
            if not element.scope:
                found.update(dict.fromkeys(self.members.get(index, ())))
                for name in sorted(element.declares):
                    found.update(dict.fromkeys(self._nameless.get(name, ())))
            if element.owner >= 0:
                found[element.owner] = None
        found.pop(index, None)
        return list(found)

    def _lookups(self, mentions: Mentions, index: int) -> Iterator[tuple[bytes, Iterable[Scope]]]:
        for name in sorted(mentions.free):
            yield name, self.lookup(name, index)
        for qualifier, name in sorted(mentions.paths):
            yield name, self.lookup_qualified(qualifier, name) or ()

    @cached_property
    def _nameless(self) -> dict[bytes, list[int]]:
        """What has no name to mention, such as operators, by the classes that it is about."""
        return grouped(
            (name, index)
            for index, element in enumerate(self.elements)
            if self.visible[index] and not element.scope and not element.called
            for name in sorted(element.keys & self.classes)
        )

    @cached_property
    def _predecessors(self) -> list[list[int]]:
        return reversed_edges(self.dependencies)

    @cached_property
    def roots(self) -> list[Unit]:
        """The last declaration, and all that no other element depends on."""
        roots = [Unit(self.last)]
        reached = Reachability(self.dependencies, (), roots).reached
        for index in reversed(range(len(self.elements))):
            unit = Unit(index)
            if not reached[unit] and not self.elements[index].scope:
                roots.append(unit)
                pending: list[int] = [unit]
                for one in pending:  # it grows
                    if not reached[one]:
                        reached[one] = True
                        pending += self.dependencies[one]
        return roots

    def _find_reachable(self, deleted: Deleted) -> Reachability:
        return Reachability(self.dependencies, self._predecessors, self.roots, deleted)

    def dominated(self, deleted: Deleted) -> dict[int, list[int]]:
        """Return the elements that each element dominates immediately, of what is not deleted."""
        top = len(self.elements)
        roots = [one.at for one in self.roots if one not in deleted]
        return dominated(top, lambda at: roots if at == top else self._successors(at, deleted))

    def _successors(self, index: int, deleted: Deleted) -> list[int]:
        head, body = self.dependencies[2 * index], self.dependencies[2 * index + 1]
        found = head if Unit(index, body=True) in deleted else [*head, *body]
        return [one >> 1 for one in found if not one & 1 and one not in deleted]


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, in their order."""
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _is_type(element: Element) -> bool:
    """Return whether an element declares a type, as far as its kind tells."""
    return element.listed or any(word in element.symbol for word in _TYPES)


def is_check(element: Element) -> bool:
    """Return whether an element is an assertion, which declares nothing."""
    return element.symbol.startswith("static_assert")
