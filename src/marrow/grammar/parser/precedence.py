"""Precedence and associativity of left-recursive rules, as ANTLR means them.

In `e: e '*' e | e '+' e | '-' e | ID` an earlier alternative binds tighter, and operators associate
to the left unless their alternative says `right`. ANTLR gets this by calling the rule with a level;
here the rule is split into variants instead, one for each set of alternatives that may stand in the
same operand places, and each operand place lists the variants it takes. No production is added, so
an expression costs no more steps than without precedence, and no text is lost: whatever a place
does not take can be derived by turning the tree around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.parser.bnf import Production


@dataclass(frozen=True, slots=True)
class _Operator:
    """The part of a recursive rule's production in precedence; a higher level is tighter."""

    level: int
    left: bool  # starts with the rule itself
    right: bool  # ends with it
    to_right: bool

    def takes_left(self, child: _Operator) -> bool:
        """Whether a child may be the left operand."""
        if not child.right:
            return True
        if child.left and not child.to_right:
            return self.level <= child.level
        return self.level < child.level

    def takes_right(self, child: _Operator) -> bool:
        """Whether a child may be the right operand."""
        if not child.left:
            return True
        if self.left and not self.to_right:
            return child.level > self.level
        return child.level >= self.level


class Splitter:
    """Splits the symbols of left-recursive rules into variants."""

    def __init__(self, first_free: int) -> None:
        self._next = first_free
        self._groups: dict[tuple[int, tuple[int, ...]], int] = {}
        #: Symbols that stand for any of several others.
        self.groups: Final[dict[int, tuple[int, ...]]] = {}
        #: The names of the symbols that were added, by number.
        self.names: Final[list[str]] = []

    def split(
        self, symbol: int, name: str, productions: Sequence[Production], right: Mapping[int, bool]
    ) -> list[Production]:
        """Return a rule's productions with variants; `right` has alternatives to the right."""
        operators = [
            _Operator(
                -one.alternative,
                one.right[0] == symbol,
                one.right[-1] == symbol,
                right.get(one.alternative, False),
            )
            for one in productions
        ]
        if not any(operator.left for operator in operators):
            return list(productions)
        # What tells alternatives apart as children: which operand places take them.
        signatures = [
            tuple(
                (not parent.left or parent.takes_left(child))
                + 2 * (not parent.right or parent.takes_right(child))
                for parent in operators
            )
            for child in operators
        ]
        kinds = list(dict.fromkeys(signatures))
        if len(kinds) == 1:
            return list(productions)
        variants = {kind: self._new(f"{name}.{index}") for index, kind in enumerate(kinds)}
        self.groups[symbol] = tuple(variants.values())
        result = []
        for parent, (operator, one) in enumerate(zip(operators, productions, strict=True)):
            body = list(one.right)
            if operator.left:
                body[0] = self._group(symbol, name, [variants[k] for k in kinds if k[parent] & 1])
            if operator.right:
                body[-1] = self._group(symbol, name, [variants[k] for k in kinds if k[parent] & 2])
            left = variants[signatures[parent]]
            result.append(replace(one, left=left, right=tuple(body)))
        return result

    def _new(self, name: str) -> int:
        self.names.append(name)
        self._next += 1
        return self._next - 1

    def _group(self, symbol: int, name: str, members: list[int]) -> int:
        """Return the symbol that stands for these variants."""
        if len(members) == len(self.groups[symbol]):
            return symbol
        if len(members) == 1:
            return members[0]
        key = (symbol, tuple(members))
        known = self._groups.get(key)
        if known is None:
            known = self._groups[key] = self._new(f"{name}.any")
            self.groups[known] = tuple(members)
        return known
