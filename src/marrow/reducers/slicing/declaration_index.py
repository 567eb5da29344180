"""The graph of what needs what, from names and scopes alone, at the level of list elements.

An element needs what declares the names that it mentions, and what it stands in. Here is who
declares which name, what stands in what, and where a name is looked up. How much of that a mention
needs is a matter of reading it (`slicing.lookup_precision`). All of it is an approximation: whether
the rest compiles is for the test to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from marrow.tree.outline import Element

#: The names of the namespaces around something, from the outermost in; inline ones do not count.
Scope: TypeAlias = tuple[bytes, ...]

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
            own = (name for name in element.path or () if name not in self._inline_names)
            found.append((*around, *own))
        return found

    @cached_property
    def _inline_names(self) -> frozenset[bytes]:
        """The namespaces whose names do not count in scopes."""
        inline = (one.path for one in self.elements if one.path and _is_inline(one))
        return frozenset(path[-1] for path in inline)

    @cached_property
    def inline(self) -> dict[tuple[Scope, bytes], int]:
        """Where inline namespaces are first called so, by the scope around them and their name.

        Later ones may leave the word out.
        """
        found: dict[tuple[Scope, bytes], int] = {}
        for index, element in enumerate(self.elements):
            if element.path and _is_inline(element):
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
    def own_around(self) -> list[frozenset[bytes]]:
        """The names that are members of the classes around each element, its own included."""
        found: list[frozenset[bytes]] = []
        for index, element in enumerate(self.elements):
            above = found[element.owner] if element.owner >= 0 else frozenset()
            found.append(frozenset() if element.scope else above | self.own.get(index, above))
        return found

    @cached_property
    def guests(self) -> list[int]:
        """What may stay without being mentioned: neither directives nor assertions."""
        return [
            index
            for index, element in enumerate(self.elements)
            if self.visible[index]
            and not (element.scope and self.members.get(index))
            and not element.symbol.startswith("preproc")
            and not is_check(element)
        ]

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
        """The deduction guides of each class: without them it cannot be named without arguments.

        They look like functions that are called as the class is. No message tells that one is
        missing where constraints ask for it: they just fail.
        """
        found: dict[tuple[Scope, bytes], list[int]] = defaultdict(list)
        for index, element in enumerate(self.elements):
            if element.function and element.further and not element.elsewhere:
                for name in sorted(element.declares & self.classes):
                    found[self.scopes[index], name].append(index)
        return found

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


def _is_type(element: Element) -> bool:
    """Return whether an element declares a type, as far as its kind tells."""
    return element.listed or any(word in element.symbol for word in _TYPES)


def _is_inline(element: Element) -> bool:
    return b"inline" in element.mentions.free


def is_check(element: Element) -> bool:
    """Return whether an element is there to be checked, and declares nothing."""
    return element.symbol.startswith("static_assert")
