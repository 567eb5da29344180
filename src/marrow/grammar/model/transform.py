"""Expressions made from others: leaves changed, needless nesting left out, repeats written out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from marrow.grammar.model.expressions import fold
from marrow.grammar.model.rules import (
    EPSILON,
    Choice,
    Expression,
    Literal,
    Quantifier,
    Repeat,
    Sequence,
    parts,
)

#: How many expressions a counted repeat (`x~3..5`, `x{3,5}`) may grow to: the model has no
#: counters, so that such a repeat is written out. Limits that belong to a language (255, say) fit;
#: larger ones only guard against long inputs, and would make automata with thousands of states.
MOST_COPIES: Final = 1_000


def rebuilt(expression: Expression, inner: tuple[Expression, ...]) -> Expression:
    """Return an expression with other parts; the same object if they are the same ones."""
    if all(new is old for new, old in zip(inner, parts(expression), strict=True)):
        return expression
    match expression:
        case Sequence():
            return replace(expression, items=inner)
        case Choice():
            return Choice(inner)
        case Repeat():
            return replace(expression, item=inner[0])
        case _:
            return expression


def map_leaves(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Rebuild an expression with its literals, character sets and references changed."""

    def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
        return rebuilt(one, inner) if parts(one) else change(one)

    return fold(expression, combine)


def without(nothing: Expression, expression: Expression) -> Expression:
    """Leave one object, which stands for nothing, out of all sequences."""

    def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
        if not isinstance(one, Sequence) or not any(item is nothing for item in inner):
            return rebuilt(one, inner) if parts(one) else one
        kept = tuple(item for item in inner if item is not nothing)
        single = len(kept) == 1 and not one.right and not one.label
        return kept[0] if single else replace(one, items=kept)

    return fold(expression, combine)


def count(expression: Expression) -> int:
    """Return the number of expressions in an expression, itself included."""

    def combine(_one: Expression, inner: tuple[int, ...]) -> int:
        return 1 + sum(inner)

    return fold(expression, combine)


def sequence(items: list[Expression] | tuple[Expression, ...]) -> Expression:
    """Return expressions one after the other, without needless nesting."""
    flat: list[Expression] = []
    for item in items:
        if isinstance(item, Sequence) and not item.right and not item.label:
            flat.extend(item.items)
        else:
            flat.append(item)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def choice(alternatives: list[Expression] | tuple[Expression, ...]) -> Expression:
    """Return a choice, or the one alternative there is."""
    return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))


def joined(expression: Expression) -> Expression:
    """Join literals that stand side by side, for tokens: there `'a' 'b'` means `'ab'`."""

    def combine(one: Expression, inner: tuple[Expression, ...]) -> Expression:
        if not isinstance(one, Sequence):
            return rebuilt(one, inner) if inner else one
        items: list[Expression] = []
        for item in inner:
            last = items[-1] if items else None
            if (
                isinstance(item, Literal)
                and isinstance(last, Literal)
                and item.ignore_case == last.ignore_case
            ):
                items[-1] = replace(last, text=last.text + item.text)
            else:
                items.append(item)
        return sequence(items) if not one.label and not one.right else rebuilt(one, inner)

    return fold(expression, combine)


def repeated(
    item: Expression, least: int, most: int | None, nested: bool = True
) -> Expression | None:
    """Write out a counted repeat; None if that would be too long (`MOST_COPIES`).

    `most` is None for no upper bound. Optional copies are nested, `x (x (x)?)?`, so that there is
    one way only to derive a number of copies; in tokens, where that does not matter, they stand
    side by side.
    """
    copies = least + 1 if most is None else most
    if copies * count(item) > MOST_COPIES:
        return None
    if most is None:
        if least <= 1:
            return Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
        return sequence([item] * (least - 1) + [Repeat(item, Quantifier.PLUS)])
    if not nested:
        optional = Repeat(item, Quantifier.OPTIONAL)
        return sequence([item] * least + [optional] * (most - least))
    tail: Expression = EPSILON
    for _ in range(most - least):
        tail = Repeat(item if tail is EPSILON else sequence([item, tail]), Quantifier.OPTIONAL)
    return sequence([item] * least + [tail])
