"""The graph of what needs what, from names and scopes alone, at the level of list elements.

An element needs what declares the names that it mentions, and what it stands in. That says too much
for names with many declarations: overloads, specialisations, members that happen to be called
alike. So there are two ways to read it (`Reading`):

- strict: the first declaration of a name is needed, and the first that has a list (the class, after
  its forward declarations). Every other one is a *guest*: it stays if all that it mentions stays
  anyway. A function of a class is needed if its name is mentioned; other members stay with it.
- generous: every declaration of a name is needed, and classes stay whole.

Bodies count with the element, unless they are emptied. A set of elements that holds all it needs is
*closed*; the closure of some roots is the least such set, found by marking from them: linear in the
number of mentions. It is an approximation: whether the rest compiles is for the test to say.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

from marrow.deadline import look
from marrow.tree.outline import Element


class Reading(Enum):
    """How much a mention of a name needs."""

    STRICT = "strict"
    GENEROUS = "generous"


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
    def visible(self) -> list[bool]:
        """Whether an element's names are visible outside of what it stands in: not in a class."""
        found: list[bool] = []
        for element in self.elements:
            owner = element.owner
            found.append(owner < 0 or (found[owner] and self.elements[owner].scope))
        return found

    @cached_property
    def declarations(self) -> dict[bytes, list[int]]:
        """Which elements declare each name that is visible everywhere."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self.elements):
            if self.visible[index] and not element.scope:
                for name in element.declares:
                    found[name].append(index)
        return found

    @cached_property
    def first(self) -> dict[bytes, list[int]]:
        """The declarations that a mention needs in the strict reading, one or two a namespace."""
        found: dict[bytes, list[int]] = {}
        for name, indices in self.declarations.items():
            chosen: dict[tuple[tuple[bytes, ...], bool], int] = {}
            for index in indices:
                element = self.elements[index]
                where = self.scopes[index]
                if not element.elsewhere:
                    chosen.setdefault((where, False), index)
                    if element.listed:
                        chosen.setdefault((where, True), index)
            found[name] = sorted(set(chosen.values()))
        return found

    @cached_property
    def scopes(self) -> list[tuple[bytes, ...]]:
        """The names of the namespaces that each element stands in."""
        found: list[tuple[bytes, ...]] = []
        for element in self.elements:
            owner = element.owner
            if owner < 0:
                found.append(())
            else:
                names = b" ".join(sorted(self.elements[owner].declares))
                found.append((*found[owner], names))
        return found

    @cached_property
    def known(self) -> frozenset[bytes]:
        """The names that are declared, those of namespaces too."""
        scopes = (name for one in self.elements if one.scope for name in one.declares)
        return frozenset((*self.declarations, *scopes))

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

    def closed(self, roots: Iterable[int]) -> Mapping[int, None]:
        """Mark all that some roots need, then let the guests in."""
        needs = self.needs
        strict = self.reading is Reading.STRICT
        declarations = needs.first if strict else needs.declarations
        kept: dict[int, None] = {}
        wanted: set[bytes] = set()
        in_classes: dict[bytes, list[int]] = defaultdict(list)
        pending = deque(roots)
        while pending:
            look()
            while pending:
                index = pending.popleft()
                if index in kept:
                    continue
                kept[index] = None
                element = needs.elements[index]
                if element.owner >= 0:
                    pending.append(element.owner)
                for name in sorted(self._mentions(index) - wanted):
                    wanted.add(name)
                    pending.extend(declarations.get(name, ()))
                    pending.extend(in_classes.pop(name, ()))
                if not element.scope:
                    pending.extend(self._members(index, wanted, in_classes, strict=strict))
            pending.extend(self._guests(kept, wanted))
        return kept

    def _mentions(self, index: int) -> frozenset[bytes]:
        element = self.needs.elements[index]
        if element.body is None or index in self.emptied:
            return element.mentions
        return element.mentions | element.inside

    def _members(
        self,
        index: int,
        wanted: set[bytes],
        in_classes: dict[bytes, list[int]],
        *,
        strict: bool,
    ) -> Iterable[int]:
        """Yield the members that stay with a class; the others wait for their names."""
        own = self.needs.elements[index].declares
        for member in self.needs.members.get(index, ()):
            element = self.needs.elements[member]
            names = element.declares
            called = [one for one in names if not one.startswith(b"operator")]
            function = element.body is not None or "function" in element.symbol
            if not strict or not function or not called or names & own or names & wanted:
                yield member
            else:
                for name in sorted(names):
                    in_classes[name].append(member)

    def _guests(self, kept: Container[int], wanted: set[bytes]) -> Iterable[int]:
        """Yield what declares a wanted name, or none, and mentions nothing that is not wanted."""
        known = self.needs.known
        for index, element in enumerate(self.needs.elements):
            if index in kept or not self.needs.visible[index]:
                continue
            if element.scope and self.needs.members.get(index):
                continue
            if element.elsewhere and index in self.emptied:
                continue
            signs = {name for name in element.declares if name.startswith(b"operator")}
            if element.declares and not signs and not element.declares & wanted:
                continue
            if all(one in wanted or one not in known for one in element.keys):
                yield index
