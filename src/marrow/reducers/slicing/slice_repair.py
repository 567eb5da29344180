"""Slice repair: a slice that failed gets back what the output of its test says is missing.

A name in a message is looked up among the declarations that the slice left out, those of its
classes included; where the message names scopes too, only there. If the slice has all of them,
bodies that it left out come back: a compiler may need them for constants and types.

Guarantee: none. It is a guess like the graph itself, and the test judges it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import Final

from marrow.diagnostics.missing_names import Diagnostic, messages
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Deleted, Unit
from marrow.reducers.slicing.lookup_precision import LookupPrecision, closure
from marrow.tree.outline import is_operator

# At most this many declarations of a name are added at once; of more, those that need nothing else.
_MANY: Final = 12


class SliceRepair:
    """Finds what is missing in slices of some elements."""

    def __init__(self, graph: DeclarationGraph, usual: Collection[bytes] = ()) -> None:
        """`usual` are the words of messages of the failure itself."""
        self._graph: Final = graph
        self._usual: Final = usual

    @cached_property
    def _operators(self) -> dict[bytes, list[int]]:
        """The operators about each class: no message names them."""
        known = self._graph.known
        return self._graph.by_name(
            lambda one: sorted(one.keys & known) if any(map(is_operator, one.declares)) else ()
        )

    @cached_property
    def _nameless(self) -> dict[bytes, list[int]]:
        """The operators that declare no name, by the words of their heads: `operator bool`."""
        signs = self._graph.words.operator
        return self._graph.by_name(
            lambda one: () if one.declares or not signs & one.mentions.free else one.mentions.free
        )

    def missing(self, output: bytes, deleted: Deleted) -> Deleted:
        """Return what must not be deleted, as the messages of an output say."""
        found = (self._by_message(one, deleted) for one in messages(output, self._usual))
        return frozenset().union(*found)

    def with_needs(self, missing: Deleted, emptied: Collection[int]) -> Deleted:
        """Return what is missing, and all that it needs; `emptied` lack bodies."""
        roots = sorted({one.at for one in missing})
        left = frozenset(emptied).difference(one.at for one in missing if one.body)
        needed = closure(self._graph, roots, LookupPrecision.BARE, left) if roots else ()
        return missing.union(map(Unit, needed))

    def _by_message(self, message: Diagnostic, deleted: Deleted) -> Deleted:
        near = (message.named, message.marked)
        if message.about_definition:
            elsewhere = self._elsewhere(message, deleted)
            bodies = self._emptied(near, deleted, message.around) | _bodies(elsewhere)
            if bodies or (bodies := self._virtual(message, deleted)):
                return bodies.union(map(Unit, elsewhere))
        for tiers in (near, (message.noted,)):
            for names in tiers:
                if elements := self._left_out(names, message, deleted):
                    return elements
            if bodies := self._emptied(tiers, deleted):
                return bodies
            for names in tiers:
                found = (one for name in sorted(names) for one in self._operators.get(name, ()))
                if operators := [one for one in found if self._may_return(one, deleted)]:
                    return frozenset(map(Unit, operators))
        return frozenset()

    def _emptied(
        self,
        tiers: Iterable[Iterable[bytes]],
        deleted: Deleted,
        around: frozenset[bytes] = frozenset(),
    ) -> Deleted:
        """Return the bodies of what declares one of the first names for which some are deleted.

        Of several, those with most of the scopes that the message names.
        """
        for names in tiers:
            called = [*self._all(names)]
            if self._graph.words.operator & around:
                called += (one for name in sorted(names) for one in self._nameless.get(name, ()))
            bodies = (one for one in called if Unit(one) not in deleted)
            lost = [one for one in bodies if Unit(one, body=True) in deleted]
            if lost:
                return _bodies(_best_by(lambda one: around.intersection(self._around(one)), lost))
        return frozenset()

    def _elsewhere(self, message: Diagnostic, deleted: Deleted) -> list[int]:
        """Return the definitions outside of their classes that a linker misses."""
        elements = self._graph.elements
        left = (one for one in self._all(message.named) if Unit(one) in deleted)
        outside = [one for one in left if elements[one].elsewhere and elements[one].body]
        about = {one: message.around & elements[one].mentions.words for one in outside}
        return [one for one in _best_by(about.__getitem__, outside) if about[one]]

    def _virtual(self, message: Diagnostic, deleted: Deleted) -> Deleted:
        """Return what lacks its body of the functions whose table a linker misses."""
        if not message.around & self._graph.words.tables:
            return frozenset()
        inside = (one for at in self._all(message.named) for one in self._graph.members.get(at, ()))
        words, elements = self._graph.words.virtual, self._graph.elements
        virtual = (one for one in inside if elements[one].mentions.free & words)
        return _bodies(virtual) & deleted

    def _all(self, names: Iterable[bytes]) -> Iterable[int]:
        for name in sorted(names):
            yield from self._graph.declaring.get(name, ())

    def _left_out(self, names: Iterable[bytes], message: Diagnostic, deleted: Deleted) -> Deleted:
        """Return the deleted declarations of some names: in classes that stay, or outside."""
        found: set[int] = set()
        for name in sorted(names):
            declaring = self._graph.declaring.get(name, ())
            left = [one for one in declaring if self._may_return(one, deleted)]
            found.update(self._best(left, message, deleted))
        return frozenset(map(Unit, found))

    def _around(self, index: int) -> Iterable[bytes]:
        if self._graph.visible[index]:
            return self._graph.scopes[index]
        return self._graph.elements[self._graph.elements[index].owner].declares

    def _may_return(self, index: int, deleted: Deleted) -> bool:
        """Whether an element is deleted, and can come back by itself."""
        owner = Unit(self._graph.elements[index].owner)
        return Unit(index) in deleted and (self._graph.visible[index] or owner not in deleted)

    def _best(self, left: list[int], message: Diagnostic, deleted: Deleted) -> list[int]:
        """Return those of some declarations that a message is most likely about."""
        words = message.named | message.marked
        best = _best_by(lambda one: words.intersection(self._around(one)), left)
        if len(best) > _MANY:
            elements, known = self._graph.elements, self._graph.known
            kept = (one for at, one in enumerate(elements) if Unit(at) not in deleted)
            declared = {name for one in kept for name in one.declares}
            best = [one for one in best if elements[one].keys & known <= declared] or best
        return best


def _best_by(words: Callable[[int], Collection[bytes]], found: Collection[int]) -> list[int]:
    """Return the elements with most words of some kind."""
    scored = {one: len(words(one)) for one in found}
    most = max(scored.values(), default=0)
    return [one for one in found if scored[one] == most]


def _bodies(elements: Iterable[int]) -> Deleted:
    return frozenset(Unit(one, body=True) for one in elements)
