"""Checks a grammar: what is wrong in it, what is of no use, and what to do.

Every finding is a note with its place. Errors make the grammar unusable; the rest is advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from marrow.grammar.model.analysis import problems
from marrow.grammar.model.expressions import bodies_of, least, references, within
from marrow.grammar.model.rules import (
    END_OF_INPUT,
    Action,
    Characters,
    Expression,
    Grammar,
    Literal,
    Note,
    Reference,
    TokenRule,
    alternatives,
)
from marrow.grammar.parser.translate import translate


def check(grammar: Grammar) -> list[Note]:
    """Return everything to be said about a grammar, errors first, then by place."""
    notes = [*grammar.notes, *problems(grammar)]
    if not any(note.error for note in notes):  # the rest would follow names that lead nowhere
        notes += [*_unmatchable(grammar), *_uses(grammar), *_shadowed(grammar)]

    def order(note: Note) -> tuple[bool, str, int, int]:
        place = note.position
        return not note.error, place.source, place.line, place.column

    return sorted(dict.fromkeys(notes), key=order)


def _settled(tokens: Mapping[str, TokenRule], empty_text: bool) -> frozenset[str]:
    """Return the tokens that match the empty text, or else those that match some text."""

    def known(atom: Expression, found: set[str]) -> bool:
        match atom:
            case Reference(name=name):
                return name in found or (name == END_OF_INPUT)
            case Literal(text=text):
                return not empty_text or not text
            case Characters(ranges=ranges):
                return not empty_text and bool(ranges)
            case _:
                return False

    return least(bodies_of(tokens), known)


def _unmatchable(grammar: Grammar) -> Iterator[Note]:
    """Report tokens that match nothing, and tokens that match the empty text."""
    some = _settled(grammar.tokens, empty_text=False)
    empty = _settled(grammar.tokens, empty_text=True)
    typed = _types(grammar)
    for token in grammar.tokens.values():
        # One that changes the mode, or ends the input, is of use though it is empty.
        ends = any(one.name == END_OF_INPUT for one in references(token.body))
        moves = ends or token.does(Action.MODE, Action.PUSH_MODE, Action.POP_MODE)
        if token.name not in some and token.name not in typed:
            message = f"no text makes the token {token.name}: some action would have to."
            advice = f"Write a rule for {token.name}; until then what needs it never matches."
            yield Note(token.position, message, advice)
        elif token.name in some & empty and not token.fragment and not moves:
            message = f"the token {token.name} matches the empty text."
            yield Note(token.position, message, "Make it match at least one character.")


def _types(grammar: Grammar) -> set[str]:
    """Return the names that `type` commands give to tokens."""
    return {name for token in grammar.tokens.values() for name in token.arguments(Action.TYPE)}


def _uses(grammar: Grammar) -> Iterator[Note]:
    """Report tokens that a rule needs and the parser never sees."""
    in_rules = {one.name: one for one in within(grammar.rules, Reference)}
    types = _types(grammar)
    for token in grammar.tokens.values():
        use = in_rules.get(token.name)
        if use is None or not (token.fragment or (token.hidden and token.name not in types)):
            continue
        what = "a fragment" if token.fragment else "hidden"
        where = use.position if use.position.line else token.position
        message = f"the token {token.name} is {what}: the parser never sees it."
        advice = "Remove `fragment`." if token.fragment else "Remove `skip` or `channel`."
        yield Note(where, message, advice)


def _shadowed(grammar: Grammar) -> Iterator[Note]:
    """Report tokens of fixed texts that never match, because other rules take all of them."""
    lexer = translate(grammar).lexer
    for token in grammar.tokens.values():
        texts = alternatives(token.body)
        if token.fragment or not all(isinstance(one, Literal) for one in texts):
            continue
        takers = [lexer.rule_of(one.text, token.mode) for one in texts if isinstance(one, Literal)]
        if token.name not in takers and None not in takers:
            taker = takers[-1]
            message = f"the token {token.name} never matches: {taker} takes its text."
            advice = f"Put {token.name} before {taker}, or remove it."
            yield Note(token.position, message, advice)
