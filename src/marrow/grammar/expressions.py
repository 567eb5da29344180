"""Walks over expressions: inner parts first, references, and properties that pass upwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from marrow.grammar.model import (
    Choice,
    Expression,
    Quantifier,
    Reference,
    Repeat,
    Sequence,
    parts,
    walk,
)


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


def holds(expression: Expression, known: Callable[[Expression], bool]) -> bool:
    """Whether an expression has a property that passes up from its atoms.

    `known` answers for literals, characters and references. A sequence has the property if all its
    items have it, a choice if one alternative has it, a star and an optional always, a plus if its
    item has it: the rules for *derives ε* and for *derives something* alike.
    """
    values: list[bool] = []
    for one in postorder(expression):
        match one:
            case Sequence(items=items):
                count = len(items)
                value = all(values[len(values) - count :])
            case Choice(alternatives=options):
                count = len(options)
                value = any(values[len(values) - count :])
            case Repeat(quantifier=quantifier):
                count = 1
                value = values[-1] or quantifier is not Quantifier.PLUS
            case _:
                count = 0
                value = known(one)
        del values[len(values) - count :]
        values.append(value)
    return values[0]
