"""The start rule of an ANTLR grammar, which does not name it."""

from __future__ import annotations

from collections.abc import Iterable

from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Choice,
    Expression,
    Reference,
    Repeat,
    Rule,
    Sequence,
    alternatives,
    walk,
)


def default_start(rules: dict[str, Rule]) -> str:
    """Choose the start rule: one that nobody else refers to and that ends with EOF, if any.

    Failing that, one that nobody refers to and whose last rule ends so (`file: line*`).

    Among several, the one that reaches the most rules is the whole language, and the others are
    parts of it with an entry of their own; among equals the first.
    """
    uses = {
        name: {one.name for one in walk(rule.body) if isinstance(one, Reference)}
        for name, rule in rules.items()
    }
    used = {one for name, found in uses.items() for one in found if one != name}
    unused = [name for name in rules if name not in used]
    lasts = {
        name: {one.name for one in _last(rule.body) if isinstance(one, Reference)}
        for name, rule in rules.items()
    }
    ends = [name for name in rules if END_OF_INPUT in lasts[name]]
    candidates = (
        [name for name in ends if name not in used]
        or [name for name in unused if END_OF_INPUT in _reached(name, lasts)]
        or ends
        or unused
        or list(rules)[:1]
    )
    return max(candidates, key=lambda name: len(_reached(name, uses)))


def _last(body: Expression) -> Iterable[Expression]:
    """Return what may stand at the end of a body, outer groups opened."""
    stack = [body]
    while stack:
        one = stack.pop()
        match one:
            case Sequence(items=items) if items:
                stack.append(items[-1])
            case Choice():
                stack.extend(alternatives(one))
            case Repeat(item=item):
                stack.append(item)
            case _:
                yield one


def _reached(name: str, uses: dict[str, set[str]]) -> set[str]:
    """Return the names that a rule leads to."""
    found = {name}
    stack = [name]
    while stack:
        for one in uses.get(stack.pop(), ()):
            if one not in found:
                found.add(one)
                stack.append(one)
    return found
