"""Checks a grammar: what is wrong in it, what is of no use, what is ambiguous, and what to do.

Every finding is a note with its place. Errors make the grammar unusable; the rest is advice. That a
grammar is unambiguous cannot be decided: the warnings are for the causes that can be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from marrow.grammar.checking.check_tokens import check_tokens
from marrow.grammar.model.analysis import nullable, productive, reachable
from marrow.grammar.model.expressions import Keys, fold, references
from marrow.grammar.model.graph import strongly_connected
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    NOWHERE,
    Choice,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Quantifier,
    Reference,
    Repeat,
    Rule,
    Sequence,
    parts,
    walk,
)

#: How many rules of a circle a message names: as many as fit on a line.
_NAMES_SHOWN: Final = 6


def check(grammar: Grammar) -> list[Note]:
    """Return everything to be said about a grammar, errors first, then by place."""
    empty = nullable(grammar)
    notes = [
        *grammar.notes,
        *problems(grammar),
        *check_tokens(grammar),
        *_left_recursion(grammar, empty),
        *_cycles(grammar, empty),
        *_bodies(grammar, empty),
    ]
    unique = dict.fromkeys(notes)
    return sorted(unique, key=lambda note: (not note.error, *_place(note.position)))


def _place(position: Position) -> tuple[str, int, int]:
    return position.source, position.line, position.column


def _edges(grammar: Grammar, followed: Iterable[tuple[str, Iterable[str]]]) -> dict[str, list[str]]:
    return {name: [one for one in found if one in grammar.rules] for name, found in followed}


# Left recursion


def _left_recursion(grammar: Grammar, empty: frozenset[str]) -> Iterator[Note]:
    """Report rules that can begin with themselves."""
    graph = _edges(
        grammar, ((name, _leftmost(rule.body, empty)) for name, rule in grammar.rules.items())
    )
    for members in strongly_connected(graph):
        first = members[0]
        position = grammar.rules[first].position
        if len(members) > 1:
            circle = _circle(members)
            message = f"left recursion by way of other rules: {circle}."
            advice = "marrow parses it; ANTLR does not. Write the alternatives into one rule."
            yield Note(position, message, advice)
        elif first in graph[first]:
            message = f"the rule {first} is left-recursive."
            advice = (
                "marrow parses it: earlier alternatives bind tighter. Nothing to do, unless the "
                "order is not the precedence you want."
            )
            yield Note(position, message, advice)


def _circle(members: tuple[str, ...]) -> str:
    shown = list(members[:_NAMES_SHOWN])
    if len(members) > _NAMES_SHOWN:
        shown.append(f"{len(members) - _NAMES_SHOWN} more")
    return ", ".join(shown)


def _leftmost(body: Expression, empty: frozenset[str]) -> list[str]:
    """Return the names that a body can begin with."""
    vanishing = _vanishing(body, empty)
    found: dict[str, None] = {}
    stack = [body]
    while stack:
        one = stack.pop()
        if isinstance(one, Reference):
            found[one.name] = None
        elif isinstance(one, Sequence):
            for item in one.items:
                stack.append(item)
                if id(item) not in vanishing:
                    break
        else:
            stack.extend(parts(one))
    return list(found)


def _vanishing(body: Expression, empty: frozenset[str]) -> set[int]:
    """Return the ids of the expressions in a body that derive the empty text."""
    found: set[int] = set()

    def combine(one: Expression, inner: tuple[bool, ...]) -> bool:
        match one:
            case Sequence():
                value = all(inner)
            case Choice():
                value = any(inner)
            case Repeat(quantifier=quantifier):
                value = inner[0] or quantifier is not Quantifier.PLUS
            case Reference(name=name):
                value = name in empty
            case Literal(text=text):
                value = not text
            case _:
                value = False
        if value:
            found.add(id(one))
        return value

    fold(body, combine)
    return found


# Ambiguity


def _cycles(grammar: Grammar, empty: frozenset[str]) -> Iterator[Note]:
    """Report rules that can derive just themselves: they have infinitely many trees."""
    graph = _edges(
        grammar, ((name, _alone(rule.body, empty)) for name, rule in grammar.rules.items())
    )
    for members in strongly_connected(graph):
        first = members[0]
        if len(members) == 1 and first not in graph[first]:
            continue
        position = grammar.rules[first].position
        what = f"the rule {first} can derive just itself"
        if len(members) > 1:
            what = f"these rules can derive just one another: {_circle(members)}"
        advice = "Remove the alternative that leads back without adding anything."
        yield Note(position, f"ambiguous: {what}.", advice)


def _alone(body: Expression, empty: frozenset[str]) -> list[str]:
    """Return the names that can be all that a body derives."""
    vanishing = _vanishing(body, empty)
    found: dict[str, None] = {}
    stack = [body]
    while stack:
        one = stack.pop()
        if isinstance(one, Reference):
            found[one.name] = None
        elif isinstance(one, Sequence):
            staying = [item for item in one.items if id(item) not in vanishing]
            if not staying:
                stack.extend(one.items)
            elif len(staying) == 1:
                stack.append(staying[0])
        else:
            stack.extend(parts(one))
    return list(found)


def _bodies(grammar: Grammar, empty: frozenset[str]) -> Iterator[Note]:
    """Report what is ambiguous inside the bodies of rules and tokens."""
    keys = Keys()
    for rule in grammar.rules.values():
        yield from _repeated_alternatives(rule.name, rule.body, rule.position, keys)
        yield from _vanishing_repeats(rule.name, rule.body, rule.position, empty)
    for token in grammar.tokens.values():
        yield from _repeated_alternatives(token.name, token.body, token.position, keys)


def _repeated_alternatives(
    name: str, body: Expression, position: Position, keys: Keys
) -> Iterator[Note]:
    numbers = keys.keys(body)
    for one in walk(body):
        if not isinstance(one, Choice):
            continue
        seen: dict[int, int] = {}
        for number, alternative in enumerate(one.alternatives, 1):
            earlier = seen.setdefault(numbers[id(alternative)], number)
            if earlier != number:
                where = where_of(alternative) or position
                message = f"ambiguous: alternatives {earlier} and {number} of {name} are the same."
                yield Note(where, message, "Remove one of them.")


def _vanishing_repeats(
    name: str, body: Expression, position: Position, empty: frozenset[str]
) -> Iterator[Note]:
    vanishing = _vanishing(body, empty)
    for one in walk(body):
        if isinstance(one, Repeat) and id(one.item) in vanishing:
            sign = one.quantifier.value
            message = f"ambiguous: what `{sign}` repeats in {name} can be empty itself."
            advice = "Make what is repeated derive at least one token."
            yield Note(where_of(one) or position, message, advice)
            return  # one for each rule: repeats inside repeats would be reported again and again


def where_of(expression: Expression) -> Position | None:
    """Return the place of the first thing in an expression that has one."""
    for one in walk(expression):
        if not isinstance(one, Sequence | Choice | Repeat) and one.position.line:
            return one.position
    return None


def problems(grammar: Grammar, start: str | None = None) -> list[Note]:
    """Return what makes a grammar unusable (errors) or is of no use in it (notes)."""
    first = grammar.start if start is None else start
    notes = _undefined(grammar, first)
    if any(note.error for note in notes):
        return notes
    good = productive(grammar)
    used = reachable(grammar, first)
    for name, rule in grammar.rules.items():
        if name not in good:
            notes.append(
                Note(
                    rule.position,
                    f"rule {name!r} derives no text: every alternative leads back to a rule "
                    "without an end.",
                    "Add an alternative that does not refer to such a rule.",
                    error=name == first,
                )
            )
        elif name not in used:
            notes.append(
                Note(
                    rule.position,
                    f"rule {name!r} cannot be reached from {first!r}.",
                    "Refer to it, remove it, or choose another start rule.",
                )
            )
    return notes


def _undefined(grammar: Grammar, start: str) -> list[Note]:
    """Return an error for every name that is used but defined nowhere."""
    notes = []
    if start not in grammar.rules:
        known = ", ".join(list(grammar.rules)[:_NAMES_SHOWN])
        notes.append(
            Note(
                next((rule.position for rule in grammar.rules.values()), NOWHERE),
                f"the start rule {start!r} is not defined.",
                f"Choose one of the rules: {known}." if known else "The grammar has no rules.",
                error=True,
            )
        )
    for rule in grammar.rules.values():
        for reference in references(rule.body):
            if (
                reference.name not in grammar.rules
                and reference.name not in grammar.tokens
                and reference.name != END_OF_INPUT
            ):
                notes.append(_undefined_name(grammar, rule, reference))
    return notes


def _undefined_name(grammar: Grammar, rule: Rule, reference: Reference) -> Note:
    """Report a name. A token that no rule makes is never found; the rest can still be used.

    ANTLR's authors declare such tokens for actions to make: indentation, mostly.
    """
    name = reference.name
    where = reference.position if reference.position.line else rule.position
    if grammar.tokens and name[:1].isupper():
        return Note(
            where,
            f"no token rule makes {name!r}, which rule {rule.name!r} uses: no text has it.",
            _advice(name, grammar),
        )
    return Note(
        where,
        f"{name!r}, which rule {rule.name!r} uses, is not defined.",
        _advice(name, grammar),
        error=True,
    )


def _advice(name: str, grammar: Grammar) -> str:
    alike = [
        known
        for known in (*grammar.rules, *grammar.tokens)
        if known.replace("_", "").lower() == name.replace("_", "").lower()
    ]
    if alike:
        return f"Is {alike[0]!r} meant?"
    return "Define it as a rule or a token, or correct the name."


def require_usable(grammar: Grammar, start: str | None = None) -> None:
    """Raise `GrammarError` if a name is undefined or the start rule derives no text."""
    for note in problems(grammar, start):
        if note.error:
            advice = f" {note.advice}" if note.advice else ""
            raise GrammarError(note.message + advice, note.position)
