"""Expressions of rules: walks from the inside out, fixpoints, and new ones made from old."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from marrow.grammar.model.rules import (
    EPSILON,
    Choice,
    Expression,
    Literal,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    TokenRule,
    parts,
    walk,
)

T = TypeVar("T")


def within(named: Mapping[str, Rule | TokenRule], kind: type[T]) -> Iterator[T]:
    """Walk the expressions of a kind in the bodies of rules, or of token rules."""
    return (one for rule in named.values() for one in walk(rule.body) if isinstance(one, kind))


def references(expression: Expression) -> Iterator[Reference]:
    """Walk the references in an expression, from left to right."""
    return (one for one in walk(expression) if isinstance(one, Reference))


def fold(
    expression: Expression,
    combine: Callable[[Expression, tuple[T, ...]], T],
    resolve: Callable[[Expression], Expression] = lambda one: one,
) -> T:
    """Compute a value from the inside out: `combine` gets an expression and its parts' values.

    `resolve` may put another expression in the place of one before its parts are looked at.
    """
    results: list[T] = []
    stack: list[tuple[Expression, bool]] = [(expression, False)]
    while stack:
        one, done = stack.pop()
        one = one if done else resolve(one)
        inside = parts(one)
        if inside and not done:
            stack.append((one, True))
            stack.extend((part, False) for part in reversed(inside))
            continue
        start = len(results) - len(inside)
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


def settle(bodies: Mapping[str, Expression], update: Callable[[str], bool]) -> None:
    """Update names until nothing changes.

    `update` says whether what is known of a name has changed; then all names whose bodies refer to
    it are updated again. Names come first in their own order, then in the order of the changes.
    """
    users: dict[str, dict[str, None]] = {}
    for name, body in bodies.items():
        for reference in references(body):
            users.setdefault(reference.name, {})[name] = None
    queue = deque(bodies)
    queued = set(bodies)
    while queue:
        name = queue.popleft()
        queued.remove(name)
        if update(name):
            again = [user for user in users.get(name, ()) if user not in queued]
            queue.extend(again)
            queued.update(again)


def least(
    bodies: Mapping[str, Expression], known: Callable[[Expression, set[str]], bool]
) -> frozenset[str]:
    """Return the least set of names whose bodies have a property (see `holds`), given that set.

    `known` answers for an atom, given the names found so far.
    """
    found: set[str] = set()

    def update(name: str) -> bool:
        if name in found or not holds(bodies[name], lambda atom: known(atom, found)):
            return False
        found.add(name)
        return True

    settle(bodies, update)
    return frozenset(found)


def bodies_of(named: Mapping[str, Rule | TokenRule]) -> dict[str, Expression]:
    """Return the bodies of rules, or of token rules, by name."""
    return {name: rule.body for name, rule in named.items()}


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


def renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    """Return an expression with other names in its references."""

    def change(leaf: Expression) -> Expression:
        if isinstance(leaf, Reference) and leaf.name in names:
            return replace(leaf, name=names[leaf.name])
        return leaf

    return map_leaves(expression, change)


def count(expression: Expression) -> int:
    """Return the number of expressions in an expression, itself included."""
    return sum(1 for _ in walk(expression))


def sequence(items: list[Expression] | tuple[Expression, ...]) -> Expression:
    """Return expressions one after the other, without needless nesting."""
    flat: list[Expression] = []
    for item in items:
        if isinstance(item, Sequence) and not item.right:
            flat.extend(item.items)
        else:
            flat.append(item)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat))


def choice(alternatives: list[Expression] | tuple[Expression, ...]) -> Expression:
    """Return a choice, or the one alternative there is."""
    return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))


def joined(expression: Expression) -> Expression:
    """Join literals that follow one another, for tokens: there `'a' 'b'` means `'ab'`."""

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
        return rebuilt(one, inner) if one.right else sequence(items)

    return fold(expression, combine)


def repeated(
    item: Expression, least: int, most: int | None, nested: bool = True
) -> Expression | None:
    """Write out a counted repeat; None if that would be too long (`MOST_COPIES`).

    `most` is None for no upper bound. Optional copies are nested, `x (x (x)?)?`, so that there is
    one way only to derive a number of copies; in tokens, where that does not matter, they are
    side by side.
    """
    if most is None and least <= 1:
        return Repeat(item, Quantifier.PLUS if least else Quantifier.STAR)
    copies = least + 1 if most is None else most
    if copies * count(item) > MOST_COPIES:
        return None
    if most is None:
        return sequence([item] * (least - 1) + [Repeat(item, Quantifier.PLUS)])
    if not nested:
        optional = Repeat(item, Quantifier.OPTIONAL)
        return sequence([item] * least + [optional] * (most - least))
    tail: Expression = EPSILON
    for _ in range(most - least):
        tail = Repeat(item if tail is EPSILON else sequence([item, tail]), Quantifier.OPTIONAL)
    return sequence([item] * least + [tail])
