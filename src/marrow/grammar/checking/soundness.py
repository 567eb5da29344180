"""Finds out whether a grammar can be used at all, with messages that its author can act on."""

from __future__ import annotations

from typing import Final

from marrow.grammar.model.analysis import productive, reachable
from marrow.grammar.model.expressions import references
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    NOWHERE,
    Grammar,
    GrammarError,
    Note,
    Reference,
    Rule,
)

#: How many names a message lists: as many as fit on a line.
_NAMES_SHOWN: Final = 8


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
