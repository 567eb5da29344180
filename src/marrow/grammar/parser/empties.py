"""Parts that can be empty: which and when, and their nodes, for every quantifier is a node."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from marrow.grammar.model.rules import ALWAYS, NEVER, Condition, Ways, both
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


class EmptyWhen:
    """When a part may be empty: always, unless it rests on rules with guards."""

    def __init__(
        self,
        pool: Pool,
        rules: Mapping[str, tuple[int, ...]],
        proved: Iterable[int],
        guards: Mapping[str, tuple[Condition, ...]],
    ) -> None:
        self._pool: Final = pool
        self._rules: Final = rules
        self._guards: Final = guards
        self._known: dict[int, Ways] = {}
        if not guards:
            return
        proved = list(proved)
        self._known = dict.fromkeys(proved, NEVER)
        changed = True
        while changed:
            changed = False
            for number in proved:
                ways = self._ways(number)
                if ways != self._known[number]:
                    self._known[number] = ways
                    changed = True

    def __getitem__(self, number: int) -> Ways:
        """Return when a part may be empty, by its number; those made later are sequences."""
        known = self._known.get(number)
        if known is not None or not self._guards:
            return ALWAYS if known is None else known
        return self._all(self._pool.items(number))

    def _ways(self, number: int) -> Ways:
        part = self._pool.parts[number]
        match part.form:
            case Form.RULE if part.name in self._guards:
                return (self._guards[part.name],)
            case Form.RULE:
                return _fewest([way for one in self._rules[part.name] for way in self._now(one)])
            case Form.CHOICE:
                return _fewest([way for one in part.parts for way in self._now(one)])
            case Form.SEQUENCE | Form.PLUS:
                return self._all(part.parts)
            case _:
                return ALWAYS

    def _now(self, number: int) -> Ways:
        return self._known.get(number, NEVER)

    def _all(self, numbers: Iterable[int]) -> Ways:
        ways = ALWAYS
        for number in numbers:
            ways = _fewest(both(ways, self._known.get(number, ALWAYS)))
        return ways


def _fewest(ways: Sequence[tuple[Condition, ...]]) -> Ways:
    """Leave out ways that ask for more than another one."""
    sets = {frozenset(way) for way in ways}
    kept: list[frozenset[Condition]] = []
    for one in sorted(sets, key=lambda one: (len(one), sorted(map(str, one)))):
        if not any(other <= one for other in kept):
            kept.append(one)
    return tuple(tuple(sorted(one, key=str)) for one in kept)


class Empties:
    """Builds the empty trees, in the order in which parts were proved to be empty.

    Rules with `guards` have no nodes.
    """

    def __init__(
        self,
        pool: Pool,
        rules: Mapping[str, tuple[int, ...]],
        proved: list[int],
        entry: Callable[[int], Entry],
        guards: Container[str] = (),
    ) -> None:
        self._pool: Final = pool
        self._guards: Final = guards
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
            case Form.RULE if part.name in self._guards:
                return ()
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
