"""Slice repair: a slice that failed gets back what the output of its test says is missing.

A name in a message is looked up among the declarations that the slice left out, those of its
classes included; where the message names scopes too, only there. If the slice has all of them,
bodies that it left out come back: a compiler may need them for constants and types.

Guarantee: none. It is a guess like the graph itself, and the test judges it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final, NamedTuple

from marrow.diagnostics.missing_names import Diagnostic, messages
from marrow.reducers.slicing.declaration_graph import DeclarationGraph
from marrow.reducers.slicing.lookup_precision import LookupPrecision, closure
from marrow.tree.outline import is_operator

# At most this many declarations of a name are added at once; of more, those that need nothing else.
_MANY: Final = 12


class Slice(NamedTuple):
    """What a slice keeps, and which of that it keeps without the body."""

    kept: Collection[int]
    emptied: Collection[int] = ()


class Missing(NamedTuple):
    """What a slice lacks: elements, and bodies of elements that it has."""

    elements: frozenset[int]
    bodies: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.elements or self.bodies)


class SliceRepair:
    """Finds what is missing in slices of some elements."""

    def __init__(self, graph: DeclarationGraph, usual: Collection[bytes] = ()) -> None:
        """`usual` are the words of messages of the failure itself."""
        self._graph: Final = graph
        self._usual: Final = usual

    @cached_property
    def _operators(self) -> dict[bytes, list[int]]:
        """The operators about each class: no message names them."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self._graph.elements):
            if any(map(is_operator, element.declares)):
                for name in sorted(element.keys & self._graph.known):
                    found[name].append(index)
        return found

    @cached_property
    def _nameless(self) -> dict[bytes, list[int]]:
        """The operators that declare no name, by the words of their heads: `operator bool`."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self._graph.elements):
            if not element.declares and self._graph.words.operator & element.mentions.free:
                for name in sorted(element.mentions.free):
                    found[name].append(index)
        return found

    def missing(self, output: bytes, part: Slice) -> Missing:
        """Return what the messages of an output say is missing in a slice."""
        elements: set[int] = set()
        bodies: set[int] = set()
        for message in messages(output, self._usual):
            more = self._by_message(message, part)
            elements |= more.elements
            bodies |= more.bodies
        return Missing(frozenset(elements), frozenset(bodies))

    def missing_of(
        self, output: bytes, deleted: Collection[int], emptied: Collection[int]
    ) -> Missing:
        """Return what must not be deleted, or lack its body, as an output says."""
        kept = frozenset(range(len(self._graph.elements))).difference(deleted)
        return self.missing(output, Slice(kept, emptied))

    def with_needs(self, missing: Missing, emptied: Collection[int]) -> Collection[int]:
        """Return the elements that are missing, and all that they need; `emptied` lack bodies."""
        roots = sorted(missing.elements | missing.bodies)
        left = frozenset(emptied) - missing.bodies
        return closure(self._graph, roots, LookupPrecision.BARE, left) if roots else ()

    def _by_message(self, message: Diagnostic, part: Slice) -> Missing:
        near = (message.named, message.marked)
        if message.about_definition:
            elsewhere = self._elsewhere(message, part.kept)
            bodies = self._emptied(near, part, message.around) | elsewhere
            if bodies or (bodies := self._virtual(message, part)):
                return Missing(elsewhere, bodies)
        for tiers in (near, (message.noted,)):
            for names in tiers:
                elements = self._left_out(names, message, part.kept)
                if elements:
                    return Missing(elements, frozenset())
            if bodies := self._emptied(tiers, part):
                return Missing(frozenset(), bodies)
            for names in tiers:
                found = (one for name in sorted(names) for one in self._operators.get(name, ()))
                left = [one for one in found if one not in part.kept]
                if operators := frozenset(one for one in left if self._in_reach(one, part.kept)):
                    return Missing(operators, frozenset())
        return Missing(frozenset(), frozenset())

    def _emptied(
        self,
        tiers: Iterable[Iterable[bytes]],
        part: Slice,
        around: frozenset[bytes] = frozenset(),
    ) -> frozenset[int]:
        """Return what lacks its body and declares one of the first names for which something does.

        Of several, those with most of the scopes that the message names.
        """
        for names in tiers:
            called = [*self._all(names)]
            if self._graph.words.operator & around:
                called += (one for name in sorted(names) for one in self._nameless.get(name, ()))
            bodies = [one for one in called if one in part.kept and one in part.emptied]
            scored = {one: len(around.intersection(self._around(one))) for one in bodies}
            if bodies:
                most = max(scored.values())
                return frozenset(one for one in bodies if scored[one] == most)
        return frozenset()

    def _elsewhere(self, message: Diagnostic, kept: Collection[int]) -> frozenset[int]:
        """Return the definitions outside of their classes that a linker misses."""
        if not message.around:
            return frozenset()
        elements = self._graph.elements
        left = [one for one in self._all(message.named) if one not in kept]
        outside = [one for one in left if elements[one].elsewhere and elements[one].body]
        words = {one: elements[one].mentions.words for one in outside}
        scored = {one: len(message.around & words[one]) for one in outside}
        most = max(scored.values(), default=0)
        return frozenset(one for one in outside if most and scored[one] == most)

    def _virtual(self, message: Diagnostic, part: Slice) -> frozenset[int]:
        """Return what lacks its body of the functions whose table a linker misses."""
        if not message.around & self._graph.words.tables:
            return frozenset()
        inside = (one for at in self._all(message.named) for one in self._graph.members.get(at, ()))
        emptied = (one for one in inside if one in part.emptied)
        virtual = self._graph.words.virtual
        return frozenset(
            one for one in emptied if self._graph.elements[one].mentions.free & virtual
        )

    def _all(self, names: Iterable[bytes]) -> Iterable[int]:
        for name in sorted(names):
            yield from self._graph.declaring.get(name, ())

    def _left_out(
        self, names: Iterable[bytes], message: Diagnostic, kept: Collection[int]
    ) -> frozenset[int]:
        """Return the declarations of some names that are not kept: in kept classes, or outside."""
        found: set[int] = set()
        for name in sorted(names):
            left = [
                one
                for one in self._graph.declaring.get(name, ())
                if one not in kept and self._in_reach(one, kept)
            ]
            found.update(self._best(left, message, kept))
        return frozenset(found)

    def _around(self, index: int) -> Iterable[bytes]:
        """Return the names of what contains a declaration."""
        if self._graph.visible[index]:
            return self._graph.scopes[index]
        return self._graph.elements[self._graph.elements[index].owner].declares

    def _in_reach(self, index: int, kept: Collection[int]) -> bool:
        return self._graph.visible[index] or self._graph.elements[index].owner in kept

    def _best(self, left: list[int], message: Diagnostic, kept: Collection[int]) -> list[int]:
        """Return those of some declarations that a message is most likely about."""
        if len(left) < 2:
            return left
        words = message.named | message.marked
        scored = {one: len(words.intersection(self._around(one))) for one in left}
        most = max(scored.values())
        best = [one for one in left if scored[one] == most]
        if len(best) > _MANY:
            declared = {name for one in kept for name in self._graph.elements[one].declares}
            known = self._graph.known
            modest = [one for one in best if self._graph.elements[one].keys & known <= declared]
            best = modest or best
        return best
