"""Guards: predicates of parser rules that depend on the next token.

A rule with a guard is empty, and productions have no empty symbols. So the guard becomes a
condition of a production that leaves the rule out: between which of its symbols it must hold. The
parser checks it when it makes a reduction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from marrow.grammar.model.rules import ALWAYS, LINE_BREAK, NEVER, Condition, Ways, both
from marrow.grammar.parser.bnf import Bnf, Derivation, Guards, Production
from marrow.grammar.parser.lexer import Lexemes
from marrow.grammar.parser.shared_expressions import Form, Pool

#: Line breaks as ECMAScript has them; a grammar without the last two has no such gaps.
_LINE_BREAKS: Final = ("\n", "\r", "\u2028", "\u2029")


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
    sets = sorted(
        {frozenset(way) for way in ways}, key=lambda one: (len(one), sorted(map(str, one)))
    )
    kept: list[frozenset[Condition]] = []
    for one in sorted(sets, key=lambda one: (len(one), sorted(map(str, one)))):
        if not any(other <= one for other in kept):
            kept.append(one)
    return tuple(tuple(sorted(one, key=str)) for one in kept)


class Places:
    """The places between the tokens of a text, and which conditions hold there."""

    def __init__(self, lexemes: Lexemes, terminals: Sequence[str]) -> None:
        self._lexemes: Final = lexemes
        self._terminals: Final = terminals
        self._known: dict[tuple[Ways, int], bool] = {}
        #: What did not hold, and where last: the reason if parsing goes no further.
        self.refused: set[Condition] = set()
        self.refused_at = -1

    def __len__(self) -> int:
        return len(self._lexemes.kinds)

    def hold(self, guards: Guards, starts: Sequence[int]) -> bool:
        """Whether guards hold, given where the symbols start, and where the last one ends."""
        for index, ways in guards:
            if not self._holds(ways, starts[index]):
                self._refuse(ways, starts[-1])
                return False
        return True

    def _refuse(self, ways: Ways, position: int) -> None:
        if position > self.refused_at:
            self.refused_at, self.refused = position, set()
        if position == self.refused_at:
            self.refused.update(one for way in ways for one in way)

    def _holds(self, ways: Ways, position: int) -> bool:
        key = (ways, position)
        known = self._known.get(key)
        if known is None:
            known = any(all(self._one(one, position) for one in way) for way in ways)
            self._known[key] = known
        return known

    def _one(self, condition: Condition, position: int) -> bool:
        kinds = self._lexemes.kinds
        ends = position >= len(kinds)
        found = not ends and self._terminals[kinds[position]] in condition.tokens
        if not found and LINE_BREAK in condition.tokens:
            found = ends or self._breaks(position)
        return found != condition.negated

    def _breaks(self, position: int) -> bool:
        lexemes = self._lexemes
        start = lexemes.ends[position - 1] if position else 0
        gap = lexemes.text[start : lexemes.starts[position]]
        return any(sign in gap for sign in _LINE_BREAKS)


def drawable(bnf: Bnf) -> Bnf:
    """Return productions that a text can be drawn from without a look at its places.

    Tokens are drawn with no line break between them. A production that asks for one, or for the
    text of a token, derives nothing here, unless its symbol cannot be derived in another way.
    """
    if not any(one.guards for one in bnf.productions):
        return bnf
    harmless = [all(map(_harmless, one.guards)) for one in bnf.productions]
    kept = [one for one, fine in zip(bnf.productions, harmless, strict=True) if fine]
    ends = _ending(kept, len(bnf.terminals), bnf.groups)
    nothing = len(bnf.names)
    productions = tuple(
        one if fine or one.left not in ends else replace(one, right=(nothing,) * len(one.right))
        for one, fine in zip(bnf.productions, harmless, strict=True)
    )
    return replace(bnf, productions=productions, names=(*bnf.names, "nothing"))


def guarded_well(derivation: Derivation, productions: Sequence[Production], places: Places) -> bool:
    """Whether all guards in a derivation hold."""
    work = [(derivation, len(places))]
    while work:
        one, end = work.pop()
        if one.__class__ is int:
            continue
        starts = [child if child.__class__ is int else child[1] for child in one[2:]]
        starts.append(end)
        if one[0] >= 0 and not places.hold(productions[one[0]].guards, starts):
            return False
        work.extend(zip(one[2:], starts[1:], strict=True))
    return True


def _harmless(guard: tuple[int, Ways]) -> bool:
    return any(all(one.tokens == (LINE_BREAK,) and one.negated for one in way) for way in guard[1])


def _ending(
    productions: Iterable[Production], terminals: int, groups: Mapping[int, tuple[int, ...]]
) -> set[int]:
    """Return the symbols that derive a text."""
    ends: set[int] = set()
    productions = list(productions)
    changed = True
    while changed:
        changed = False
        for group, members in groups.items():
            if group not in ends and any(one in ends for one in members):
                ends.add(group)
                changed = True
        for one in productions:
            if one.left not in ends and all(s < terminals or s in ends for s in one.right):
                ends.add(one.left)
                changed = True
    return ends
