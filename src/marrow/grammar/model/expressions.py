"""Walks over expressions: inner parts first, values that pass upwards, references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from marrow.grammar.model.rules import (
    Choice,
    Expression,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    parts,
    walk,
)

T = TypeVar("T")


def postorder(expression: Expression) -> Iterator[Expression]:
    """Walk an expression and everything inside it, inner ones first, from left to right."""
    stack: list[tuple[Expression, bool]] = [(expression, False)]
    while stack:
        one, done = stack.pop()
        inside = () if done else parts(one)
        if not inside:
            yield one
            continue
        stack.append((one, True))
        stack.extend((part, False) for part in reversed(inside))


def references(expression: Expression) -> Iterator[Reference]:
    """Walk the references in an expression, from left to right."""
    return (one for one in walk(expression) if isinstance(one, Reference))


def fold(expression: Expression, combine: Callable[[Expression, tuple[T, ...]], T]) -> T:
    """Compute a value from the inside out: `combine` gets an expression and its parts' values."""
    results: list[T] = []
    for one in postorder(expression):
        start = len(results) - len(parts(one))
        values = tuple(results[start:])
        del results[start:]
        results.append(combine(one, values))
    return results[0]


def holds(expression: Expression, known: Callable[[Expression], bool]) -> bool:
    """Whether an expression has a property that passes up from its atoms.

    `known` answers for literals, characters and references. A sequence has the property if all its
    items have it, a choice if one alternative has it, a star and an optional always, a plus if its
    item has it: the rules for *derives ε* and for *derives something* alike.
    """

    def combine(one: Expression, inner: tuple[bool, ...]) -> bool:
        match one:
            case Sequence():
                return all(inner)
            case Choice():
                return any(inner)
            case Repeat(quantifier=quantifier):
                return inner[0] or quantifier is not Quantifier.PLUS
            case _:
                return known(one)

    return fold(expression, combine)
