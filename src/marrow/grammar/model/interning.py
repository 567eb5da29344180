"""Numbers for expressions, the same for equal ones: they nest too deep to be compared or hashed."""

from __future__ import annotations

from collections.abc import Hashable

from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    Characters,
    Choice,
    Expression,
    Literal,
    Reference,
    Repeat,
)


class Keys:
    """Gives equal numbers to equal expressions; positions and labels do not count."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def key(self, expression: Expression) -> int:
        """Return the number of an expression."""
        return fold(expression, self._combine)

    def keys(self, expression: Expression) -> dict[int, int]:
        """Return the numbers of all expressions inside one, by their ids."""
        found: dict[int, int] = {}

        def combine(one: Expression, inner: tuple[int, ...]) -> int:
            found[id(one)] = number = self._combine(one, inner)
            return number

        fold(expression, combine)
        return found

    def _combine(self, one: Expression, inner: tuple[int, ...]) -> int:
        match one:
            case Literal(text=text, ignore_case=ignore_case):
                shape: Hashable = ("literal", text.lower() if ignore_case else text, ignore_case)
            case Characters(ranges=ranges):
                shape = ("characters", ranges)
            case Reference(name=name):
                shape = ("reference", name)
            case Choice():
                shape = ("choice", inner)
            case Repeat(quantifier=quantifier, greedy=greedy):
                shape = ("repeat", quantifier, greedy, inner)
            case _:
                if len(inner) == 1:
                    return inner[0]
                shape = ("sequence", inner)
        return self._numbers.setdefault(shape, len(self._numbers))
