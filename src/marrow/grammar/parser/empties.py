"""Parts that can be empty: which and when, and their nodes, for every quantifier is a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush
from typing import Final

from marrow.grammar.parser.bnf import Entry
from marrow.grammar.parser.shared_expressions import Form, Pool
from marrow.tree.node import Branch, Extent, Kind

_NOTHING: Final = Extent(0, 0, None, None)


def nullable_parts(pool: Pool, rules: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the parts that derive the empty text, each after what proves it.

    The order is that of rounds over all parts, in each of which a part can use what was proved
    before it, and a rule what was proved in an earlier round. It decides which of several empty
    trees a rule gets. A heap finds it without looking at every part in every round.
    """
    users: dict[int, list[int]] = {}
    missing: dict[int, int] = {}
    heap: list[tuple[int, int]] = []  # (round, part)
    for number, part in enumerate(pool.parts):
        match part.form:
            case Form.STAR | Form.OPTIONAL:
                heap.append((0, number))
            case Form.SEQUENCE | Form.PLUS | Form.CHOICE:
                below = set(part.parts)
                missing[number] = 1 if part.form is Form.CHOICE else len(below)
                for one in below:
                    users.setdefault(one, []).append(number)
                if not below and part.form is Form.SEQUENCE:
                    heap.append((0, number))
            case Form.RULE:
                for one in set(rules[part.name]):
                    users.setdefault(one, []).append(number)
    heapify(heap)
    proved: dict[int, None] = {}
    while heap:
        turn, number = heappop(heap)
        if number in proved:
            continue
        proved[number] = None
        for user in users.get(number, ()):
            if user in missing:
                missing[user] -= 1
                later = user < number
            else:
                later = True  # a rule
            if not missing.get(user, 0):
                heappush(heap, (turn + later, user))
    return list(proved)


class Empties:
    """Builds the empty trees, in the order in which parts were proved to be empty."""

    def __init__(
        self,
        pool: Pool,
        rules: Mapping[str, tuple[int, ...]],
        proved: list[int],
        entry: Callable[[int], Entry],
    ) -> None:
        self._pool: Final = pool
        self._entry: Final = entry
        self.nodes: Final[dict[int, tuple[Branch, ...]]] = {}
        self.rules: Final[dict[str, Branch]] = {}
        users: dict[int, list[str]] = {}
        for name, alternatives in rules.items():
            for number in alternatives:
                users.setdefault(number, []).append(name)
        for number in proved:
            self.nodes[number] = self._make(number)
            for name in users.get(number, ()):
                if name not in self.rules:
                    self.rules[name] = _regular(name, self.sequence(number))

    def sequence(self, number: int) -> tuple[Branch, ...]:
        """Return the nodes of a sequence of which every part is empty."""
        return tuple(node for item in self._pool.items(number) for node in self.nodes[item])

    def _make(self, number: int) -> tuple[Branch, ...]:
        """Return what an empty part shows as a child."""
        part = self._pool.parts[number]
        match part.form:
            case Form.RULE:
                return (self.rules[part.name],)
            case Form.SEQUENCE if not part.parts:
                return ()
            case Form.SEQUENCE:
                return self.sequence(number)
            case Form.CHOICE:
                return self._choice(number, part.parts)
            case _:
                return (self._quantifier(number, part.form, part.parts[0]),)

    def _choice(self, number: int, alternatives: tuple[int, ...]) -> tuple[Branch, ...]:
        slot = self._entry(number).slot
        chosen = next(one for one in alternatives if one in self.nodes)
        if self._pool.form(chosen) is Form.SEQUENCE:
            return (_regular(slot, self.sequence(chosen)),)
        return tuple(node.placed(key=0, slot=slot) for node in self.nodes[chosen])

    def _quantifier(self, number: int, form: Form, inner: int) -> Branch:
        entry = self._entry(number)
        kind = entry.wrap or Kind.STAR
        children: tuple[Branch, ...] = ()
        if form is Form.PLUS:
            children = self.nodes[inner]
            if self._pool.form(inner) is Form.SEQUENCE:
                children = (_regular(self._entry(inner).slot, children),)
        return _branch(kind, entry.wrap_name, children)


def _regular(name: str, children: tuple[Branch, ...]) -> Branch:
    return _branch(Kind.REGULAR, name, children)


def _branch(kind: Kind, name: str, children: tuple[Branch, ...]) -> Branch:
    placed = [child.placed(key=key, slot=child.slot) for key, child in enumerate(children)]
    return Branch(kind, name, placed, slot=name, extent=_NOTHING)
