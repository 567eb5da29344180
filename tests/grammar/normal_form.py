"""A checker for Perses Normal Form (Definition 3.1 of the paper).

Every alternative is a sequence of terminals and nonterminals, or one of them with a quantifier;
only the start rule may be empty; and whatever could be a list is described by a quantified rule.
The definition asks for sequences of two or more symbols, but the paper's own examples have single
ones (`C ::= c`), so they are allowed here.
"""

from __future__ import annotations

from marrow.grammar.model.graph import strongly_connected
from marrow.grammar.model.rules import (
    Characters,
    Expression,
    Grammar,
    Literal,
    Note,
    Reference,
    Repeat,
    Rule,
    Sequence,
    alternatives,
)


def violations(grammar: Grammar) -> list[Note]:
    """Return where a grammar is not in Perses Normal Form; nothing if it is.

    A rule that is directly recursive at an end of an alternative could be a list, and is reported;
    so is one that is recursive at an end through other rules: the algorithm leaves none.
    """
    notes = []
    for name, rule in grammar.rules.items():
        for option in alternatives(rule.body):
            problem = _shape(option, empty=name == grammar.start)
            if problem:
                notes.append(_note(rule, problem))
    notes += _recursion(grammar, 0, "left")
    notes += _recursion(grammar, -1, "right")
    return notes


def _note(rule: Rule, problem: str) -> Note:
    return Note(rule.position, f"rule {rule.name!r} {problem}.", "Normalise the grammar.")


def _is_symbol(expression: Expression) -> bool:
    if isinstance(expression, Literal):
        return bool(expression.text)
    return isinstance(expression, Characters | Reference)


def _shape(option: Expression, *, empty: bool) -> str:
    """Return what is wrong with the form of an alternative."""
    match option:
        case Repeat(item=item):
            return "" if _is_symbol(item) else "repeats more than one symbol"
        case Sequence(items=()):
            return "" if empty else "has an empty alternative and is not the start rule"
        case Sequence(items=(Repeat(item=item),)):
            return "" if _is_symbol(item) else "repeats more than one symbol"
        case Sequence(items=items):
            if any(isinstance(item, Repeat) for item in items):
                return "has a quantifier inside a longer alternative"
            nested = not all(_is_symbol(item) for item in items)
            return "has an expression nested in an alternative" if nested else ""
        case _:
            return "" if _is_symbol(option) else "has an expression nested in an alternative"


def _recursion(grammar: Grammar, end: int, side: str) -> list[Note]:
    """Return the rules that are recursive at one end and not described by a quantified rule."""
    graph: dict[str, list[str]] = {}
    for name, rule in grammar.rules.items():
        graph[name] = []
        for option in alternatives(rule.body):
            items = option.items if isinstance(option, Sequence) else (option,)
            corner = items[end] if items else None
            if isinstance(corner, Reference) and corner.name in grammar.rules:
                graph[name].append(corner.name)
    notes = []
    for component in strongly_connected(graph):
        for name in component:
            if name in graph[name]:
                problem = f"is {side}-recursive and could be a list"
            elif len(component) > 1:
                others = ", ".join(one for one in component if one != name)
                problem = f"is {side}-recursive through {others} and could be a list"
            else:
                continue
            notes.append(_note(grammar.rules[name], problem))
    return notes
