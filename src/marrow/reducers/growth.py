"""Growth: a slice that failed grows by what the output of its test says is missing.

A name that a message has is looked up among the declarations that the slice left out, those of its
classes included; where the message names scopes too, only there. Where all of them are in the slice
already, bodies that it left out come back: a compiler may need them for constants and types.

Guarantee: none. It is a guess like the graph itself, and the test judges it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final, NamedTuple

from marrow.reducers.missing_names import Complaint, messages
from marrow.reducers.needs import Needs
from marrow.reducers.readings import Reading, closure

# So many declarations of a name are added at once; of more, those that need nothing else.
_MANY: Final = 12


class Slice(NamedTuple):
    """What a slice keeps, and which of that it keeps without the body."""

    kept: Collection[int]
    emptied: Collection[int] = ()


class Missing(NamedTuple):
    """What a slice is to grow by: elements, and bodies of elements that it has."""

    elements: frozenset[int]
    bodies: frozenset[int]

    def __bool__(self) -> bool:
        return bool(self.elements or self.bodies)


class Growth:
    """Finds what is missing in slices of some elements."""

    def __init__(self, needs: Needs, usual: Collection[bytes] = ()) -> None:
        """`usual` are the words of messages that are those of the failure itself."""
        self._needs: Final = needs
        self._usual: Final = usual

    @cached_property
    def _operators(self) -> dict[bytes, list[int]]:
        """The operators about each class: no message names them."""
        found: dict[bytes, list[int]] = defaultdict(list)
        for index, element in enumerate(self._needs.elements):
            if any(name.startswith(b"operator") for name in element.declares):
                for name in sorted(element.keys & self._needs.known):
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

    def missing_of(self, output: bytes, gone: Collection[int], emptied: Collection[int]) -> Missing:
        """Return what must not be gone, or lack its body, as an output says."""
        kept = frozenset(range(len(self._needs.elements))).difference(gone)
        return self.missing(output, Slice(kept, emptied))

    def with_needs(self, missing: Missing, emptied: Collection[int]) -> Collection[int]:
        """Return the elements that are missing, and all that they need; `emptied` lack bodies."""
        roots = sorted(missing.elements | missing.bodies)
        left = frozenset(emptied) - missing.bodies
        return closure(self._needs, roots, Reading.BARE, left) if roots else ()

    def _by_message(self, message: Complaint, part: Slice) -> Missing:
        near = (message.named, message.marked)
        if message.about_definition and (bodies := self._emptied(near, part)):
            return Missing(frozenset(), bodies)
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

    def _emptied(self, tiers: Iterable[Iterable[bytes]], part: Slice) -> frozenset[int]:
        """Return what lacks its body and declares the first names of which something does."""
        for names in tiers:
            found = (one for one in self._all(names) if one in part.kept)
            if bodies := frozenset(one for one in found if one in part.emptied):
                return bodies
        return frozenset()

    def _all(self, names: Iterable[bytes]) -> Iterable[int]:
        for name in sorted(names):
            yield from self._needs.declaring.get(name, ())

    def _left_out(
        self, names: Iterable[bytes], message: Complaint, kept: Collection[int]
    ) -> frozenset[int]:
        """Return the declarations of some names that are not kept: in kept classes, or outside."""
        found: set[int] = set()
        for name in sorted(names):
            left = [
                one
                for one in self._needs.declaring.get(name, ())
                if one not in kept and self._in_reach(one, kept)
            ]
            found.update(self._best(left, message, kept))
        return frozenset(found)

    def _around(self, index: int) -> Iterable[bytes]:
        """Return the names of what a declaration stands in."""
        if self._needs.visible[index]:
            return self._needs.scopes[index]
        return self._needs.elements[self._needs.elements[index].owner].declares

    def _in_reach(self, index: int, kept: Collection[int]) -> bool:
        return self._needs.visible[index] or self._needs.elements[index].owner in kept

    def _best(self, left: list[int], message: Complaint, kept: Collection[int]) -> list[int]:
        """Return those of some declarations that a message is most likely about."""
        if len(left) < 2:
            return left
        words = message.named | message.marked
        scored = {one: len(words.intersection(self._around(one))) for one in left}
        most = max(scored.values())
        best = [one for one in left if scored[one] == most]
        if len(best) > _MANY:
            declared = {name for one in kept for name in self._needs.elements[one].declares}
            known = self._needs.known
            modest = [one for one in best if self._needs.elements[one].keys & known <= declared]
            best = modest or best
        return best
