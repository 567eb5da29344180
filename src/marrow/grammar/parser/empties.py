"""What can be empty, and the nodes that show it: every quantifier is a node, also when empty."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from marrow.grammar.parser.bnf import Entry
from marrow.grammar.parser.bodies import Form, Pool
from marrow.tree.node import Branch, Extent, Kind

_NOTHING: Final = Extent(0, 0, None, None)


def nullable_parts(pool: Pool, rules: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the parts that derive the empty text, each after what proves it."""
    proved: dict[int, None] = {}
    names: set[str] = set()
    size = -1
    while size != len(proved) + len(names):
        size = len(proved) + len(names)
        for number, part in enumerate(pool.parts):
            if number in proved:
                continue
            match part.form:
                case Form.STAR | Form.OPTIONAL:
                    empty = True
                case Form.RULE:
                    empty = part.name in names
                case Form.SEQUENCE | Form.PLUS:
                    empty = all(one in proved for one in part.parts)
                case Form.CHOICE:
                    empty = any(one in proved for one in part.parts)
                case _:
                    empty = False
            if empty:
                proved[number] = None
        for name, alternatives in rules.items():
            if name not in names and any(one in proved for one in alternatives):
                names.add(name)
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
        for number in proved:
            self._prove_rules(rules)
            self.nodes[number] = self._make(number)
        self._prove_rules(rules)

    def _prove_rules(self, rules: Mapping[str, tuple[int, ...]]) -> None:
        for name, alternatives in rules.items():
            if name in self.rules:
                continue
            for number in alternatives:
                if number in self.nodes:
                    self.rules[name] = _regular(name, self.sequence(number))
                    break

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
